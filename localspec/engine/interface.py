"""The two sockets of the engine, and what flows out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from localspec.engine.sampling import Distribution, Sampler

Tokens = npt.NDArray[np.int32]
Logits = npt.NDArray[np.float32]
FinishReason = Literal["stop", "length", "context", "cancelled"]


class Decoder(Protocol):
    """A model's context with a KV cache of one sequence."""

    @property
    def tokens(self) -> Tokens:
        """The ids in the cache, in order; a view that the next call may change."""

    @property
    def n_ctx(self) -> int:
        """Tokens that the cache can hold."""

    @property
    def n_vocab(self) -> int:
        """Width of a row of logits."""

    @property
    def max_batch(self) -> int:
        """Most tokens in one `decode`."""

    @property
    def max_logits(self) -> int:
        """Most rows of logits of one `decode`."""

    def decode(self, tokens: Sequence[int] | Tokens, num_logits: int) -> Logits:
        """Append tokens to the cache and return the last `num_logits` rows, (num_logits, n_vocab).

        The rows are a view over native memory, valid until the next call.
        Raises NativeFailure; the cache then holds what `tokens` says.
        """

    def rollback(self, n_past: int) -> None:
        """Keep the first `n_past` tokens; if they can't be cut, the cache ends up empty."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Guessed tokens, and how each was chosen."""

    tokens: tuple[int, ...] = ()
    probs: tuple[Distribution, ...] | None = None
    """One a token: the distribution that it was sampled from. None: the guess is certain."""
    source: str = ""


class Drafter(Protocol):
    """A source of guesses. It catches up from the committed tokens by itself."""

    @property
    def name(self) -> str:
        """What the statistics call the source: draft, ngram, ..."""

    @property
    def off_reason(self) -> str:
        """Why it can't draft any more, in a sentence; empty while it can."""

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        """Read a prompt in chunks, yielding (read, total) after each; none if nothing to read."""

    def draft(self, tokens: Tokens, max_tokens: int, sampler: Sampler) -> Draft:
        """Guess up to `max_tokens` tokens that follow `tokens`; an empty draft is fine."""

    def commit(self, tokens: Tokens) -> None:
        """Forget every guess that is not in `tokens`."""


@dataclass(frozen=True, slots=True)
class Prefill:
    """Progress of reading the prompt."""

    num_read: int
    num_total: int
    num_cached: int = 0
    """Prompt tokens that were in the cache already."""
    model: Literal["target", "draft"] = "target"
    kind: Literal["prefill"] = "prefill"


@dataclass(frozen=True, slots=True)
class Round:
    """One pass of the target: the tokens that it committed and what they cost."""

    tokens: tuple[int, ...]
    """In order: accepted drafts, then the recovered or bonus token."""
    num_drafted: int = 0
    """Draft tokens that were tested."""
    num_accepted: int = 0
    """How many of `tokens`, from the first, were drafted."""
    source: str = ""
    """The drafter; empty when nothing was drafted."""
    draft_s: float = 0.0
    verify_s: float = 0.0
    sample_s: float = 0.0
    finish_reason: FinishReason | None = None
    """Why the reply ended with this round, if it did."""

    def keep(self, num_tokens: int, reason: FinishReason) -> Round:
        """This round cut after `num_tokens` tokens; drafts beyond count as never tested."""
        if num_tokens >= len(self.tokens):
            return replace(self, finish_reason=reason)
        accepted = min(self.num_accepted, num_tokens)
        # All of what is kept was drafted: what came after the end was not a test of the draft.
        drafted = accepted if num_tokens <= self.num_accepted else self.num_drafted
        return replace(
            self,
            tokens=self.tokens[:num_tokens],
            num_accepted=accepted,
            num_drafted=drafted,
            finish_reason=reason,
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a reply ends."""

    end_tokens: frozenset[int] = field(default_factory=frozenset)
    """The target's end-of-generation ids."""
    max_tokens: int | None = None
