"""The quiet line under a reply, from the numbers that were saved with it."""

from __future__ import annotations

from typing import Any

from localspec.chat.state import State, speculation_state
from localspec.tui import figures
from localspec.tui.dialogue import UNFINISHED


def past_summary(stats: dict[str, Any] | None) -> str:
    """Empty where there are none; an imported file may have any."""
    if stats is None:
        return ""
    if stats == UNFINISHED:
        return "broken off · /continue goes on with it"
    try:
        # Before the reason was kept, nothing told an idle reply from one with drafts turned off.
        known = "off_reason" in stats
        state = speculation_state(stats["num_drafts"], stats["off_reason"]) if known else None
        ending, times = stats.get("ending"), stats.get("speedup")
        summary = figures.summary(stats, state or State("active"), ending, times)
    except (LookupError, TypeError, ValueError, ArithmeticError):
        return ""
    return f"{summary} · continued" if stats.get("continued") is True else summary
