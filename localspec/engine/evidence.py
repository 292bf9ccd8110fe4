"""How a draft model's own probability becomes a row of its acceptance table."""

from bisect import bisect_right

import numpy as np

from localspec.engine.arrays import Logits

PROBABILITY_EDGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995)
"""Finer near 1, where a long draft is decided."""
NUM_PROBABILITY_BINS = len(PROBABILITY_EDGES) + 1


NUM_MODEL_EVIDENCE = 3 * NUM_PROBABILITY_BINS
"""A guess of the model alone, one that a free source shares, and one that it contradicts."""
LIKELY = 0.5
"""Acceptance rate from which a free source's word counts beside the model's."""


def model_evidence(probability_row: int, token: int, free: tuple[int, float] | None) -> int:
    """The row of a model's guess, given a free source's (token, acceptance rate) for its place."""
    if free is None or free[1] < LIKELY:
        return probability_row
    return probability_row + NUM_PROBABILITY_BINS * (1 if free[0] == token else 2)


def probability_bin(probability: float) -> int:
    return bisect_right(PROBABILITY_EDGES, probability)


def top_probability(logits: Logits, token: int) -> float:
    """The probability at temperature 1 of a `token` of a row, (n_vocab,)."""
    most = logits.max()
    return float(np.exp(logits[token] - most) / np.exp(logits - most).sum())
