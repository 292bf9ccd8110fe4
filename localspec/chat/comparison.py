"""What on against off came to. Plain values: they can be stored, sent and replayed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from localspec.chat.state import StateKind

NEAR_TIE = 0.3
"""Logits closer than this may swap when another batch shape rounds differently."""


@dataclass(frozen=True, slots=True)
class ArmResult:
    """All runs of one arm."""

    name: str
    tokens_per_second: float
    """Median over the runs."""
    spread: tuple[float, float]
    """Slowest and fastest run."""
    prefill_s: float
    ttft_s: float
    num_tokens: int
    acceptance_rate: float | None
    mean_acceptance_length: float | None
    state: StateKind
    """Of the last run's speculation."""
    state_reason: str
    stats: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two greedy texts part."""

    index: int
    """Of the first token that differs."""
    off_token: int
    on_token: int
    gap: float
    """From the target's best logit there down to the worse one of the two tokens."""

    @property
    def is_near_tie(self) -> bool:
        return self.gap < NEAR_TIE


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of `compare`. Texts are those of the runs of median speed."""

    off: ArmResult
    on: ArmResult
    speedup: float
    """Ratio of the median speeds."""
    speedup_spread: tuple[float, float]
    """Slowest and fastest of the paired runs' ratios."""
    same_tokens: bool
    difference: Difference | None
    """Only for greedy texts that differ."""

    @property
    def is_slower(self) -> bool:
        """As it is shown: what rounds to 1.00 is neither, nor are two runs of the same work."""
        return round(self.speedup, 2) < 1.0 and self.on.acceptance_rate is not None

    def report(self) -> dict[str, Any]:
        return asdict(self)
