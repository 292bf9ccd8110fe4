"""A backend that says what a test tells it to, and waits where the test wants to look."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

from localspec.backends.interface import ReplyRequest
from localspec.chat.events import (
    Burst,
    Event,
    Failed,
    Finished,
    Loading,
    Message,
    Origin,
    Piece,
    Ready,
)
from localspec.engine.interface import Prefill, Round
from localspec.engine.stats import Stats

HOLD = "hold"
"""In a script: wait until the test goes on, stops, closes or kills."""

Script = Sequence[Event | str]


def burst(
    *texts: str,
    source: str = "draft",
    drafted: int | None = None,
    rejected: Sequence[str] = (),
) -> Burst:
    """A round: all texts but the last were drafted and accepted."""
    accepted = len(texts) - 1
    drafted = accepted + len(rejected) if drafted is None else drafted
    origin: Origin = source  # type: ignore[assignment]
    pieces = [Piece(text, origin) for text in texts[:-1]] + [Piece(texts[-1], "target")]
    tokens = tuple(range(len(texts)))
    round_ = Round(tokens, drafted, accepted, (source,) * drafted, 0.01, 0.03, 0.001)
    refused = tuple(Piece(text, origin) for text in rejected)
    return Burst(tuple(pieces), round_, 0.05, refused, accepted)


def finished(text: str, reason: Any = "stop", **stats: Any) -> Finished:
    report = Stats(num_prompt_tokens=12).report() | stats
    return Finished(text, (), reason, 7, "draft", report)


def reply(*bursts: Burst, reason: Any = "stop") -> list[Event]:
    """A whole reply of these bursts, its numbers counted."""
    stats = Stats(num_prompt_tokens=12)
    for each in bursts:
        stats.observe(each.round, each.elapsed_s)
    text = "".join(each.text for each in bursts)
    return [Prefill(11, 11), *bursts, Finished(text, (), reason, 7, "draft", stats.report())]


class ScriptedBackend:
    """Replies come from the scripts in turn."""

    def __init__(self, *scripts: Script, loading: Script | None = None) -> None:
        ready = Ready("pair", "target.gguf", "draft.gguf", "CPU", 8192, 0.1)
        self.loading: Script = [Loading("target", 0.5), ready] if loading is None else loading
        self.scripts = list(scripts)
        self.asked: list[tuple[list[Message], ReplyRequest]] = []
        self.num_loads = 0
        self.closed = False
        self._goes_on = threading.Event()
        self._stopped = False
        self._killed = False

    def load(self) -> Iterator[Event]:
        self.num_loads += 1
        self._killed = False
        yield from self._play(self.loading)

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        self.asked.append((list(messages), request))
        self._stopped = False
        yield from self._play(self.scripts.pop(0))

    def count_tokens(self, text: str) -> int | None:
        return len(text.split())

    def compare(
        self, messages: Sequence[Message], request: ReplyRequest, repeats: int
    ) -> Iterator[Event]:
        yield from self.chat(messages, request)

    def go_on(self) -> None:
        """Past the next HOLD."""
        self._goes_on.set()

    def stop(self) -> None:
        self._stopped = True
        self._goes_on.set()

    def close(self) -> None:
        self.closed = True
        self._goes_on.set()

    def kill(self) -> None:
        """As if the child had been killed."""
        self._killed = True
        self._goes_on.set()

    def _play(self, script: Script) -> Iterator[Event]:
        text = ""
        for event in script:
            if not isinstance(event, str):
                text += event.text if isinstance(event, Burst) else ""
                yield event
                continue
            self._goes_on.wait(10)
            self._goes_on.clear()
            if self._killed:
                yield Failed("The engine's process was killed.", fatal=True)
                return
            if self._stopped or self.closed:
                yield finished(text, "cancelled", num_tokens=1, tokens_per_second=20.0)
                return
