"""One reply: rounds of ids become bursts of text, and every number is counted here."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from localspec.chat.detokenizer import Detokenizer
from localspec.chat.events import Burst, Event, Finished, Notice, Origin, Piece
from localspec.chat.interface import Tokenizer
from localspec.chat.state import speculation_state
from localspec.engine.engine import Engine, Generation
from localspec.engine.interface import Drafter, FinishReason, Limits, Prefill, Round
from localspec.engine.params import SamplingParams
from localspec.engine.stats import Stats


@dataclass(frozen=True, slots=True)
class Speculation:
    """Where the drafts of a reply come from."""

    spec: str
    """auto, draft, suffix, predicted or off: what the reply reports."""
    drafter: Drafter
    off_reason: str = ""
    """Why nothing is drafted from the start; empty when something can be."""
    has_others: bool = False
    """Whether other sources go on when the drafter's `off_reason` says that one can't."""
    hint: Callable[[], str] = str
    """What the user can do about a source that just failed."""

    @property
    def dead_reason(self) -> str:
        """Why nothing can be drafted any more; empty while something can."""
        return self.off_reason or ("" if self.has_others else self.drafter.off_reason)

    def notice(self) -> Notice:
        """A source gave up: one sentence that says why, and what to do."""
        reason = self.drafter.off_reason
        told = (
            f"The draft model is off ({reason})"
            if self.has_others
            else f"speculation: off ({reason})"
        )
        return Notice(f"{told}. {self.hint()}".strip(), self.dead_reason)


class Session:
    """Replies with one engine. Iterators may be closed at any point; both caches stay sound."""

    def __init__(
        self, engine: Engine, tokenizer: Tokenizer, native_s: Callable[[], float] = float
    ) -> None:
        """`native_s` tells the seconds spent in the models' passes so far; 0 if nobody counts."""
        self._engine = engine
        self._tokenizer = tokenizer
        self._native_s = native_s
        self._stopped = False

    def stop(self) -> None:
        """End the running reply after the event under way; callable from any thread."""
        self._stopped = True

    def reply(
        self,
        prompt: Sequence[int],
        params: SamplingParams,
        speculation: Speculation,
        load_s: float = 0.0,
    ) -> Generator[Event, None, None]:
        """Yield Prefill, Burst and Notice events, then Finished. Raises what the engine raises."""
        limits = Limits(self._tokenizer.end_tokens, params.max_tokens)
        grammar = self._tokenizer.grammar(params)
        generation = self._engine.generate(prompt, params, limits, speculation.drafter, grammar)
        self._stopped = False
        stats = Stats(num_prompt_tokens=len(prompt), load_s=load_s)
        text = _ReplyText(Detokenizer(self._tokenizer, params.stop), limits)
        try:
            yield from self._events(generation, stats, text, speculation)
        finally:
            generation.close()
            if grammar is not None:
                grammar.close()
        text.finish()
        state = speculation_state(stats.num_drafts, speculation.dead_reason)
        yield Finished(
            text="".join(text.parts),
            token_ids=tuple(text.token_ids),
            finish_reason=text.finish_reason,
            seed=params.seed,
            spec=speculation.spec,
            stats=stats.report(),
            state=state.kind,
            state_reason=state.reason,
        )

    def _events(
        self, generation: Generation, stats: Stats, text: _ReplyText, speculation: Speculation
    ) -> Iterator[Event]:
        drafter = speculation.drafter
        off_reason = drafter.off_reason
        start, native_s = perf_counter(), self._native_s()
        kept: int | None = None
        # A cut round is told to the engine even when a stop comes with it: its caches hold more.
        while kept is not None or not self._stopped:
            if (event := _advance(generation, kept)) is None:
                return
            if isinstance(event, Prefill):
                kept = None
                elapsed_s = perf_counter() - start
                stats.observe_prefill(elapsed_s)
                stats.num_cached_tokens = max(stats.num_cached_tokens, event.num_cached)
                yield replace(event, elapsed_s=elapsed_s)
            else:
                burst = text.add(event)
                round_ = burst.round
                # A stop string is the one end that the engine can't see.
                kept = len(round_.tokens) if round_ is not event else None
                elapsed_s = perf_counter() - start
                stats.observe(round_, elapsed_s, self._native_s() - native_s)
                yield replace(burst, elapsed_s=elapsed_s)
            if drafter.off_reason != off_reason:
                off_reason = drafter.off_reason
                if off_reason:
                    yield speculation.notice()
            start, native_s = perf_counter(), self._native_s()


def _advance(generation: Generation, kept: int | None) -> Prefill | Round | None:
    try:
        return generation.send(kept) if kept is not None else next(generation)
    except StopIteration:
        return None


class _ReplyText:
    """The text and ids of a reply as they grow."""

    def __init__(self, detokenizer: Detokenizer, limits: Limits) -> None:
        self._detokenizer = detokenizer
        self._limits = limits
        self.parts: list[str] = []
        self.token_ids: list[int] = []
        self.finish_reason: FinishReason = "cancelled"

    def add(self, round_: Round) -> Burst:
        """The round, cut where a stop string ended the reply, and its text; not its duration."""
        pieces: list[Piece] = []
        rejected: list[Piece] = []
        num_before = 0
        for index, token in enumerate(round_.tokens):
            if index == round_.num_accepted and round_.rejected:
                rejected = self._detokenizer.would_say(round_.rejected, round_.sources[index:])
                num_before = len(pieces)
            if token in self._limits.end_tokens:
                break
            pieces += self._detokenizer.add(token, _origin(round_, index))
            if self._detokenizer.stopped:
                round_ = round_.keep(index + 1, "stop")
                break
        if round_.finish_reason is not None:
            pieces += self._detokenizer.finish()
            self.finish_reason = round_.finish_reason
        self.token_ids.extend(round_.tokens)
        self.parts.extend(piece.text for piece in pieces)
        return Burst(tuple(pieces), round_, 0.0, tuple(rejected), num_before)

    def finish(self) -> None:
        """Add what a cancelled reply still held back."""
        self.parts.extend(piece.text for piece in self._detokenizer.finish())


def _origin(round_: Round, index: int) -> Origin:
    if index >= round_.num_accepted:
        return "target"
    return round_.sources[index]  # type: ignore[return-value]
