"""What drafting can gain by a table of costs alone, before any text is known."""

from __future__ import annotations

from dataclasses import dataclass

from localspec.engine.costs import CostTable
from localspec.engine.worth import speedups


@dataclass(frozen=True, slots=True)
class Prospect:
    """The best fixed draft at one acceptance rate."""

    rate: float
    num_draft_tokens: int
    """0: plain decoding is best."""
    speedup: float


def prospect(costs: CostTable, rate: float, most: int, bucket: int = 0) -> Prospect:
    """By the best length of at most `most` guesses, each accepted with `rate`."""
    by_length = speedups(costs, rate, most, bucket)
    best = int(by_length.argmax())
    if by_length[best] <= 1.0:
        return Prospect(rate, 0, 1.0)
    return Prospect(rate, best + 1, float(by_length[best]))
