"""Random numbers by place, so that a seed writes the same reply whatever was drafted.

The Gumbel-max trick: the token with the greatest log-probability plus Gumbel noise is a fair draw.
The noise depends on the seed, the place in the reply and the id only. The target's token at a place
is thus fixed before anything is drafted, a draft is accepted when it is that token, and a draft
model that is asked with the same noise very often says it: with chance sum_x 1 / sum_y
max(target_y / target_x, draft_y / draft_x), close to the best possible for the short lists that
truncation leaves (Daliri, Musco and Suresh 2024, drafter-invariant speculative decoding).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from localspec.engine.distribution import Distribution, Floats

_Words = npt.NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LONGEST = 4096
"""Noise for each id of a longer list would cost milliseconds: one number must do."""
_LONGEST_COUPLING = 64


class Noise:
    """One reply's randomness."""

    def __init__(self, seed: int) -> None:
        self._seed = _mixed(np.array([seed & (2**64 - 1)], np.uint64))

    def pick(self, distribution: Distribution, place: int) -> int:
        """The id that is drawn at this place of the reply."""
        ids, probs = distribution.ids, distribution.probs
        if len(ids) == 1:
            return int(ids[0])
        state = _mixed(self._seed ^ (np.array([place], np.uint64) * _GOLDEN))
        if len(ids) > _LONGEST:
            cumulative = np.cumsum(probs)
            at = float(_uniform(_mixed(state))[0]) * cumulative[-1]
            return int(ids[min(int(np.searchsorted(cumulative, at, "right")), len(ids) - 1)])
        noise = _uniform(_mixed(state ^ (ids.astype(np.uint64) * _FIRST)))
        # Gumbel-max in the form of exponential races: the least waiting time wins.
        with np.errstate(divide="ignore"):
            return int(ids[np.argmin(-np.log(noise) / probs)])


def _mixed(words: _Words) -> _Words:
    """SplitMix64 (Steele, Lea and Flood 2014)."""
    words = words + _GOLDEN
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def _uniform(words: _Words) -> Floats:
    """In (0, 1)."""
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def coupling(first: Distribution, second: Distribution) -> float:
    """How likely both pick the same id at a place."""
    if len(first.ids) > _LONGEST_COUPLING or len(second.ids) > _LONGEST_COUPLING:
        _, left, right = np.intersect1d(
            first.ids, second.ids, assume_unique=True, return_indices=True
        )
        return float(np.minimum(first.probs[left], second.probs[right]).sum())
    ids = np.union1d(first.ids, second.ids)
    one, other = np.zeros(len(ids)), np.zeros(len(ids))
    one[np.searchsorted(ids, first.ids)] = first.probs
    other[np.searchsorted(ids, second.ids)] = second.probs
    shared = (one > 0.0) & (other > 0.0)
    one_ratios = one[None, :] / one[shared, None]
    other_ratios = other[None, :] / other[shared, None]
    return float((1.0 / np.maximum(one_ratios, other_ratios).sum(axis=1)).sum())
