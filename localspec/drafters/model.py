"""A small model of the same tokenizer drafts, one token after the other."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from localspec.engine.arrays import Logits, Tokens
from localspec.engine.evidence import NUM_PROBABILITY_BINS, probability_bin, top_probability
from localspec.engine.interface import Decoder, Proposal
from localspec.engine.reading import common_prefix, read_in_chunks, read_whole
from localspec.engine.sampling import Sampler
from localspec.errors import NativeFailure


class ModelSource:
    """Greedy replies get the draft's likeliest tokens; sampled ones may draw from its
    distribution after the same chain.

    The draft's cache is reused: after a round it keeps `n_past + min(accepted, k - 1) + 1` tokens,
    because the last guess was never decoded. A failure turns this source off, not the reply.
    """

    name = "draft"
    num_evidence = NUM_PROBABILITY_BINS

    def __init__(
        self,
        decoder: Decoder,
        n_vocab: int | None = None,
        on_failure: Callable[[str], None] = lambda reason: None,
    ) -> None:
        """`n_vocab` is the target's: ids that it doesn't have are not even thought of.
        `on_failure` may free the decoder: it is not used again."""
        self.decoder = decoder
        self._n_vocab = min(n_vocab or decoder.n_vocab, decoder.n_vocab)
        self.off_reason = ""
        self._full = f"the draft's context of {decoder.n_ctx} tokens is full"
        self._failed = False
        self._on_failure = on_failure

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        if self.off_reason == self._full:
            # Another reply, perhaps a shorter one.
            self.off_reason = ""
        if not self._can_read(tokens) or not self._has_room(tokens):
            return
        try:
            yield from read_in_chunks(self.decoder, tokens[:-1])
        except NativeFailure as error:
            self._fail(error)

    def propose(self, tokens: Tokens, ahead: Sequence[int], sampler: Sampler) -> Proposal | None:
        if not ahead:
            self.commit(tokens)
        text = np.concatenate((tokens, np.array(ahead, np.int32)))
        pending = text[len(self.decoder.tokens) :]
        if not self._can_read(pending) or not self._has_room(text, ahead):
            return None
        try:
            logits = self._read(pending, text, first=not ahead)
        except NativeFailure as error:
            self._fail(error)
            return None
        return _proposal(logits[0, : self._n_vocab], ahead, sampler)

    def _read(self, pending: Tokens, text: Tokens, first: bool) -> Logits:
        if len(pending) > self.decoder.max_batch:
            read_whole(self.decoder, text[:-1])
            pending = text[-1:]
        logits = self.decoder.decode(pending, 1)
        if first:
            # What is committed is in the cache now: the place to come back to after the guesses.
            self.decoder.mark()
        return logits

    def lag(self, tokens: Tokens, ahead: Sequence[int]) -> int:
        return len(tokens) + len(ahead) - len(self.decoder.tokens)

    def commit(self, tokens: Tokens) -> None:
        if self._failed:
            return
        keep = common_prefix(self.decoder.tokens, tokens[:-1])
        if keep < len(self.decoder.tokens):
            self.decoder.rollback(keep)

    def _fail(self, error: NativeFailure) -> None:
        self.off_reason = f"the draft model failed: {error.message.rstrip('.')}"
        self._failed = True
        self._on_failure(self.off_reason)

    def _has_room(self, text: Tokens, ahead: Sequence[int] = ()) -> bool:
        """A draft may be cut short by the end of the context; committed text beyond it is final."""
        if len(text) - len(ahead) > self.decoder.n_ctx:
            self.off_reason = self._full
        return len(text) <= self.decoder.n_ctx

    def _can_read(self, tokens: Tokens) -> bool:
        """Whether the draft has all these ids: padded vocabularies differ in length."""
        if not self.off_reason and len(tokens) and int(tokens.max()) >= self.decoder.n_vocab:
            self.off_reason = f"token {int(tokens.max())} is not in the draft's vocabulary"
        return not self.off_reason


def _proposal(row: Logits, ahead: Sequence[int], sampler: Sampler) -> Proposal:
    probs = sampler.draft_distribution(row, ahead)
    if sampler.greedy:
        token = int(probs.ids[0])
        return Proposal(token, probability_bin(top_probability(row, token)))
    best = int(probs.probs.argmax())
    return Proposal(int(probs.ids[best]), probability_bin(float(probs.probs[best])), probs)
