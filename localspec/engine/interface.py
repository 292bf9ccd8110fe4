"""The two sockets of the engine, and what flows out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from localspec.engine.arrays import Logits, Tokens
    from localspec.engine.sampling import Distribution, Sampler

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

    def mark(self) -> None:
        """The present length is a place that `rollback` will want to return to."""

    def rollback(self, n_past: int) -> None:
        """Keep the first `n_past` tokens, or as many of them as the memory can go back to."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a source thinks of the next token."""

    token: int
    """Its likeliest guess."""
    evidence: int
    """The row of the source's acceptance table that this guess belongs to."""
    probs: Distribution | None = None
    """What a guess may be drawn from instead of taking the likeliest; None where it can't."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One drafted token."""

    token: int
    source: str = ""
    evidence: int = 0
    probs: Distribution | None = None
    """The distribution that the source offered, if any."""
    drawn: bool = False
    """Drawn from `probs` by numbers of its own, for the test by ratio."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The guesses of a round, in order."""

    guesses: tuple[Guess, ...] = ()

    @property
    def tokens(self) -> tuple[int, ...]:
        return tuple(guess.token for guess in self.guesses)


@dataclass(frozen=True, slots=True)
class Score:
    """How likely a guess was to be accepted, by the target's own distribution."""

    certain: float
    """Had the source's likeliest token been taken."""
    drawn: float | None = None
    """Had the source's distribution picked, with the target's own noise, where there is one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the target made of a draft."""

    draft: Draft
    num_accepted: int
    scores: tuple[Score, ...]
    """Of each tested guess."""
    num_passed: int
    """Tokens in the target's pass."""
    verify_s: float


class Source(Protocol):
    """Guesses one token at a time. It catches up from the committed tokens by itself."""

    @property
    def name(self) -> str:
        """What the statistics call the source: draft, suffix, predicted."""

    @property
    def num_evidence(self) -> int:
        """Rows of its acceptance table."""

    @property
    def off_reason(self) -> str:
        """Why it can't draft any more, in a sentence; empty while it can."""

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        """Read a prompt in chunks, yielding (read, total) after each; none if nothing to read."""

    def propose(self, tokens: Tokens, ahead: Sequence[int], sampler: Sampler) -> Proposal | None:
        """The next token after the committed `tokens` and the guesses `ahead`; None: no idea.

        Within a round `tokens` stays and `ahead` only grows.
        """

    def lag(self, tokens: Tokens, ahead: Sequence[int]) -> int:
        """Tokens that `propose` would have to read first; 0 for a source that costs nothing."""

    def commit(self, tokens: Tokens) -> None:
        """Forget every guess that is not in `tokens`."""


class Drafter(Protocol):
    """Makes the draft of each round from its sources, and learns from the verdicts."""

    @property
    def off_reason(self) -> str:
        """Why a source can't draft any more, in a sentence; empty while all can."""

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        """Read a prompt in chunks, yielding (read, total) after each; none if nothing to read."""

    def draft(self, tokens: Tokens, max_tokens: int, sampler: Sampler) -> Draft:
        """Guess up to `max_tokens` tokens that follow `tokens`; an empty draft is fine."""

    def observe(self, verdict: Verdict) -> None:
        """Learn from a round."""

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
    elapsed_s: float = 0.0
    """Seconds since the event before, counted by whoever asks for the next one."""
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
    sources: tuple[str, ...] = ()
    """Of each tested draft token."""
    draft_s: float = 0.0
    verify_s: float = 0.0
    sample_s: float = 0.0
    finish_reason: FinishReason | None = None
    """Why the reply ended with this round, if it did."""
    rejected: tuple[int, ...] = ()
    """The tested draft tokens that did not stand; they followed the accepted ones."""

    @property
    def source(self) -> str:
        """The sources of the draft, as the statistics count them; empty without a draft."""
        return "+".join(dict.fromkeys(self.sources))

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
            sources=self.sources[:drafted],
            rejected=self.rejected[: drafted - accepted],
            finish_reason=reason,
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a reply ends."""

    end_tokens: frozenset[int] = field(default_factory=frozenset)
    """The target's end-of-generation ids."""
    max_tokens: int | None = None
