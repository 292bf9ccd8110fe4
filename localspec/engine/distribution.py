"""Probabilities of the next token: a short sorted list of ids; a point mass when greedy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Distribution:
    """Probabilities over the ids that survive truncation."""

    ids: Ids
    """Ascending, (n,)."""
    probs: Floats
    """Sum to 1, (n,)."""

    def probability(self, token: int) -> float:
        index = int(np.searchsorted(self.ids, token))
        found = index < len(self.ids) and self.ids[index] == token
        return float(self.probs[index]) if found else 0.0

    def sample(self, rng: np.random.Generator) -> int:
        """Draw an id. A single candidate costs no random number."""
        if len(self.ids) == 1:
            return int(self.ids[0])
        cumulative = np.cumsum(self.probs)
        index = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
        return int(self.ids[min(index, len(self.ids) - 1)])


def point_mass(token: int) -> Distribution:
    return Distribution(np.array([token], np.int64), np.ones(1))
