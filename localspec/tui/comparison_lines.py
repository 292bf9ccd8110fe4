"""What a comparison came to, as the lines of a report."""

from __future__ import annotations

from collections.abc import Iterator

from localspec.chat.comparison import ArmResult, Comparison, Difference
from localspec.chat.state import State


def comparison_lines(result: Comparison) -> Iterator[str]:
    for arm in (result.off, result.on):
        yield _arm(arm)
    low, high = result.speedup_spread
    slower = " (slower)" if result.is_slower else ""
    on = State(result.on.state, result.on.state_reason)
    if result.on.acceptance_rate is None:
        yield f"Speculation was {on}: nothing was drafted, so both ways did the same work."
    elif on.kind != "active":
        yield f"Speculation is {on}."
    yield f"speed-up  {result.speedup:.2f}x{slower}, runs {low:.2f} to {high:.2f}"
    yield f"text      {_same(result)}"


def _arm(arm: ArmResult) -> str:
    low, high = arm.spread
    rate = "n/a" if arm.acceptance_rate is None else f"{arm.acceptance_rate:.0%}"
    length = arm.mean_acceptance_length
    drafts = "" if length is None else f" · {rate} accepted · {length:.2f} tokens a pass"
    speed = f"{arm.tokens_per_second:6.2f} tok/s ({low:.2f} to {high:.2f})"
    return f"{arm.name:<9} {speed} · {arm.num_tokens} tokens · prompt {arm.prefill_s:.2f} s{drafts}"


def _same(result: Comparison) -> str:
    if result.same_tokens:
        return "the same"
    if result.difference is None:
        return "differs, as sampled texts do: the distribution is the same"
    return _difference(result.difference)


def _difference(difference: Difference) -> str:
    where = f"differs from token {difference.index + 1}, logit gap {difference.gap:.3f}"
    if difference.is_near_tie:
        return f"{where}: a near-tie, decided by rounding in another batch shape"
    return f"{where}: too large for rounding; please report this"
