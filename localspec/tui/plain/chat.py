"""The chat by lines, from the first to the last."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, cast

from localspec import paths
from localspec.backends.interface import Backend
from localspec.chat.history import History
from localspec.errors import LocalspecError, UsageError
from localspec.settings import Settings
from localspec.tui import commands
from localspec.tui.attaching import Attaching
from localspec.tui.conversations import Conversations
from localspec.tui.dialogue import Dialogue
from localspec.tui.folds import Written
from localspec.tui.handed import Handed
from localspec.tui.hangup import watch_terminal
from localspec.tui.interrupt import AGAIN
from localspec.tui.meter import Clock
from localspec.tui.model_desk import ModelDesk
from localspec.tui.options import Options
from localspec.tui.orders import Orders
from localspec.tui.plain.entering import Entry
from localspec.tui.plain.orders import PlainOrders
from localspec.tui.plain.page import Page
from localspec.tui.plain.signals import Signals
from localspec.tui.plain.stand_ins import PlainParts, PlainScreen
from localspec.tui.plain.talk import HOW_TO_LOAD, NO_MODEL, Leaving, PlainTalk
from localspec.tui.plain.transcript import PlainTranscript
from localspec.tui.sent_file import SentFile
from localspec.tui.talk import Phase
from localspec.tui.token_count import TokenCount

_GREETING = (
    "localspec. /help lists the commands; Ctrl+C stops a reply, and quits when pressed twice."
)


class PlainChat:
    """Obeys the same commands as the screen, by the same code."""

    unfinished_pull = ""
    """Nothing is pulled beside this chat."""

    def __init__(
        self,
        make_backend: Callable[..., Backend],
        model: str,
        history: History,
        settings: Settings,
        conversation: int | None = None,
        clock: Clock = time.monotonic,
        handed: Handed | None = None,
    ) -> None:
        self._model = model
        self._history = history
        self._opened = conversation
        self._page = Page(sys.stdout)
        self._entry = Entry(self._page, SentFile(paths.sent_file()))
        self._signals = Signals()
        transcript = PlainTranscript(self._page)
        options = Options.of(settings)
        options.handed = handed or Handed()
        self._dialogue = Dialogue(history, clock, lambda fault: self._page.say(fault, error=True))
        self._dialogue.system = settings.system
        self._talk = PlainTalk(
            make_backend,
            self._dialogue,
            options,
            self._page,
            self._entry,
            transcript,
            self._signals,
            clock,
        )
        # Both only use what the stand-ins have; a command that does more is for the screen.
        screen, parts = PlainScreen(), PlainParts(self._page, self._entry, transcript)
        shared = cast("Any", (screen, self._talk, parts))
        self._conversations = Conversations(
            shared[0], history, shared[1], self._dialogue, options, shared[2]
        )
        self._orders = Orders(
            shared[0], shared[1], self._dialogue, options, shared[2], self._conversations
        )
        desk = ModelDesk(shared[0], shared[1], shared[2], self._orders.open, settings.source)
        self._obeying = PlainOrders(
            self._page,
            history,
            self._dialogue,
            options,
            self._talk,
            self._conversations,
            self._orders,
            desk,
        )
        self._attaching = Attaching(TokenCount(shared[1], shared[1]), options.handed)

    @property
    def conversation(self) -> int | None:
        """The conversation that is open, if it has been saved."""
        return self._dialogue.conversation

    @property
    def return_code(self) -> int:
        """A script wants to know of what went wrong; a user was told."""
        return int(self._page.has_error and not self._entry.is_terminal)

    def run(self) -> None:
        """Until the user leaves."""
        with self._signals.handled(), asyncio.Runner() as self._runner:
            watch_terminal(lambda: os.kill(os.getpid(), signal.SIGTERM))
            try:
                self._begin()
                while (text := self._read()) is not None:
                    self._take(text)
            except (Leaving, EOFError):
                pass
            finally:
                self._dialogue.close()
                self._talk.close()
                with suppress(EOFError):
                    self._page.end_line()

    def _begin(self) -> None:
        self._page.say(_GREETING)
        self._page.say(self._history.notice)
        if self._opened is not None:
            self._guarded(self._reopen(self._opened))
        self._guarded(self._orders.open(self._model))

    async def _reopen(self, conversation: int) -> None:
        system = self._dialogue.system
        await self._conversations.open(conversation)
        self._dialogue.system = system or self._dialogue.system

    def _read(self) -> str | None:
        """What the user says next; None to leave."""
        pressed = False
        while True:
            if offered := self._entry.to_say():
                self._page.say(offered)
                self._page.say("Enter alone sends this; Ctrl+C leaves it.")
            try:
                text = self._signals.ask(self._enter)
            except EOFError:
                self._page.break_line()
                return None
            except KeyboardInterrupt:
                self._conversations.cancel_edit()
                self._entry.put("")
                if pressed:
                    return None
                pressed = True
                self._page.break_line()
                self._page.say(AGAIN)
                continue
            self._page.entered()
            return text

    def _enter(self) -> str:
        edited = self._conversations.edited
        path = edited.path[:-1] if edited else self._dialogue.path
        number = sum(node.role == "user" for node in path) + 1
        return self._entry.read(f"{number} you: ")

    def _take(self, text: str) -> None:
        if not text.strip():
            return
        self._entry.keep(text)
        try:
            command = commands.parse(text)
        except LocalspecError as error:
            self._page.say(str(error), error=True)
            return
        self._guarded(self._obeying.obey(command) if command else self._ask(text))

    async def _ask(self, text: str) -> None:
        self._entry.put(text)
        if self._talk.phase is not Phase.READY:
            raise UsageError(NO_MODEL, HOW_TO_LOAD)
        message, told = await self._attaching.outgoing(Written(text))
        self._entry.put("")
        self._page.say(told)
        await self._talk.ask(message, self._conversations.take_edited())

    def _guarded(self, order: Coroutine[Any, Any, None]) -> None:
        """Run it to its end: nothing here waits for anything else. What can't be done is said."""
        try:
            self._runner.run(order)
        except LocalspecError as error:
            self._page.say(str(error), error=True)
