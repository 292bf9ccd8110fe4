"""The one loop: prefill, then rounds of draft, verify, accept, commit.

At the top of every round, and after every exit, the target's cache holds every committed token but
the last.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import suppress
from time import perf_counter

import numpy as np

from localspec.engine.acceptance import accept, score
from localspec.engine.arrays import Tokens
from localspec.engine.grammar import Grammar
from localspec.engine.interface import (
    Decoder,
    Draft,
    Drafter,
    FinishReason,
    Limits,
    Prefill,
    Round,
    Verdict,
)
from localspec.engine.reading import common_prefix, read_in_chunks, read_whole
from localspec.engine.sampling import Distribution, Sampler, SamplingParams
from localspec.errors import ContextTooSmall, NativeFailure, UsageError

MAX_REPLAY = 8
"""Committed tokens that a pass with drafts may have to read again."""

Generation = Generator[Prefill | Round, int | None, None]


class Engine:
    """Generates with one target. Not for two threads: the decoder is not."""

    def __init__(self, target: Decoder) -> None:
        self.target = target

    def generate(
        self,
        prompt: Sequence[int] | Tokens,
        params: SamplingParams,
        limits: Limits,
        drafter: Drafter,
        grammar: Grammar | None = None,
    ) -> Generation:
        """Yield the progress of the prompt, then rounds; the last one has a finish reason.

        A consumer that ends the reply inside a round sends back how many of its tokens to keep.
        `close()` stops after the round shown last. The grammar stays the caller's to close. Raises
        UsageError on an empty prompt or an impossible id, ContextTooSmall when no token fits behind
        the prompt.
        """
        committed = _checked_prompt(prompt, self.target)
        params.check_ids(self.target.n_vocab)
        sampler = Sampler(params, grammar)
        sampler.begin(committed)
        history = _History(committed, self.target.n_ctx + 1)
        try:
            yield from self._prefill(history.tokens, drafter)
            history.is_read = True
            while True:
                room = self._room(history, limits)
                round_ = self._round(history, sampler, limits, drafter, room)
                history.extend(round_.tokens)
                sampler.commit(round_.tokens)
                self._commit(history.tokens, drafter)
                kept = yield round_
                if kept is not None and kept < len(round_.tokens):
                    history.drop(len(round_.tokens) - kept)
                    return
                if round_.finish_reason is not None or kept is not None:
                    return
        finally:
            self._commit(history.tokens, drafter)
            if history.is_read:
                self._read_again(history.tokens)

    def _prefill(self, prompt: Tokens, drafter: Drafter) -> Generation:
        """Bring both caches to the prompt, in chunks; the last token is left to the first round."""
        target = self.target
        num_cached = common_prefix(target.tokens, prompt[:-1])
        target.rollback(num_cached)
        num_cached = len(target.tokens)
        total = len(prompt) - 1
        yield Prefill(num_cached, total, num_cached)
        for num_read, _ in read_in_chunks(target, prompt[:-1]):
            yield Prefill(num_read, total, num_cached)
        for num_read, num_total in drafter.prepare(prompt):
            yield Prefill(num_read, num_total, model="draft")

    def _room(self, history: _History, limits: Limits) -> int:
        """Tokens that this round may commit: within the limit, the context and the outputs."""
        room = self.target.n_ctx - len(history.tokens) + 1
        if limits.max_tokens is not None:
            room = min(room, limits.max_tokens - history.num_generated)
        return min(room, self.target.max_logits, self.target.max_batch)

    def _round(
        self,
        history: _History,
        sampler: Sampler,
        limits: Limits,
        drafter: Drafter,
        room: int,
    ) -> Round:
        tokens = history.tokens
        start = perf_counter()
        draft = Draft()
        # Where a rejection can't be cut off, what was accepted is read again: that must not grow.
        if room > 1 and len(tokens) - len(self.target.tokens) <= MAX_REPLAY:
            draft = _within(drafter.draft(tokens, room - 1, sampler), room - 1, self.target.n_vocab)
        drafted = perf_counter()
        batch = self._batch(tokens, draft)
        if draft.guesses:
            self.target.mark()
        logits = self.target.decode(batch, 1 + len(draft.guesses))
        verified = perf_counter()
        guessed = draft.tokens
        seen: list[Distribution] = []

        def target(position: int) -> Distribution:
            seen.append(sampler.distribution(logits[position], guessed[:position]))
            return seen[-1]

        num_accepted, last = accept(draft, target, sampler.pick, sampler.target_rng)
        sampled = perf_counter()
        scores = tuple(map(score, draft.guesses, seen))
        drafter.observe(Verdict(draft, num_accepted, scores, len(batch), verified - drafted))
        round_ = Round(
            tokens=(*guessed[:num_accepted], last),
            num_drafted=len(guessed),
            num_accepted=num_accepted,
            sources=tuple(guess.source for guess in draft.guesses),
            draft_s=drafted - start,
            verify_s=verified - drafted,
            sample_s=sampled - verified,
            rejected=guessed[num_accepted:],
        )
        return self._ended(round_, history, limits)

    def _batch(self, tokens: Tokens, draft: Draft) -> Tokens:
        """What the cache lacks of the committed tokens, one as a rule, then the draft."""
        target = self.target
        pending = tokens[len(target.tokens) :]
        if len(pending) + len(draft.guesses) > target.max_batch:
            read_whole(target, tokens[:-1])
            pending = tokens[-1:]
        return np.array([*pending, *draft.tokens], np.int32)

    def _ended(self, round_: Round, history: _History, limits: Limits) -> Round:
        """The round cut at the first end token or limit, with the reason."""
        for index, token in enumerate(round_.tokens):
            if token in limits.end_tokens:
                return round_.keep(index + 1, "stop")
        reason: FinishReason | None = None
        num_generated = history.num_generated + len(round_.tokens)
        if limits.max_tokens is not None and num_generated >= limits.max_tokens:
            reason = "length"
        elif len(history.tokens) + len(round_.tokens) > self.target.n_ctx:
            reason = "context"
        return round_.keep(len(round_.tokens), reason) if reason else round_

    def _commit(self, tokens: Tokens, drafter: Drafter) -> None:
        """Cut both caches to committed tokens, the last of them not among the target's."""
        keep = common_prefix(self.target.tokens, tokens[:-1])
        if keep < len(self.target.tokens):
            self.target.rollback(keep)
        drafter.commit(tokens)

    def _read_again(self, tokens: Tokens) -> None:
        """What memory that can't be cut to any length has lost."""
        with suppress(NativeFailure):
            read_whole(self.target, tokens[:-1])


