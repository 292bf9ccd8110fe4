"""What passes cost on this machine, in seconds: measured, interpolated, refined by every round.

The machine's pace (another program, a hot chip) moves all costs alike and cancels out of every
decision, so it is kept apart from the table, whose entries only say how passes compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Seconds = npt.NDArray[np.float64]

BUCKET = 1024
"""Tokens of context up to which passes are said to cost the same; the next ranges double."""
_FIRST_WEIGHT, _LEAST_WEIGHT = 0.5, 0.06
"""What one observation moves an entry: much while it is new, little when it is well known."""
_CALIBRATED = 6
"""Observations that a calibrated entry is worth."""
_PACE_WEIGHT = 0.2
_OUTLIER = 2.0


def context_bucket(num_tokens: int) -> int:
    """The range of context lengths: up to 1024 tokens, up to 2048, up to 4096..."""
    return max(0, int(num_tokens - 1) // BUCKET).bit_length()


class PassCosts:
    """Seconds of a pass of n tokens, at one model and range of context lengths."""

    def __init__(self, points: Mapping[int, float], max_tokens: int) -> None:
        """`points` has at least one entry; the rest is interpolated, and extended by the last
        slope."""
        self._max_tokens = max_tokens
        self._sizes = np.arange(max_tokens + 1)
        self._counts = dict.fromkeys(points, _CALIBRATED)
        self._ns = np.array(sorted(points))
        self._known = np.array([points[n] for n in sorted(points)], np.float64)
        self.seconds: Seconds
        """By number of tokens, (max_tokens + 1,); entry 0 is 0."""
        self._interpolate()

    @property
    def points(self) -> dict[int, float]:
        return dict(zip(self._ns.tolist(), self._known.tolist(), strict=True))

    def observe(self, num_tokens: int, seconds: float) -> None:
        if not 1 <= num_tokens <= self._max_tokens:
            return
        known = float(self.seconds[num_tokens])
        seconds = min(max(seconds, known / _OUTLIER), known * _OUTLIER)
        count = self._counts.get(num_tokens, 0)
        index = int(np.searchsorted(self._ns, num_tokens))
        if count == 0:
            self._ns = np.insert(self._ns, index, num_tokens)
            self._known = np.insert(self._known, index, known)
        self._counts[num_tokens] = count + 1
        weight = max(_LEAST_WEIGHT, _FIRST_WEIGHT / (count + 1))
        self._known[index] = known + weight * (seconds - known)
        self._interpolate()

    def _interpolate(self) -> None:
        ns, known = self._ns, self._known
        self.seconds = np.interp(self._sizes, ns, known)
        if ns[-1] < self._max_tokens and len(ns) > 1:
            slope = max(0.0, float(known[-1] - known[0]) / float(ns[-1] - ns[0]))
            beyond = self._sizes[ns[-1] + 1 :]
            self.seconds[ns[-1] + 1 :] = known[-1] + slope * (beyond - ns[-1])
        self.seconds[0] = 0.0


class CostTable:
    """The passes of a pair: the target's, by number of tokens, and the draft's."""

    def __init__(
        self, target: Mapping[int, float], draft: Mapping[int, float], max_tokens: int
    ) -> None:
        """Seconds by number of tokens, measured on a short context; `draft` may be empty."""
        self._max_tokens = max_tokens
        self.pace = 1.0
        self._tables = {"target": {0: PassCosts(target, max_tokens)}}
        if draft:
            self._tables["draft"] = {0: PassCosts(draft, max_tokens)}

    @property
    def has_draft(self) -> bool:
        return "draft" in self._tables

    def target(self, bucket: int) -> Seconds:
        """Relative seconds by number of tokens, (max_tokens + 1,)."""
        return self._table("target", bucket).seconds

    def draft(self, bucket: int) -> Seconds:
        return self._table("draft", bucket).seconds

    def _table(self, model: str, bucket: int) -> PassCosts:
        tables = self._tables[model]
        if bucket not in tables:
            nearest = min(tables, key=lambda known: abs(known - bucket))
            tables[bucket] = PassCosts(tables[nearest].points, self._max_tokens)
        return tables[bucket]

    def observe(self, model: str, bucket: int, num_tokens: int, seconds: float) -> None:
        """A pass of `num_tokens` tokens took `seconds`."""
        if num_tokens > self._max_tokens or num_tokens < 1 or seconds <= 0.0:
            return
        table = self._table(model, bucket)
        ratio = seconds / (float(table.seconds[num_tokens]) * self.pace)
        self.pace *= min(max(ratio, 1 / _OUTLIER), _OUTLIER) ** _PACE_WEIGHT
        table.observe(num_tokens, seconds / self.pace)

    def report(self) -> dict[str, Any]:
        """Seconds by model, range of context and number of tokens, for JSON."""
        return {
            model: {
                str(bucket): {str(n): s * self.pace for n, s in table.points.items()}
                for bucket, table in tables.items()
            }
            for model, tables in self._tables.items()
        }

    @classmethod
    def from_report(cls, report: Mapping[str, Any], max_tokens: int) -> CostTable:
        """Raises ValueError, KeyError or TypeError on anything that `report` did not make."""
        tables = {
            model: {int(bucket): _points(points) for bucket, points in buckets.items()}
            for model, buckets in report.items()
        }
        first = {model: by_bucket[min(by_bucket)] for model, by_bucket in tables.items()}
        costs = cls(first["target"], first.get("draft", {}), max_tokens)
        for model, by_bucket in tables.items():
            costs._tables[model] = {
                bucket: PassCosts(points, max_tokens) for bucket, points in by_bucket.items()
            }
        return costs


def _points(points: Mapping[str, Any]) -> dict[int, float]:
    known = {int(n): float(seconds) for n, seconds in points.items()}
    if not known or min(known) < 1 or not all(0.0 < s < 1e4 for s in known.values()):
        raise ValueError("costs must be seconds above 0")
    return known
