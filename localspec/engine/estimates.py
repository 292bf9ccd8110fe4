"""What is learned of a source while it drafts: how often a guess with certain evidence is accepted,
and which evidence follows which. Counts decay, so that the text at hand weighs more than the past.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from localspec.engine.evidence import NUM_MODEL_EVIDENCE

Rates = npt.NDArray[np.float64]

STARTS = ("plain", "accepted", "rejected", "free", "copying")
"""What came before a round's first guess by the model: a plain pass, a draft that was accepted
whole, one that was rejected, a free draft in the same round; or, whatever came before, a free
source that is likely right."""
NUM_STATES = NUM_MODEL_EVIDENCE + len(STARTS)


def start_state(name: str) -> int:
    return NUM_MODEL_EVIDENCE + STARTS.index(name)


@dataclass(frozen=True, slots=True)
class Memory:
    """How estimates weigh old and new."""

    decay: float = 0.99
    """What an observation leaves of the weight of earlier ones."""
    strength: float = 30.0
    """Observations that the prior is worth."""
    step: float = 0.4
    """How far one observation moves all rows of its source together, in log-odds."""


class AcceptanceRates:
    """The chance that a guess is accepted, by row of evidence, (rows,).

    Counts of a row's own, and a shift of the whole prior in log-odds, by a gradient step on the
    log-likelihood: a text that suits the source better or worse shows in any row first.
    """

    def __init__(self, prior: Sequence[float], memory: Memory) -> None:
        prior_rates = np.clip(np.asarray(prior, np.float64), 0.005, 0.995)
        self._log_odds = np.log(prior_rates / (1.0 - prior_rates))
        self._shift = 0.0
        self._memory = memory
        self._accepted = np.zeros(len(prior))
        self._tested = np.zeros(len(prior))
        self.rates: Rates = prior_rates

    def observe(self, row: int, accepted: float) -> None:
        """A guess of this row would have been accepted with this probability."""
        memory = self._memory
        expected = float(self.rates[row])
        self._shift = self._shift * memory.decay + memory.step * (accepted - expected)
        self._accepted[row] = self._accepted[row] * memory.decay + accepted
        self._tested[row] = self._tested[row] * memory.decay + 1.0
        shifted = 1.0 / (1.0 + np.exp(-self._log_odds - self._shift))
        seen = self._tested + memory.strength
        rates = (self._accepted + memory.strength * shifted) / seen
        self.rates = np.clip(rates, 0.005, 0.995)


class EvidenceFlow:
    """How likely each evidence of the model is after each state, (states, rows)."""

    def __init__(self, prior: Sequence[Sequence[float]], memory: Memory) -> None:
        self._prior = np.asarray(prior, np.float64)
        self._prior /= self._prior.sum(axis=1, keepdims=True)
        self._memory = memory
        self._counts = np.zeros_like(self._prior)
        self.shares: Rates = self._prior.copy()

    def observe(self, state: int, evidence: int) -> None:
        counts = self._counts[state]
        counts *= self._memory.decay
        counts[evidence] += 1.0
        weighed = counts + self._memory.strength * self._prior[state]
        self.shares[state] = weighed / weighed.sum()


@dataclass(slots=True)
class Experience:
    """All that is learned at one temperature. `drawn` rates are of guesses that the source's
    distribution picks with the target's noise, `certain` ones of its likeliest token; a greedy
    reply has only these."""

    flow: EvidenceFlow
    certain: dict[str, AcceptanceRates] = field(default_factory=dict)
    drawn: dict[str, AcceptanceRates] = field(default_factory=dict)

    @classmethod
    def from_prior(cls, prior: Mapping[str, Any], memory: Memory | None = None) -> Experience:
        memory = memory or Memory()
        return cls(
            EvidenceFlow(prior["flow"], memory),
            {name: AcceptanceRates(rates, memory) for name, rates in prior["certain"].items()},
            {name: AcceptanceRates(rates, memory) for name, rates in prior["drawn"].items()},
        )
