"""What a comparison came to, in one line."""

from __future__ import annotations

from localspec.chat.comparison import Comparison, Difference
from localspec.chat.state import State
from localspec.tui import figures


def verdict(result: Comparison) -> str:
    low, high = result.speedup_spread
    num_runs = len(result.off.stats)
    runs = "1 run" if num_runs == 1 else f"{low:.2f} to {high:.2f}, {num_runs} runs"
    slower = " slower" if result.is_slower else ""
    return " · ".join([f"{result.speedup:.2f}x{slower} ({runs})", _texts(result), *_drafts(result)])


def _drafts(result: Comparison) -> list[str]:
    on = result.on
    state = State(on.state, on.state_reason)
    if on.acceptance_rate is None:
        return [f"speculation {state}: nothing was drafted"]
    accepted = f"{figures.share(on.acceptance_rate)} accepted"
    return [accepted] if state.kind == "active" else [accepted, f"speculation {state}"]


def _texts(result: Comparison) -> str:
    if result.same_tokens:
        return "same text"
    if result.difference is None:
        return "other text, as samples are"
    return _difference(result.difference)


def _difference(difference: Difference) -> str:
    where = f"texts part at token {difference.index + 1} (≠), gap {difference.gap:.3f}"
    if difference.is_near_tie:
        return f"{where}: a near-tie, decided by rounding"
    return f"{where}: too large for rounding, please report it"
