"""A recording that answers again, without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from threading import Event as Flag

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.chat.events import (
    Burst,
    Compared,
    Event,
    Failed,
    Finished,
    Loading,
    Measuring,
    Message,
    Ready,
)
from localspec.chat.recording import Recorded, read_recording
from localspec.chat.state import speculation_state
from localspec.engine.stats import Stats


class ReplayBackend:
    """Whatever is asked, yields the recorded replies in turn, and begins again after the last.

    `speed` 2 halves the recorded pauses; 0 leaves them out.
    """

    def __init__(self, path: Path, speed: float = 1.0) -> None:
        streams = [list(group) for _, group in groupby(read_recording(path), lambda r: r.stream)]
        ready = Ready(path.stem, path.stem, "", "replay", LoadRequest("").ctx, 0.0)
        loads = [stream for stream in streams if _is_load(stream)]
        self._loading = loads[0] if loads else [Recorded(0, 0.0, ready)]
        others = [stream for stream in streams if not _is_load(stream)]
        self._replies = [stream for stream in others if not _is_comparison(stream)]
        self._comparisons = [stream for stream in others if _is_comparison(stream)]
        self._speed = speed
        self._next_reply = 0
        self._stopped = Flag()

    def load(self) -> Iterator[Event]:
        self._stopped.clear()
        yield from self._paced(self._loading)

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        if not self._replies:
            yield Failed("The recording has no reply.")
            return
        reply = self._replies[self._next_reply % len(self._replies)]
        self._next_reply += 1
        self._stopped.clear()
        shown: list[Event] = []
        for event in self._paced(reply):
            shown.append(event)
            yield event
        if not shown or not isinstance(shown[-1], Finished | Failed):
            yield _cancelled(shown, request)

    def count_tokens(self, text: str) -> int | None:
        return None

    def compare(
        self, messages: Sequence[Message], request: ReplyRequest, repeats: int
    ) -> Iterator[Event]:
        """The first recorded one, whatever is asked."""
        if not self._comparisons:
            yield Failed("The recording has no comparison.")
            return
        self._stopped.clear()
        event: Event | None = None
        for event in self._paced(self._comparisons[0]):
            yield event
        if not isinstance(event, Compared | Failed):
            yield _cancelled([], request)

    def stop(self) -> None:
        self._stopped.set()

    def close(self) -> None:
        self._stopped.set()

    def _paced(self, stream: list[Recorded]) -> Iterator[Event]:
        past = 0.0
        for recorded in stream:
            pause = (recorded.at - past) / self._speed if self._speed > 0 else 0.0
            if self._stopped.wait(pause) if pause > 0 else self._stopped.is_set():
                return
            past = recorded.at
            yield recorded.event


def _is_load(stream: list[Recorded]) -> bool:
    return any(isinstance(recorded.event, Loading | Ready) for recorded in stream)


def _is_comparison(stream: list[Recorded]) -> bool:
    return any(isinstance(recorded.event, Measuring | Compared) for recorded in stream)


def _cancelled(events: list[Event], request: ReplyRequest) -> Finished:
    """The end of a reply that was stopped, from what was shown of it."""
    bursts = [event for event in events if isinstance(event, Burst)]
    stats = Stats()
    for burst in bursts:
        stats.observe(burst.round, burst.elapsed_s)
    state = speculation_state(stats.num_drafts, "")
    sources = [burst.round.source for burst in bursts if burst.round.source]
    return Finished(
        text="".join(burst.text for burst in bursts),
        token_ids=tuple(token for burst in bursts for token in burst.round.tokens),
        finish_reason="cancelled",
        seed=request.sampling.seed,
        spec=sources[0] if sources else "off",
        stats=stats.report(),
        state=state.kind,
        state_reason=state.reason,
    )
