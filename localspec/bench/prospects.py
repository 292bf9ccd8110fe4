"""What drafting can gain by a table of costs alone, before any text is known."""

from __future__ import annotations

from dataclasses import dataclass

from localspec.engine.costs import CostTable


@dataclass(frozen=True, slots=True)
class Prospect:
    """The best fixed draft at one acceptance rate."""

    rate: float
    num_draft_tokens: int
    """0: plain decoding is best."""
    speedup: float


def prospect(costs: CostTable, rate: float, most: int, bucket: int = 0) -> Prospect:
    """By the best length of at most `most` guesses, each accepted with `rate`."""
    target_s, draft_s = costs.target(bucket), costs.draft(bucket)
    best = Prospect(rate, 0, 1.0)
    committed, survival = 1.0, 1.0
    for k in range(1, min(most, len(target_s) - 2) + 1):
        survival *= rate
        committed += survival
        seconds = k * float(draft_s[1]) + float(target_s[k + 1])
        speedup = committed * float(target_s[1]) / seconds
        if speedup > best.speedup:
            best = Prospect(rate, k, speedup)
    return best
