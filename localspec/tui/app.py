"""The application: themes, the first screen, the way out."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from textual.app import App
from textual.screen import Screen

from localspec.backends.interface import Backend
from localspec.chat.history import History
from localspec.settings import Settings
from localspec.tui.handed import Handed
from localspec.tui.keys import read_alt_enter, read_any_bytes
from localspec.tui.looks import Looks
from localspec.tui.meter import Clock
from localspec.tui.screens.chat import ChatScreen
from localspec.tui.themes import origin_variables


class ChatApp(App[None]):
    """Opens on the chat screen; a model is loaded once that is painted."""

    CSS_PATH = "chat.tcss"
    TITLE = "localspec"

    def __init__(
        self,
        make_backend: Callable[[str], Backend],
        model: str,
        history: History,
        settings: Settings,
        conversation: int | None = None,
        clock: Clock = time.monotonic,
        handed: Handed | None = None,
    ) -> None:
        """`handed` are files for the first message."""
        super().__init__()
        read_alt_enter()
        read_any_bytes()
        self.looks = Looks(self, settings)
        handed = handed or Handed()
        self._chat = ChatScreen(make_backend, model, history, settings, conversation, clock, handed)

    def get_default_screen(self) -> Screen[None]:
        return self._chat

    @property
    def conversation(self) -> int | None:
        """The conversation on the screen, if it has been saved."""
        return self._chat.conversation

    @property
    def unfinished_pull(self) -> str:
        """What was being pulled when the screen was left; empty for nothing."""
        return self._chat.unfinished_pull

    def on_mount(self) -> None:
        self.looks.begin()
        for name in ("SIGTERM", "SIGHUP"):
            # Windows has neither; a thread that isn't the main one can't have them.
            with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
                loop = asyncio.get_running_loop()
                loop.add_signal_handler(getattr(signal, name), self.exit)

    def get_css_variables(self) -> dict[str, str]:
        variables = super().get_css_variables()
        return origin_variables(variables) | variables

    def action_change_theme(self) -> None:
        self.looks.open()
