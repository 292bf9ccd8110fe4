"""The screen on a scripted backend, a history of its own and a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from localspec.chat.history import History
from localspec.errors import UnknownModel
from localspec.settings import load_settings
from localspec.tui.app import ChatApp
from localspec.tui.talk import Phase
from localspec.tui.widgets.hint import Hint
from localspec.tui.widgets.status import StatusLine
from localspec.tui.widgets.transcript import Transcript
from tests.tui.scripted import ScriptedBackend


class Clock:
    """Moves when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """The open screen, by what a user sees of it."""

    def __init__(self, app: ChatApp, pilot: Pilot[None], clock: Clock) -> None:
        self.app = app
        self.pilot = pilot
        self.clock = clock
        self.chat = app._chat
        self.prompt = self.chat._parts.prompt
        self.prompt.cursor_blink = False

    async def until(self, condition: Callable[[], object]) -> None:
        for _ in range(500):
            await self.pilot.pause(0.01)
            if condition():
                return
        raise AssertionError(f"it never came to that; the screen says:\n{self.screen_text}")

    async def phase(self, phase: Phase) -> None:
        await self.until(lambda: self.chat._talk.phase is phase)

    async def send(self, text: str) -> None:
        self.prompt.load_text(text)
        await self.pilot.press("enter")
        await self.pilot.pause()

    async def ask(self, text: str) -> None:
        """Send when ready, and wait for the end of the reply."""
        await self.phase(Phase.READY)
        await self.send(text)
        await self.phase(Phase.READY)

    @property
    def hint(self) -> str:
        return self.chat.query_one(Hint).text

    @property
    def status(self) -> str:
        return self.chat.query_one(StatusLine).render().plain

    @property
    def transcript(self) -> Transcript:
        return self.chat.query_one(Transcript)

    @property
    def screen_text(self) -> str:
        lines = self.app.screen._compositor.render_strips()
        return "\n".join(line.text.rstrip() for line in lines)


OpenDesk = Callable[..., AbstractAsyncContextManager[Desk]]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    history = History(tmp_path / "history.sqlite3")
    yield history
    history.close()


@pytest.fixture
def open_desk(history: History) -> OpenDesk:
    """Opens the screen on a backend, or on several by name."""

    @asynccontextmanager
    async def open_desk(
        backends: ScriptedBackend | dict[str, ScriptedBackend],
        *,
        size: tuple[int, int] = (100, 30),
        conversation: int | None = None,
        model: str = "",
        **flags: Any,
    ) -> AsyncIterator[Desk]:
        named = backends if isinstance(backends, dict) else {"pair": backends}

        def make_backend(name: str) -> ScriptedBackend:
            if name not in named:
                raise UnknownModel(f'No model is called "{name}".')
            return named[name]

        clock = Clock()
        settings = load_settings(**flags)
        name = model or next(iter(named))
        app = ChatApp(make_backend, name, history, settings, conversation, clock)
        async with app.run_test(size=size) as pilot:
            yield Desk(app, pilot, clock)

    return open_desk
