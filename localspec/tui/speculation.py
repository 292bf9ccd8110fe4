"""What the status line says about drafting."""

from __future__ import annotations

from localspec.chat.events import Ready
from localspec.settings import SpecMode
from localspec.tui.turn import Turn
from localspec.tui.widgets.status import Light, Speculation


def speculation(spec: SpecMode, ready: Ready | None, turn: Turn | None) -> Speculation:
    """`spec` is the mode set for the next reply; the light is on for drafts that were tested."""
    if turn is not None and turn.meter.stats.num_drafts:
        return Speculation(turn.source, Light.ON)
    if spec == "off":
        return Speculation("off", Light.OFF)
    if ready is None:
        return Speculation(spec)
    if ready.spec_off_reason and spec not in ("suffix", "predicted"):
        return Speculation(f"off: {ready.spec_off_reason}", Light.OFF)
    light = Light.OFF if turn is not None and turn.meter.stats.num_tokens else Light.UNKNOWN
    return Speculation("draft" if spec == "auto" and ready.draft else spec, light)
