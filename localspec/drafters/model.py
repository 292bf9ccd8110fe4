"""A small model of the same tokenizer drafts, one token after the other."""

from collections.abc import Iterator

import numpy as np

from localspec.engine.engine import common_prefix, read_in_chunks
from localspec.engine.interface import Decoder, Draft, Tokens
from localspec.engine.sampling import Distribution, Sampler
from localspec.errors import NativeFailure


class ModelDrafter:
    """Greedy replies get the draft's likeliest tokens, sampled ones tokens drawn from its
    distribution after the same chain, whose probabilities go with the draft.

    The draft's cache is reused: after a round it keeps `n_past + min(accepted, k - 1) + 1` tokens,
    because the last guess was never decoded. A failure turns drafting off, not the reply.
    """

    name = "draft"

    def __init__(self, decoder: Decoder, end_tokens: frozenset[int] = frozenset()) -> None:
        self.decoder = decoder
        self.end_tokens = end_tokens
        self.off_reason = ""

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        if not self._can_read(tokens):
            return
        try:
            yield from read_in_chunks(self.decoder, tokens[:-1])
        except NativeFailure as error:
            self.off_reason = f"the draft model failed: {error.message}"

    def draft(self, tokens: Tokens, max_tokens: int, sampler: Sampler) -> Draft:
        self.commit(tokens)
        most = min(max_tokens, self.decoder.n_ctx - len(tokens) + 1)
        pending = tokens[len(self.decoder.tokens) :]
        if most < 1 or not self._can_read(pending):
            return Draft()
        try:
            return self._guess(pending, most, sampler)
        except NativeFailure as error:
            self.off_reason = f"the draft model failed: {error.message}"
            return Draft()

    def _guess(self, pending: Tokens, most: int, sampler: Sampler) -> Draft:
        if len(pending) > self.decoder.max_batch:
            for _ in read_in_chunks(self.decoder, np.append(self.decoder.tokens, pending[:-1])):
                pass
            pending = pending[-1:]
        guesses: list[int] = []
        probs: list[Distribution] = []
        batch: Tokens | list[int] = pending
        while True:
            distribution = sampler.draft_distribution(self.decoder.decode(batch, 1)[0], guesses)
            token = distribution.sample(sampler.draft_rng)
            guesses.append(token)
            probs.append(distribution)
            if len(guesses) == most or token in self.end_tokens:
                return Draft(tuple(guesses), None if sampler.greedy else tuple(probs), self.name)
            batch = [token]

    def commit(self, tokens: Tokens) -> None:
        keep = common_prefix(self.decoder.tokens, tokens[:-1])
        if keep < len(self.decoder.tokens):
            self.decoder.rollback(keep)

    def _can_read(self, tokens: Tokens) -> bool:
        """Whether the draft has all these ids: padded vocabularies differ in length."""
        if not self.off_reason and len(tokens) and int(tokens.max()) >= self.decoder.n_vocab:
            self.off_reason = f"token {int(tokens.max())} is not in the draft's vocabulary"
        return not self.off_reason
