"""Which draft tokens stand, and what the target says next.

Speculative sampling (Leviathan et al. 2023, algorithm 1; Chen et al. 2023, algorithm 2): a draft
token x sampled from draft_probs is accepted with min(1, target_probs[x] / draft_probs[x]); after a
rejection the recovered token is drawn from max(target_probs - draft_probs, 0), renormalised. A
certain draft is a point mass, so the ratio is target_probs[x] and the residual is the target
without x. Greedy needs no rule of its own: its target is a point mass.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from localspec.engine.interface import Draft, Guess, Score
from localspec.engine.sampling import Distribution, point_mass


def accept(
    draft: Draft, target: Callable[[int], Distribution], rng: np.random.Generator
) -> tuple[int, int]:
    """Return (accepted tokens, the recovered or bonus token).

    `target(i)` is the target's distribution after the first i draft tokens; it is asked in order
    and not beyond the first rejection.
    """
    for position, guess in enumerate(draft.guesses):
        token = guess.token
        target_probs = target(position)
        draft_probs = guess.probs if guess.drawn and guess.probs else point_mass(token)
        ratio = target_probs.probability(token) / draft_probs.probability(token)
        if ratio < 1.0 and rng.random() >= ratio:
            return position, residual(target_probs, draft_probs).sample(rng)
    return len(draft.guesses), target(len(draft.guesses)).sample(rng)


def overlap(first: Distribution, second: Distribution) -> float:
    """How likely a token drawn from one is accepted by the other: sum of min(first, second)."""
    _, left, right = np.intersect1d(first.ids, second.ids, assume_unique=True, return_indices=True)
    return float(np.minimum(first.probs[left], second.probs[right]).sum())


def score(guess: Guess, target_probs: Distribution) -> Score:
    """What the target's distribution at a guess's position says of it, however it fell."""
    offered = guess.probs
    if offered is None:
        return Score(target_probs.probability(guess.token))
    best = int(offered.ids[offered.probs.argmax()])
    return Score(target_probs.probability(best), overlap(offered, target_probs))


def residual(target_probs: Distribution, draft_probs: Distribution) -> Distribution:
    """max(target - draft, 0), renormalised, over the target's ids."""
    index = np.searchsorted(draft_probs.ids, target_probs.ids)
    index = np.minimum(index, len(draft_probs.ids) - 1)
    shared = draft_probs.ids[index] == target_probs.ids
    left = np.maximum(target_probs.probs - np.where(shared, draft_probs.probs[index], 0.0), 0.0)
    mass = left.sum()
    # Equal distributions are never rejected; rounding may still bring us here with nothing left.
    return Distribution(target_probs.ids, left / mass) if mass > 0.0 else target_probs
