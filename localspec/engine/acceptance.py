"""Which draft tokens stand, and what the target says next.

A certain guess stands when it is the token that the target picks at its place: that is so with the
chance target_probs[x], and the target's pick is a fair draw in any case. Greedy is the same rule.

A drawn guess goes through speculative sampling (Leviathan et al. 2023, algorithm 1; Chen et al.
2023, algorithm 2): x from draft_probs is accepted with min(1, target_probs[x] / draft_probs[x]);
after a rejection the recovered token is drawn from max(target_probs - draft_probs, 0),
renormalised.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from localspec.engine.distribution import Distribution
from localspec.engine.interface import Draft, Guess, Score
from localspec.engine.noise import coupling

Pick = Callable[[Distribution, int], int]
"""The token that a distribution says at a position of the round."""


def accept(
    draft: Draft, target: Callable[[int], Distribution], pick: Pick, rng: np.random.Generator
) -> tuple[int, int]:
    """Return (accepted tokens, the recovered or bonus token).

    `target(i)` is the target's distribution after the first i draft tokens; it is asked in order
    and not beyond the first rejection.
    """
    for position, guess in enumerate(draft.guesses):
        target_probs = target(position)
        if not guess.drawn or guess.probs is None:
            if (token := pick(target_probs, position)) != guess.token:
                return position, token
            continue
        ratio = target_probs.probability(guess.token) / guess.probs.probability(guess.token)
        if ratio < 1.0 and rng.random() >= ratio:
            return position, residual(target_probs, guess.probs).sample(rng)
    return len(draft.guesses), pick(target(len(draft.guesses)), len(draft.guesses))


def score(guess: Guess, target_probs: Distribution) -> Score:
    """What the target's distribution at a guess's position says of it, however it fell."""
    offered = guess.probs
    if offered is None:
        return Score(target_probs.probability(guess.token))
    best = int(offered.ids[offered.probs.argmax()])
    return Score(target_probs.probability(best), coupling(offered, target_probs))


def residual(target_probs: Distribution, draft_probs: Distribution) -> Distribution:
    """max(target - draft, 0), renormalised, over the target's ids."""
    index = np.searchsorted(draft_probs.ids, target_probs.ids)
    index = np.minimum(index, len(draft_probs.ids) - 1)
    shared = draft_probs.ids[index] == target_probs.ids
    left = np.maximum(target_probs.probs - np.where(shared, draft_probs.probs[index], 0.0), 0.0)
    mass = left.sum()
    # Equal distributions are never rejected; rounding may still bring us here with nothing left.
    return Distribution(target_probs.ids, left / mass) if mass > 0.0 else target_probs