class _History:
    """The committed tokens: prompt and reply in one growing array."""

    def __init__(self, prompt: Tokens, capacity: int) -> None:
        self._buffer = np.empty(max(capacity, len(prompt)), np.int32)
        self._buffer[: len(prompt)] = prompt
        self._length = len(prompt)
        self._num_prompt = len(prompt)
        self.is_read = False
        """Whether the prompt is in the target's cache."""

    @property
    def tokens(self) -> Tokens:
        return self._buffer[: self._length]

    @property
    def num_generated(self) -> int:
        return self._length - self._num_prompt

    def extend(self, tokens: Sequence[int]) -> None:
        self._buffer[self._length : self._length + len(tokens)] = tokens
        self._length += len(tokens)

    def drop(self, num_tokens: int) -> None:
        self._length -= num_tokens


def _checked_prompt(prompt: Sequence[int] | Tokens, target: Decoder) -> Tokens:
    tokens = np.asarray(prompt, np.int64)
    if len(tokens) == 0:
        raise UsageError("The prompt is empty.", "Type something for the model to answer.")
    if tokens.min() < 0 or tokens.max() >= target.n_vocab:
        raise UsageError(f"A prompt token is outside the model's {target.n_vocab} ids.")
    if len(tokens) > target.n_ctx:
        raise ContextTooSmall(
            f"The prompt has {len(tokens)} tokens and the context holds {target.n_ctx}.",
            "Give a larger context (--ctx; in the chat F8) or a shorter prompt.",
        )
    return tokens.astype(np.int32)


def _within(draft: Draft, most: int, n_vocab: int) -> Draft:
    """The draft up to the first id that the target doesn't have, and no longer than asked for."""
    length = min(len(draft.guesses), most)
    for index, token in enumerate(draft.tokens[:length]):
        if not 0 <= token < n_vocab:
            length = index
            break
    return draft if length == len(draft.guesses) else Draft(draft.guesses[:length])
