"""When to stop drafting: optimal stopping of a renewal-reward process.

Rounds follow each other like renewals: a round commits N tokens in S seconds, and in the long run
the speed is E[N] / E[S] (the renewal-reward theorem; Ross, Stochastic Processes, 1996, 3.6). To
maximise a ratio, subtract (Dinkelbach, Management Science 13, 1967): with the best achievable rate
r, the best round maximises E[N] - r E[S], and that maximum is 0. So one more guess is worth its
chance to be committed, minus r times the seconds that it adds, and drafting ends when no
continuation is worth more than its cost.

The chance of a guess is the product of its own acceptance rate and those before it, the
*survival*. A model's guess costs a draft pass before its evidence (its own probability) is known,
so what a further pass is worth depends on the evidence that may come: backward induction over
(guesses so far, survival, last evidence), with the learned flow of evidence, gives the exact answer
for that model of the text. Costs need not be convex: a pass of four tokens may cost less than one
of three.
"""

from __future__ import annotations

from math import log

import numpy as np

from localspec.engine.costs import Seconds
from localspec.engine.estimates import Rates

_STEP = 0.1
"""Width of a level of survival, in its logarithm."""
_LEVELS = 36
"""Down to a survival of 0.03, below which nothing is drafted."""
_NEVER = -1e9
_SURVIVAL = np.exp(-_STEP * np.arange(_LEVELS))


class StoppingRule:
    """Values, in tokens, of stopping and of going on, at one rate."""

    def __init__(
        self,
        rate: float,
        target_s: Seconds,
        draft_s: float | None,
        accepted: Rates,
        flow: Rates,
        max_guesses: int,
        sizes: frozenset[int] | None = None,
    ) -> None:
        """`rate` in tokens per second; `target_s` by tokens of the pass; `draft_s` of one draft
        pass, None without a model; `accepted` (bins,); `flow` (states, bins); `sizes` of the
        passes that may be made, in tokens, None for any."""
        self.rate = rate
        self.stop = -rate * target_s[1:]
        """Of ending the draft after k guesses, by k."""
        if sizes is not None:
            allowed = [size in sizes for size in range(1, len(target_s))]
            self.stop = np.where(allowed, self.stop, _NEVER)
        most = min(max_guesses, len(self.stop) - 1)
        self._go = np.full((most + 1, _LEVELS + 1, len(flow)), -np.inf)
        if draft_s is not None:
            self._induce(most, rate * draft_s, accepted, flow)

    def _induce(self, most: int, step_cost: float, accepted: Rates, flow: Rates) -> None:
        bins = np.arange(len(accepted))
        shift = np.round(-np.log(accepted) / _STEP).astype(np.int64)
        after = np.minimum(np.arange(_LEVELS)[:, None] + shift[None, :], _LEVELS)
        gain = _SURVIVAL[:, None] * accepted[None, :]
        for k in range(most - 1, -1, -1):
            kept = gain + np.maximum(self.stop[k + 1], self._go[k + 1][after, bins])
            self._go[k, :_LEVELS] = np.maximum(kept, self.stop[k]) @ flow.T - step_cost

    def go(self, num_guesses: int, survival: float, state: int) -> float:
        """The value of one more guess by the model and the best continuation."""
        if num_guesses >= len(self._go):
            return -np.inf
        level = round(-log(survival) / _STEP) if survival > 0.0 else _LEVELS
        return float(self._go[num_guesses, min(level, _LEVELS), state])

    def best(self, num_guesses: int, survival: float, state: int) -> float:
        return max(float(self.stop[num_guesses]), self.go(num_guesses, survival, state))
