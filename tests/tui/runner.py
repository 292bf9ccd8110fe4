"""`localspec` with an engine that has no model; the screen and the child process are real."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import SimpleNamespace
from unittest import mock

from textual._xterm_parser import XTermParser

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.worker import WorkerBackend
from localspec.chat.events import Burst, Event, Loading, Message
from localspec.cli import starter
from localspec.cli.main import main
from localspec.engine.interface import Prefill
from localspec.models import store
from localspec.tui.screens.chat import ChatScreen
from localspec.tui.screens.sessions import SessionsScreen
from tests.tui.contestants import compared, measuring
from tests.tui.scripted import HOLD, ScriptedBackend, burst, finished, reply


class Echo(ScriptedBackend):
    """Runs in the child. Says the question back; `hold` and `endless` are never answered to
    the end, `abort` and `kill` end the child."""

    def __init__(self, request: LoadRequest) -> None:
        super().__init__()

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        question = messages[-1].content
        said = burst("Echo:", f" {question!r}")
        self.scripts = [[said] if question == "hold" else reply(said)]
        if question == "endless":
            self._stopped = False
            while not self._stopped:
                yield burst("on and", " on ")
                time.sleep(0.05)
            yield finished("on and on ", "cancelled")
            return
        for event in super().chat(messages, request):
            yield event
            if question == "abort" and isinstance(event, Burst):
                os.abort()
            if question == "kill" and isinstance(event, Burst):
                os.kill(os.getpid(), signal.SIGKILL)
        if question == "hold":
            yield from self._hold(said.text)

    def _hold(self, text: str) -> Iterator[Event]:
        """The child hears of a stop between two events."""
        while not self._stopped:
            time.sleep(0.02)
            yield Prefill(11, 11)
        yield finished(text, "cancelled")

    def compare(
        self, messages: Sequence[Message], request: ReplyRequest, repeats: int
    ) -> Iterator[Event]:
        yield measuring("off", 1, 38)
        while messages[-1].content == "hold":
            if self._stopped:
                yield finished("", "cancelled")
                return
            time.sleep(0.02)
            yield measuring("off", 1, 38)
        yield compared()


class Slow(Echo):
    """Never comes to the end of its load."""

    def __init__(self, request: LoadRequest) -> None:
        super().__init__(request)
        self.loading = [Loading("target", 0.5), HOLD]


def fail(*args: object) -> None:
    raise RuntimeError("out of cheese")


def crash_on_input() -> None:
    """The thread that reads keys fails at the first one."""

    def fail(self: XTermParser, data: str) -> Iterable[object]:
        if "x" in data:
            raise RuntimeError("out of cheese")
        return feed(self, data)

    feed = XTermParser.feed
    mock.patch.object(XTermParser, "feed", fail).start()


if __name__ == "__main__":
    how = sys.argv.pop(1)
    sys.argv = ["localspec", "compare" if how == "compare" else "chat", *sys.argv[1:]]
    if how == "crash":
        crash_on_input()
    elif how == "action":
        mock.patch.object(ChatScreen, "action_settings", fail).start()
    elif how == "thread":
        mock.patch.object(SessionsScreen, "_find", fail).start()
    factory = "Slow" if how == "slow" else "Echo"
    worker = partial(WorkerBackend, factory=f"tests.tui.runner:{factory}")
    with (
        mock.patch("localspec.backends.worker.WorkerBackend", worker),
        mock.patch.object(starter, "ensure_model", lambda settings, assume_yes: settings.model),
        mock.patch.object(store, "resolve", lambda name: SimpleNamespace(name=name)),
    ):
        main()
