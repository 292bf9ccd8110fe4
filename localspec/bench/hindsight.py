"""What deciding round by round reaches of the best fixed arm, which nobody knows beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from localspec.backends.arm import Arm
from localspec.bench.report import KindResult, complete_categories

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Against:
    """`auto`'s speed against another arm's."""

    category: str
    """Empty: over all kinds."""
    arm: str
    ratio: float


@dataclass(frozen=True, slots=True)
class Hindsight:
    """`auto` against what turned out to be best."""

    kinds: tuple[Against, ...]
    """Against the best fixed arm of each kind."""
    ratio: float
    """The geometric mean of `kinds`."""
    lowest: Against
    single: Against
    """Against the one fixed arm that is best over all kinds."""


def hindsight(kinds: Sequence[KindResult], arms: Sequence[Arm]) -> Hindsight | None:
    """None without `auto`, without a fixed arm, or before a kind is complete."""
    fixed = [arm.name for arm in arms if arm.is_fixed]
    common = complete_categories(kinds, [arm.name for arm in arms])
    if AUTO not in {arm.name for arm in arms} or not fixed or not common:
        return None
    ratios = {(kind.category, kind.arm): kind.ratio or 0.0 for kind in kinds}

    def best(category: str) -> Against:
        arm = max(fixed, key=lambda name: ratios[category, name])
        return Against(category, arm, ratios[category, AUTO] / ratios[category, arm])

    def mean(arm: str) -> float:
        return geometric_mean([ratios[category, arm] for category in common])

    each = tuple(best(category) for category in common)
    single = max(fixed, key=mean)
    return Hindsight(
        kinds=each,
        ratio=geometric_mean([against.ratio for against in each]),
        lowest=min(each, key=lambda against: against.ratio),
        single=Against("", single, mean(AUTO) / mean(single)),
    )
