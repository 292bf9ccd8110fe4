"""From a row of logits to the distribution that the next token is drawn from.

Order of the chain: penalties, logit bias, grammar, temperature, top-k, top-p, min-p, renormalise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from localspec.engine.arrays import Logits, Tokens
from localspec.engine.constrained import dead_end, possible, surviving
from localspec.engine.distribution import Distribution, Floats, Ids, point_mass
from localspec.engine.grammar import Grammar
from localspec.engine.noise import Noise
from localspec.engine.params import SamplingParams
from localspec.engine.shaping import Shaping
from localspec.engine.truncation import candidates, truncate
from localspec.errors import NativeFailure

__all__ = ["Distribution", "Floats", "Ids", "Sampler", "SamplingParams", "point_mass"]

MIN_TEMPERATURE = 1e-6
"""Below it only the likeliest token has any probability left."""


class Sampler:
    """Turns rows of logits into distributions, by one reply's parameters.

    Penalties and grammar see the committed tokens and those ahead of them that this round has
    accepted so far. `begin` and `commit` move that state, and nothing else does.
    """

    def __init__(self, params: SamplingParams, grammar: Grammar | None = None) -> None:
        """The grammar stays the caller's to close."""
        self.params = params
        self._grammar = grammar
        self._shaping = Shaping(params)
        self._noise = Noise(params.seed)
        self._num_committed = 0
        # Only for guesses that are drawn and tested by ratio, each with a stream of its own.
        target, draft = np.random.SeedSequence(params.seed).spawn(2)
        self.target_rng = np.random.default_rng(target)
        self.draft_rng = np.random.default_rng(draft)

    @property
    def greedy(self) -> bool:
        return self.params.temperature < MIN_TEMPERATURE

    def begin(self, prompt: Sequence[int] | Tokens) -> None:
        """Start a reply: penalties look at the end of the prompt too."""
        self._shaping.begin(prompt)
        self._num_committed = 0

    def commit(self, tokens: Sequence[int]) -> None:
        """Move the state by the tokens that a round committed."""
        self._shaping.commit(tokens)
        self._num_committed += len(tokens)
        if self._grammar is not None:
            self._grammar.commit(tokens)

    def pick(self, distribution: Distribution, offset: int = 0) -> int:
        """The token that a distribution says `offset` places after the committed ones: the same
        for a seed, however it comes to be asked."""
        return self._noise.pick(distribution, self._num_committed + offset)

    def distribution(self, logits: Logits, ahead: Sequence[int] = ()) -> Distribution:
        """The target's distribution by one row, (n_vocab,), after the committed tokens and
        `ahead`, the accepted part of this round's draft."""
        if self._grammar is None:
            return self.draft_distribution(logits, ahead)
        _best(logits)
        row = self._shaping.row(logits, ahead)
        count = 1 if self.greedy else self.params.top_k or len(row)
        ids = surviving(row, self.params, count, self._grammar, ahead)
        if len(ids) == 0:
            return dead_end(row, self._grammar)
        return point_mass(int(ids[0])) if self.greedy else truncate(row, ids, self.params)

    def draft_distribution(self, logits: Logits, ahead: Sequence[int] = ()) -> Distribution:
        """The same without the grammar: a draft that breaks it is rejected, which costs speed."""
        best = _best(logits)
        row = self._shaping.row(logits, ahead)
        if row is not logits:
            best = int(row.argmax())
            if row[best] == -np.inf:
                raise NativeFailure("The logit bias bans every token.")
        if self.greedy:
            return point_mass(best)
        ids = candidates(row, self.params)
        return truncate(row, ids if row is logits else possible(row, ids), self.params)


def _best(logits: Logits) -> int:
    """The likeliest id of a row, and a look at the whole of it."""
    best = int(logits.argmax())
    if not np.isfinite(logits[best]):
        # argmax finds a NaN first, so this one look covers the row.
        raise NativeFailure(
            "The model's output is not finite: its file is damaged.", "Pull it again."
        )
    return best
