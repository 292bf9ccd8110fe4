"""A benchmark's results as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from localspec.cli import table

if TYPE_CHECKING:
    from localspec.backends.arm import Arm
    from localspec.bench.hindsight import Hindsight
    from localspec.bench.report import ArmResult, Drafting, KindResult, Measured, TextResult

NOTHING = "n/a"
_DRAFTING = ("accepted", "mean K", "outside", "rounds")


def report_lines(measured: Measured, arms: Sequence[Arm]) -> list[str]:
    """Everything, when the measurement is over or broken off; nothing for no runs."""
    from localspec.bench.hindsight import hindsight
    from localspec.bench.report import arm_results, kind_results, text_results

    if not measured.runs:
        return []
    kinds = kind_results(measured)
    results = arm_results(measured, kinds)
    texts = {result.arm: result for result in text_results(measured)}
    legend = f"Speeds are against {measured.arms[0]}; outside: of the time, not in models' passes."
    lines = [*_kind_lines(kinds), "", *_arm_lines(results, texts), "", legend]
    if (auto := hindsight(kinds, arms)) is not None:
        lines += _hindsight_lines(auto)
    lines += _state_lines(results)
    if any(result.num_faults for result in texts.values()):
        lines += ["A text parts where rounding can't explain it; please report this."]
    return lines


def ratio(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}x"


def judged(value: float | None) -> str:
    """A ratio that says so when it is below 1."""
    slower = value is not None and round(value, 2) < 1
    return f"{ratio(value)} slower" if slower else ratio(value)


def sources(drafting: Drafting) -> str:
    """Who drafted, by share of the rounds; plain rounds are "none"."""
    shares = drafting.rounds_per_source.items()
    return ", ".join(f"{name} {share:.0%}" for name, share in shares)


def _kind_lines(kinds: Sequence[KindResult]) -> list[str]:
    rows = []
    shown = ""
    for kind in kinds:
        spread = NOTHING if kind.spread is None else "{:.2f} to {:.2f}".format(*kind.spread)
        name = kind.category if kind.category != shown else ""
        shown = kind.category
        speed = f"{kind.tokens_per_second:.2f}"
        numbers = [judged(kind.ratio), spread, speed, *_drafting(kind.drafting)]
        rows.append([name, kind.arm, *numbers])
    return table.lines(("kind", "arm", "speed", "spread", "tok/s", *_DRAFTING), rows)


def _arm_lines(results: Sequence[ArmResult], texts: dict[str, TextResult]) -> list[str]:
    rows = []
    for result in results:
        mean = NOTHING if result.ratio is None else f"{result.ratio:.3f}x"
        lowest = f"{ratio(result.lowest)} {result.lowest_category}".strip()
        text = _text(texts.get(result.arm))
        rows.append([result.arm, mean, lowest, *_drafting(result.drafting)[:3], text])
    head = ("all kinds", "mean", "lowest", *_DRAFTING[:3], "greedy text")
    return table.lines(head, rows)


def _state_lines(results: Sequence[ArmResult]) -> list[str]:
    """Where an arm that should have drafted did not."""
    return [
        f"{result.arm}: speculation was {state} in {count} of {sum(result.states.values())} runs."
        for result in results
        if result.arm != "off"
        for state, count in result.states.items()
        if state != "active"
    ]


def _drafting(drafting: Drafting) -> list[str]:
    rate, length, outside = (
        drafting.acceptance_rate, drafting.mean_draft_length, drafting.python_share
    )  # fmt: skip
    return [
        NOTHING if rate is None else f"{rate:.0%}",
        NOTHING if length is None else f"{length:.2f}",
        NOTHING if outside is None else f"{outside:.1%}",
        sources(drafting),
    ]


def _text(result: TextResult | None) -> str:
    if result is None:
        return "sampled"
    if result.num_same == result.num_texts:
        return "the same"
    parts = [f"{result.num_same} of {result.num_texts} the same"]
    if result.num_near_ties:
        parts.append(f"{result.num_near_ties} near-tie{'s' * (result.num_near_ties > 1)}")
    if result.num_faults:
        parts.append(f"{result.num_faults} WRONG")
    return f"{', '.join(parts)} (logit gap {result.largest_gap:.3f})"


def _hindsight_lines(auto: Hindsight) -> list[str]:
    low, single = auto.lowest, auto.single
    return [
        f"auto is {judged(auto.ratio)} against the best fixed arm of each kind,"
        f" lowest {low.ratio:.2f}x on {low.category} (against {low.arm});",
        f"auto is {judged(single.ratio)} against the best single fixed arm, {single.arm}.",
    ]
