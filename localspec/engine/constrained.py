"""What a grammar leaves of a row, without asking it about the whole vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from localspec.engine.arrays import Logits
from localspec.engine.distribution import Distribution, Floats, Ids, point_mass
from localspec.engine.grammar import Grammar
from localspec.engine.params import SamplingParams
from localspec.engine.truncation import best_of, floor, top_k
from localspec.errors import UsageError

_LOOKS = (128, 2048)
"""How many of the likeliest ids a grammar is asked about first, and then."""


def surviving(
    row: Logits, params: SamplingParams, count: int, grammar: Grammar, ahead: Sequence[int]
) -> Ids:
    """The `count` likeliest ids that the grammar allows, ascending; fewer if there are no more, or
    if the rest of the chain drops the missing ones for certain.

    The chain ends where it would if the whole row had been masked first. The likeliest ids are
    asked about, and everything only where they don't settle it.
    """

    def allowed(ids: Ids) -> Ids:
        return possible(row, ids[grammar.allowed(ids, ahead)])

    if count == 1 and len(best := allowed(np.array([row.argmax()]))):
        return best
    for size in _LOOKS:
        looked = top_k(row, min(size, len(row)))
        near = allowed(looked)
        if len(near) >= count:
            return best_of(row, near, count)
        if len(near) and _settles(row, looked, near, count, params):
            return near
    return best_of(row, possible(row, grammar.all_allowed(ahead)), count)


def _settles(row: Logits, looked: Ids, near: Ids, count: int, params: SamplingParams) -> bool:
    """Whether top-p or min-p leave the same of `near`, what is allowed of `looked`, however much
    of the rest of the row is allowed."""
    best, least = float(row[near].max()), float(row[looked].min())
    if params.top_p == 1.0:
        return params.min_p > 0.0 and least < floor(best, params)
    # What is above `best` was looked at, so its weight doesn't matter.
    rest = (count - len(near)) * float(_weights(np.array([least]), best, params)[0])
    if count >= len(row):
        rest = float(_weights(row, best, params).sum() - _weights(row[looked], best, params).sum())
    probs = np.sort(_weights(row[near], best, params))[::-1]
    mass = float(probs.sum())
    # The sums are right to a millionth; a hundred thousandth is added for that.
    low, high = params.top_p * mass * (1 - 1e-5), params.top_p * (mass + rest) * (1 + 1e-5)
    before = np.cumsum(probs) - probs
    return high < mass and int((before < low).sum()) == int((before < high).sum())


def _weights(logits: Logits, best: float, params: SamplingParams) -> Floats:
    """Probabilities relative to the best one, in float32: quick for a whole row."""
    scale = np.float32(1.0 / params.temperature)
    shifted = np.minimum(logits - np.float32(best), np.float32(0.0)) * scale
    weights: Floats = np.exp(shifted).astype(np.float64)
    return weights


def possible(row: Logits, ids: Ids) -> Ids:
    """Those that no bias bans."""
    return ids[row[ids] > -np.inf]


def dead_end(row: Logits, grammar: Grammar) -> Distribution:
    """Nothing may follow, as where a bias bans what the grammar needs: the reply ends."""
    ends = np.array(sorted(grammar.end_tokens), np.int64)
    if len(ends) == 0:
        raise UsageError("The grammar leaves no token that may follow, and the model has no end.")
    return point_mass(int(best_of(row, ends, 1)[0]))
