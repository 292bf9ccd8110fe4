"""What passes cost on this machine, in seconds: measured, interpolated, refined by every round.

Whatever slows a machine down does not slow all passes alike: memory bounds a pass of one token,
arithmetic one of many. So an observation moves its own size most, and other sizes the less the
further they are from it. What was not passed for long drifts back to its measured distance from a
single token: a busy hour would else leave the sizes dear that it made too dear to try.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Seconds = npt.NDArray[np.float64]

BUCKET = 1024
"""Tokens of context up to which passes are said to cost the same; the next ranges double."""
_WEIGHT = 0.15
"""What one observation moves the entry of its size."""
_REACH = 0.7
"""Distance of two sizes, in the logarithm, over which what they share falls to a third."""
_OUTLIER = 2.0
_LOOK_WEIGHT = 0.6
"""The same for a measurement at load: nothing else was under way."""
_DRIFT = 0.01
"""What a pass moves the entries of far sizes, of the way back."""


def context_bucket(num_tokens: int) -> int:
    """The range of context lengths: up to 1024 tokens, up to 2048, up to 4096..."""
    return max(0, int(num_tokens - 1) // BUCKET).bit_length()


class PassCosts:
    """Seconds of a pass of n tokens, at one model and range of context lengths."""

    def __init__(self, points: Mapping[int, float], max_tokens: int) -> None:
        """`points` has at least one entry; the rest is interpolated, and extended by the last
        slope."""
        ns = sorted(points)
        sizes = np.arange(max_tokens + 1)
        self.seconds: Seconds = np.interp(sizes, ns, [points[n] for n in ns])
        """By number of tokens, (max_tokens + 1,); entry 0 is 0."""
        if len(ns) > 1:
            slope = max(0.0, (points[ns[-1]] - points[ns[0]]) / (ns[-1] - ns[0]))
            self.seconds[ns[-1] + 1 :] = points[ns[-1]] + slope * (sizes[ns[-1] + 1 :] - ns[-1])
        self.seconds[0] = 0.0
        self.measured = set(ns)
        self._logs = np.log(np.maximum(sizes, 1))
        self._set_shape()

    @property
    def points(self) -> dict[int, float]:
        """What was measured or observed; the rest lies between."""
        return {n: float(self.seconds[n]) for n in sorted(self.measured)}

    def observe(self, num_tokens: int, seconds: float) -> None:
        ratio = min(max(seconds / float(self.seconds[num_tokens]), 1 / _OUTLIER), _OUTLIER)
        shared = self._move(num_tokens, ratio, _WEIGHT)
        back = self._shape[1:] * self.seconds[1] / self.seconds[1:]
        self.seconds[1:] *= back ** (_DRIFT * (1.0 - shared[1:]))
        self.measured.add(num_tokens)

    def look(self, num_tokens: int, ratio: float) -> None:
        """At load a pass took `ratio` of what was known."""
        self._move(num_tokens, ratio, _LOOK_WEIGHT)
        self._set_shape()

    def _move(self, num_tokens: int, ratio: float, weight: float) -> Seconds:
        """Returns how much each size shares in it, (max_tokens + 1,)."""
        shared: Seconds = np.exp(-np.abs(self._logs - self._logs[num_tokens]) / _REACH)
        self.seconds = self.seconds * ratio ** (weight * shared)
        return shared

    def _set_shape(self) -> None:
        self._shape = self.seconds / self.seconds[1]


class CostTable:
    """The passes of a pair: the target's, by number of tokens, and the draft's."""

    def __init__(
        self, target: Mapping[int, float], draft: Mapping[int, float], max_tokens: int
    ) -> None:
        """Seconds by number of tokens, measured on a short context; `draft` may be empty."""
        self._max_tokens = max_tokens
        self._tables = {"target": {0: PassCosts(target, max_tokens)}}
        if draft:
            self._tables["draft"] = {0: PassCosts(draft, max_tokens)}

    @property
    def has_draft(self) -> bool:
        return "draft" in self._tables

    def target(self, bucket: int) -> Seconds:
        """Seconds by number of tokens, (max_tokens + 1,)."""
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
        self._table(model, bucket).observe(num_tokens, seconds)

    def look(self, model: str, num_tokens: int, seconds: float) -> None:
        """The same at load, on a short context: what it tells holds for every range of contexts."""
        tables = self._tables[model]
        first = tables[min(tables)]
        ratio = seconds / float(first.seconds[num_tokens])
        for table in tables.values():
            table.look(num_tokens, ratio)
        first.measured.add(num_tokens)

    def report(self) -> dict[str, Any]:
        """Seconds by model, range of context and number of tokens, for JSON."""
        return {
            model: {
                str(bucket): {str(n): s for n, s in table.points.items()}
                for bucket, table in tables.items()
            }
            for model, tables in self._tables.items()
        }

    @classmethod
    def from_report(cls, report: Mapping[str, Any], max_tokens: int) -> CostTable:
        """Raises ValueError, KeyError or TypeError on anything that `report` did not make."""
        tables = {
            model: {int(bucket): _points(points, max_tokens) for bucket, points in buckets.items()}
            for model, buckets in report.items()
        }
        first = {model: by_bucket[min(by_bucket)] for model, by_bucket in tables.items()}
        costs = cls(first["target"], first.get("draft", {}), max_tokens)
        for model, by_bucket in tables.items():
            costs._tables[model] = {
                bucket: PassCosts(points, max_tokens) for bucket, points in by_bucket.items()
            }
        return costs


def _points(points: Mapping[str, Any], max_tokens: int) -> dict[int, float]:
    known = {int(n): float(seconds) for n, seconds in points.items()}
    if (
        not known
        or min(known) < 1
        or max(known) > max_tokens
        or not all(0.0 < s < 1e4 for s in known.values())
    ):
        raise ValueError("costs must be seconds above 0")
    return known
