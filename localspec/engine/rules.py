"""The stopping rule in force: what a round's walk asks, kept while little has changed."""

from __future__ import annotations

import numpy as np

from localspec.engine.costs import CostTable
from localspec.engine.estimates import Experience, start_state
from localspec.engine.stopping import StoppingRule

MAX_MODEL_GUESSES = 16
_HALVINGS = 6
_ROUNDS, _CHANGE = 6, 0.03
"""How long a rule is good for: rounds, and the part by which the rate may move."""


class Rules:
    """Makes rules of one temperature, with or without the draft model."""

    def __init__(
        self, costs: CostTable, experience: Experience, sizes: frozenset[int] | None
    ) -> None:
        self._costs = costs
        self._experience = experience
        self._sizes = sizes
        self._known: StoppingRule | None = None
        self._bucket = 0
        self._age = 0

    def at(self, rate: float, bucket: int, has_model: bool, greedy: bool) -> StoppingRule:
        """Made again when the rate or the context's range has moved, and every few rounds."""
        if bucket != self._bucket:
            self._bucket, self._known = bucket, None
        old = self._known
        self._age += 1
        if old and self._age < _ROUNDS and abs(rate / old.rate - 1.0) < _CHANGE:
            return old
        self._known = self._made(rate, bucket, has_model, greedy)
        self._age = 0
        return self._known

    def expected_rate(self, bucket: int, has_model: bool, greedy: bool) -> float:
        """The rate at which the model's best round is worth just its time: what it can reach."""
        low = 1.0 / float(self._costs.target(bucket)[1])
        high = low * (MAX_MODEL_GUESSES + 1)
        state = start_state("accepted")
        for _ in range(_HALVINGS if has_model else 0):
            middle = (low * high) ** 0.5
            if 1.0 + self._made(middle, bucket, has_model, greedy).best(0, 1.0, state) > 0.0:
                low = middle
            else:
                high = middle
        return low

    def _made(self, rate: float, bucket: int, has_model: bool, greedy: bool) -> StoppingRule:
        rates = self._experience.certain["draft"].rates
        if not greedy:
            rates = np.maximum(rates, self._experience.drawn["draft"].rates)
        draft_s = float(self._costs.draft(bucket)[1]) if has_model else None
        flow = self._experience.flow.shares
        target_s = self._costs.target(bucket)
        return StoppingRule(rate, target_s, draft_s, rates, flow, MAX_MODEL_GUESSES, self._sizes)
