"""`localspec` with an engine that streams without a model, and a record of its loop's stalls.

python -m tests.tui.streaming STALLS; a question that is a number N gets N tokens at once, then
60 a second.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.worker import WorkerBackend
from localspec.chat.events import Event, Message
from localspec.cli import starter
from localspec.cli.main import main
from localspec.models import store
from localspec.tui.app import ChatApp
from tests.tui.long_reply import tokens
from tests.tui.scripted import ScriptedBackend, burst, finished

_RATE = 60.0
_BURSTS = (1, 4, 2, 8, 1, 1, 5, 3, 16, 2)
_BEAT_S = 0.005


class Stream(ScriptedBackend):
    """Runs in the child."""

    def __init__(self, request: LoadRequest) -> None:
        super().__init__()

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        self._stopped = False
        said, text = tokens(), ""
        for start in range(0, int(messages[-1].content), 100):
            at_once = burst(*islice(said, 100))
            text += at_once.text
            yield at_once
            if start % 1_000 == 0:
                time.sleep(0.1)
        for size in cycle(_BURSTS):
            time.sleep(size / _RATE)
            if self._stopped or self.closed:
                break
            next_ = burst(*islice(said, size))
            text += next_.text
            yield next_
        yield finished(text, "cancelled")


async def _beat(path: Path) -> None:
    """Writes down when the loop was late, and by how much."""
    with path.open("w", encoding="utf-8", buffering=1) as file:
        while True:
            due = time.monotonic() + _BEAT_S
            await asyncio.sleep(_BEAT_S)
            late = time.monotonic() - due
            if late > _BEAT_S:
                file.write(f"{due} {late}\n")


if __name__ == "__main__":
    path = Path(sys.argv[1])

    def on_ready(app: Any) -> None:
        app.beat = asyncio.create_task(_beat(path))

    sys.argv = ["localspec", "chat"]
    with (
        mock.patch(
            "localspec.backends.worker.WorkerBackend",
            partial(WorkerBackend, factory="tests.tui.streaming:Stream"),
        ),
        mock.patch.object(starter, "ensure_model", lambda settings, assume_yes: settings.model),
        mock.patch.object(store, "resolve", lambda name: SimpleNamespace(name=name)),
        mock.patch.object(ChatApp, "on_ready", on_ready, create=True),
    ):
        main()
