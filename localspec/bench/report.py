"""What a suite's runs say: medians and spreads of each kind, means over all kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import geometric_mean, median
from typing import Any

from localspec.bench.suite_run import Run, Text
from localspec.chat.state import State


@dataclass(slots=True)
class Measured:
    """The runs so far, in the order in which they ended."""

    arms: list[str]
    """The first is what the others are measured against."""
    runs: list[Run] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    @property
    def categories(self) -> list[str]:
        return list(dict.fromkeys(run.category for run in self.runs))

    def select(self, arm: str, category: str | None = None) -> list[Run]:
        return [run for run in self.runs if run.arm == arm and category in (None, run.category)]


@dataclass(frozen=True, slots=True)
class Drafting:
    """Where an arm's tokens came from, over several runs."""

    acceptance_rate: float | None
    mean_draft_length: float | None
    """Draft tokens a round, plain rounds included: the mean K."""
    mean_acceptance_length: float | None
    rounds_per_source: dict[str, float]
    """Shares, the largest first; "none" is plain rounds."""
    python_share: float | None
    """Of the decode time, what was spent outside the models' passes."""


@dataclass(frozen=True, slots=True)
class KindResult:
    """One arm on one kind of work."""

    category: str
    arm: str
    num_runs: int
    tokens_per_second: float
    """Median over prompts and repeats, as the ratio."""
    ratio: float | None
    """Speed against the first arm's run of the same prompt and repeat; None without one."""
    spread: tuple[float, float] | None
    """The lowest and the highest ratio."""
    drafting: Drafting


@dataclass(frozen=True, slots=True)
class ArmResult:
    """One arm over the kinds that every arm was measured on."""

    arm: str
    ratio: float | None
    """Geometric mean of the kinds' ratios."""
    lowest: float | None
    lowest_category: str
    drafting: Drafting
    states: dict[str, int]
    """Runs by the state of speculation, with its reason."""


@dataclass(frozen=True, slots=True)
class TextResult:
    """An arm's greedy texts beside the first arm's."""

    arm: str
    num_texts: int
    num_same: int
    num_near_ties: int
    num_faults: int
    """Texts that part where no rounding explains it."""
    largest_gap: float
    """Of the logits where texts part; 0 if none does."""


def kind_results(measured: Measured) -> list[KindResult]:
    """In the order of the suite, then of the arms."""
    bases = _base_speeds(measured)
    results = []
    for category in measured.categories:
        for arm in measured.arms:
            if not (runs := measured.select(arm, category)):
                continue
            ratios = [_speed(run) / bases[key] for run in runs if (key := _place(run)) in bases]
            results.append(
                KindResult(
                    category=category,
                    arm=arm,
                    num_runs=len(runs),
                    tokens_per_second=median(map(_speed, runs)),
                    ratio=median(ratios) if ratios else None,
                    spread=(min(ratios), max(ratios)) if ratios else None,
                    drafting=drafting([run.stats for run in runs]),
                )
            )
    return results


def arm_results(measured: Measured, kinds: Sequence[KindResult]) -> list[ArmResult]:
    common = complete_categories(kinds, measured.arms)
    results = []
    for arm in measured.arms:
        if not measured.select(arm):
            continue
        ratios = {k.category: k.ratio for k in kinds if k.arm == arm and k.category in common}
        known = {category: ratio for category, ratio in ratios.items() if ratio is not None}
        lowest = min(known, key=lambda category: known[category]) if known else ""
        results.append(
            ArmResult(
                arm=arm,
                ratio=geometric_mean(known.values()) if known else None,
                lowest=known.get(lowest),
                lowest_category=lowest,
                drafting=drafting([run.stats for run in measured.select(arm)]),
                states=_states(measured.select(arm)),
            )
        )
    return results


def _states(runs: Sequence[Run]) -> dict[str, int]:
    states: dict[str, int] = {}
    for run in runs:
        name = str(State(run.state, run.state_reason))  # type: ignore[arg-type]
        states[name] = states.get(name, 0) + 1
    return states


def complete_categories(kinds: Sequence[KindResult], arms: Sequence[str]) -> list[str]:
    """Those with a ratio of every arm: a broken-off kind would favour whoever ran."""
    return [
        category
        for category in dict.fromkeys(kind.category for kind in kinds)
        if {k.arm for k in kinds if k.category == category and k.ratio is not None} >= set(arms)
    ]


def text_results(measured: Measured) -> list[TextResult]:
    """None for sampled replies: their texts differ, as they should."""
    results = []
    for arm in measured.arms:
        texts = [text for text in measured.texts if text.arm == arm]
        gaps = [text.difference for text in texts if text.difference is not None]
        if texts:
            near = sum(difference.is_near_tie for difference in gaps)
            largest = max((difference.gap for difference in gaps), default=0.0)
            same = len(texts) - len(gaps)
            results.append(TextResult(arm, len(texts), same, near, len(gaps) - near, largest))
    return results


def drafting(stats: Sequence[dict[str, Any]]) -> Drafting:
    """Counts are added before they are divided: a long reply weighs more than a short one."""

    def total(name: str) -> float:
        return float(sum(each[name] for each in stats))

    def share(part: float, whole: float) -> float | None:
        return part / whole if whole else None

    rounds: dict[str, int] = {}
    for each in stats:
        for source, count in each["num_rounds_per_source"].items():
            rounds[source] = rounds.get(source, 0) + count
    ordered = sorted(rounds, key=lambda source: -rounds[source])
    outside = share(total("native_s"), total("decode_s"))
    return Drafting(
        acceptance_rate=share(total("num_accepted_tokens"), total("num_draft_tokens")),
        mean_draft_length=share(total("num_draft_tokens"), total("num_rounds")),
        mean_acceptance_length=share(total("num_draft_round_tokens"), total("num_drafts")),
        rounds_per_source={source: rounds[source] / total("num_rounds") for source in ordered},
        python_share=max(0.0, 1.0 - outside) if outside else None,
    )


def _base_speeds(measured: Measured) -> dict[tuple[int, int], float]:
    return {_place(run): _speed(run) for run in measured.select(measured.arms[0])}


def _place(run: Run) -> tuple[int, int]:
    return run.prompt, run.repeat


def _speed(run: Run) -> float:
    return float(run.stats["tokens_per_second"] or 0.0)
