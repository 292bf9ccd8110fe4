"""Screens over the chat, and what becomes of what was chosen there.

Each is imported when it is opened: the first frame needs none of them.
"""

from __future__ import annotations

from textual.screen import Screen

from localspec.chat.events import Failed
from localspec.chat.history import History
from localspec.errors import LocalspecError, UsageError
from localspec.tui.contest import contest
from localspec.tui.conversations import Conversations
from localspec.tui.dialogue import Dialogue
from localspec.tui.link import Link
from localspec.tui.marking import Marking
from localspec.tui.meter import Clock
from localspec.tui.numbers import every_numbers
from localspec.tui.options import Options
from localspec.tui.orders import Orders
from localspec.tui.talk import Phase, Talk
from localspec.tui.widgets.hint import Hint


class Overlays:
    """Each is closed before the next is opened."""

    def __init__(
        self,
        screen: Screen[None],
        history: History,
        dialogue: Dialogue,
        options: Options,
        orders: Orders,
        conversations: Conversations,
        hint: Hint,
    ) -> None:
        self._screen = screen
        self._history = history
        self._dialogue = dialogue
        self._options = options
        self._orders = orders
        self._conversations = conversations
        self._hint = hint

    def open_sessions(self, busy: bool, search: str = "") -> None:
        """`busy`: a reply is running."""
        from localspec.tui.screens.sessions import SessionsScreen

        current = self._dialogue.conversation
        screen = SessionsScreen(self._history, current, busy, search)

        async def closed(conversation: int | None) -> None:
            try:
                for deleted in screen.deleted:
                    await self._conversations.forget_deleted(deleted)
                if conversation is not None and conversation != self._dialogue.conversation:
                    await self._conversations.open(conversation)
            except LocalspecError as error:
                self._hint.say(str(error), error=True)

        self._screen.app.push_screen(screen, closed)

    def open_stats(self) -> None:
        """Raises UsageError."""
        from localspec.tui.screens.stats import StatsScreen

        self._screen.app.push_screen(StatsScreen(every_numbers(self._dialogue.path)))

    def open_settings(self) -> None:
        from localspec.tui.screens.settings import SettingsScreen

        async def closed(applied: tuple[bool, str] | None) -> None:
            if applied is not None:
                await self._orders.change_settings(*applied)

        settings = SettingsScreen(self._options, self._dialogue.system)
        self._screen.app.push_screen(settings, closed)

    def open_race(
        self, prompt: str, talk: Talk, link: Link, clock: Clock, marking: Marking
    ) -> None:
        """Raises UsageError while the model is busy, or without anything to compare."""
        from localspec.tui.screens.race import RaceScreen

        if talk.phase is not Phase.READY:
            raise UsageError(talk.phase.value)

        async def closed(failed: Failed | None) -> None:
            if failed is not None:
                await talk.handle(failed, clock())

        asked = contest(self._dialogue, self._options, prompt)
        model = talk.ready.name if talk.ready else talk.model
        race = RaceScreen(link, asked, model, clock, marking)
        self._screen.app.push_screen(race, closed)
