"""The line to the backend."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from localspec.backends.interface import ReplyRequest
from localspec.chat.events import Event, Message
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst


class Slow(ScriptedBackend):
    """Takes its time before it takes the question; a stop in that time means nothing to it."""

    def __init__(self) -> None:
        super().__init__([burst("half"), HOLD])
        self.takes = threading.Event()

    def chat(self, messages: Sequence[Message], request: ReplyRequest) -> Iterator[Event]:
        self.takes.wait(10)
        self._goes_on.clear()
        yield from super().chat(messages, request)


async def test_a_stop_before_the_question_was_taken_is_not_lost(open_desk: OpenDesk) -> None:
    """Esc right after Enter stopped the reply before, and this one went on to its end."""
    backend = Slow()
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.phase(Phase.REPLYING)
        await desk.pilot.press("escape")
        backend.takes.set()
        await desk.phase(Phase.READY)
        await desk.until(lambda: "stopped" in desk.screen_text)
