"""What the status line says about drafting."""

from __future__ import annotations

from localspec.chat.events import Ready
from localspec.chat.state import TURNED_OFF, State
from localspec.settings import SpecMode
from localspec.tui.turn import Turn
from localspec.tui.widgets.status import Light, Speculation


def speculation(spec: SpecMode, ready: Ready | None, turn: Turn | None) -> Speculation:
    """What was tested in the last reply; before one, the mode that was set claims nothing."""
    if turn is not None and turn.state is not None:
        return _shown(turn.state, turn.meter.source)
    if (reason := off_reason(spec, ready)) or ready is None:
        return _shown(State("off", reason), "") if reason else Speculation(spec)
    if spec == "auto":
        return Speculation("draft" if ready.draft else "suffix")
    return Speculation(spec)


def off_reason(spec: SpecMode, ready: Ready | None) -> str:
    """Why the next reply can't draft, as far as is known before it."""
    if spec == "off":
        return TURNED_OFF
    if ready is None or not ready.spec_off_reason:
        return ""
    return ready.spec_off_reason if spec == "draft" or not ready.can_copy else ""


def _shown(state: State, source: str) -> Speculation:
    if state.kind == "active":
        return Speculation(f"active · {source}" if source else "active", Light.ON)
    return Speculation(str(state), Light.OFF)
