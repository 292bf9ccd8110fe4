"""From a row of logits to the distribution that the next token is drawn from.

Order of the chain: temperature, top-k, top-p, min-p, renormalise. Truncation keeps few ids, so a
distribution is a short sorted list of ids with probabilities; greedy is a point mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from localspec.engine.interface import Logits, Tokens
from localspec.errors import NativeFailure, UsageError

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MIN_TEMPERATURE = 1e-6
"""Below it only the likeliest token has any probability left."""

_BLOCK = 128
"""Width of the blocks whose maxima bound the k-th largest logit."""


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How the next token is drawn. Raises UsageError on a value out of range."""

    temperature: float = 0.7
    """0 is greedy."""
    top_k: int = 40
    """0 keeps all."""
    top_p: float = 0.95
    min_p: float = 0.05
    seed: int = 0
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    """Strings that end the reply; they are not part of it."""

    def __post_init__(self) -> None:
        rules = {
            f"temperature must be between 0 and 10, not {self.temperature}.": (
                0.0 <= self.temperature <= 10.0
            ),
            f"top-k must be 0 or more, not {self.top_k}.": self.top_k >= 0,
            f"top-p must be above 0 and at most 1, not {self.top_p}.": 0.0 < self.top_p <= 1.0,
            f"min-p must be between 0 and 1, not {self.min_p}.": 0.0 <= self.min_p <= 1.0,
            f"seed must be 0 or more, not {self.seed}.": self.seed >= 0,
            f"max-tokens must be 1 or more, not {self.max_tokens}.": (
                self.max_tokens is None or self.max_tokens >= 1
            ),
            "a stop string must not be empty.": all(self.stop),
        }
        for sentence, holds in rules.items():
            if not holds:
                raise UsageError(sentence)


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


class Sampler:
    """Turns rows of logits into distributions, by one reply's parameters."""

    def __init__(self, params: SamplingParams) -> None:
        self.params = params
        # The draft's own stream: with a shared one, drafting would change the target's draws.
        target, draft = np.random.SeedSequence(params.seed).spawn(2)
        self.target_rng = np.random.default_rng(target)
        self.draft_rng = np.random.default_rng(draft)

    @property
    def greedy(self) -> bool:
        return self.params.temperature < MIN_TEMPERATURE

    def begin(self, prompt: Tokens) -> None:
        """A reply starts after this prompt."""

    def commit(self, tokens: Sequence[int]) -> None:
        """Move on by the committed tokens of a round."""

    def distribution(self, logits: Logits, ahead: Sequence[int] = ()) -> Distribution:
        """The target's distribution of one row, (n_vocab,), after the guesses `ahead`."""
        best = int(logits.argmax())
        if not np.isfinite(logits[best]):
            # argmax finds a NaN first, so this one look covers the row.
            raise NativeFailure(
                "The model's output is not finite: its file is damaged.", "Pull it again."
            )
        if self.greedy:
            return point_mass(best)
        params = self.params
        ids = _candidates(logits, params)
        # Float64: a temperature near 0 makes logits that float32 can't subtract.
        scaled = logits[ids].astype(np.float64) / params.temperature
        probs = np.exp(scaled - scaled.max())
        if params.top_p < 1.0:
            ids, probs = _nucleus(ids, probs, params.top_p)
        if params.min_p > 0.0:
            keep = probs >= params.min_p * probs.max()
            ids, probs = ids[keep], probs[keep]
        return Distribution(ids, probs / probs.sum())

    def draft_distribution(self, logits: Logits, ahead: Sequence[int] = ()) -> Distribution:
        """The same chain for a row of the draft model."""
        return self.distribution(logits, ahead)


def _candidates(logits: Logits, params: SamplingParams) -> Ids:
    """Ascending ids that top-k leaves; all of them without top-k."""
    if params.top_k == 0 or params.top_k >= len(logits):
        if params.min_p == 0.0 or params.top_p < 1.0:
            return np.arange(len(logits))
        # A token under the min-p floor is dropped at the end in any case.
        floor = logits.max() + params.temperature * np.log(params.min_p) - 1e-3
        return np.flatnonzero(logits >= floor)
    return _top_k(logits, params.top_k)


def _top_k(logits: Logits, k: int) -> Ids:
    """The ids of the k largest logits, ascending; of equal logits the lower ids."""
    usable = len(logits) // _BLOCK * _BLOCK
    near = np.arange(len(logits))
    if usable // _BLOCK > 2 * k:
        # k blocks have a maximum at or above this bound, so k logits do.
        maxima = logits[:usable].reshape(-1, _BLOCK).max(axis=1)
        bound = np.partition(maxima, len(maxima) - k)[len(maxima) - k]
        near = np.flatnonzero(logits >= bound)
    best = np.argsort(-logits[near], kind="stable")[:k]
    return np.sort(near[best])


def _nucleus(ids: Ids, probs: Floats, top_p: float) -> tuple[Ids, Floats]:
    """The fewest likeliest ids that hold `top_p` of the mass, ascending."""
    order = np.argsort(-probs, kind="stable")
    before = np.cumsum(probs[order]) - probs[order]
    kept = np.sort(order[before < top_p * probs.sum()])
    return ids[kept], probs[kept]
