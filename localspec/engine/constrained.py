"""What a grammar leaves of a row, without asking it about the whole vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from localspec.engine.distribution import Distribution, Ids, point_mass
from localspec.engine.grammar import Grammar
from localspec.engine.interface import Logits
from localspec.engine.params import SamplingParams
from localspec.engine.truncation import best_of, floor, only_min_p, top_k
from localspec.errors import UsageError

_FIRST_LOOK = 128
"""Ids that a grammar is asked about first: in free text, enough of them survive."""
_MOST_LOOKED = 2048
"""Asking about more costs as much as asking about everything where little may follow."""


def surviving(
    row: Logits, params: SamplingParams, count: int, grammar: Grammar, ahead: Sequence[int]
) -> Ids:
    """The `count` likeliest ids that the grammar allows, ascending; fewer if there are no more.

    They are those of masking the whole row first: the likeliest ids are asked about, and if too few
    of them are allowed, everything. With min-p as the only cut, ids that it drops may be missing.
    """

    def allowed(ids: Ids) -> Ids:
        return possible(row, ids[grammar.allowed(ids, ahead)])

    if count == 1 and len(best := allowed(np.array([row.argmax()]))):
        return best
    if count < len(row):
        looked = min(max(_FIRST_LOOK, 2 * count), len(row))
        near = allowed(top_k(row, looked))
        wider = 2 * looked * count // max(1, len(near))
        if len(near) < count and wider <= _MOST_LOOKED:
            near = allowed(top_k(row, min(wider, len(row))))
        if len(near) >= count:
            return best_of(row, near, count)
    elif only_min_p(params):
        near = allowed(top_k(row, min(_FIRST_LOOK, len(row))))
        if len(near):
            return allowed(np.flatnonzero(row >= floor(float(row[near].max()), params)))
    return best_of(row, possible(row, grammar.all_allowed(ahead)), count)


def possible(row: Logits, ids: Ids) -> Ids:
    """Those that no bias bans."""
    return ids[row[ids] > -np.inf]


def dead_end(row: Logits, grammar: Grammar) -> Distribution:
    """Nothing may follow, as where a bias bans what the grammar needs: the reply ends."""
    ends = np.array(sorted(grammar.end_tokens), np.int64)
    if len(ends) == 0:
        raise UsageError("The grammar leaves no token that may follow, and the model has no end.")
    return point_mass(int(best_of(row, ends, 1)[0]))
