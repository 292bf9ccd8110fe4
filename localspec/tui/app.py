"""The application: themes, the first screen, the way out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from textual import on
from textual.app import App
from textual.binding import Binding
from textual.command import CommandPalette
from textual.screen import Screen
from textual.widgets import Input, TextArea

from localspec.backends.interface import Backend
from localspec.chat.history import History
from localspec.settings import Settings
from localspec.tui import crash
from localspec.tui.handed import Handed
from localspec.tui.hangup import end_with_terminal
from localspec.tui.interrupt import Interrupt, Interruptible
from localspec.tui.keymap import Keymap, read_keymap
from localspec.tui.keys import read_alt_enter, read_any_bytes, read_whole_pastes
from localspec.tui.looks import Looks
from localspec.tui.meter import Clock
from localspec.tui.palette import palette
from localspec.tui.screens.chat import ChatScreen
from localspec.tui.screens.help import HelpScreen
from localspec.tui.signals import end_on_signals
from localspec.tui.themes import origin_variables
from localspec.tui.untrusted import displayable

_LONG = 20.0
"""Seconds in which several sentences can be read."""


class ChatApp(App[None], inherit_bindings=False):
    """Opens on the chat screen; a model is loaded once that is painted."""

    CSS_PATH = "chat.tcss"
    TITLE = "localspec"
    # Heard on every screen, whatever lies above the chat.
    BINDINGS = [
        Binding("f1", "help", "Help", show=False, priority=True, id="app.help"),
        Binding(
            "ctrl+p", "command_palette", "Palette", show=False, priority=True, id="app.palette"
        ),
        Binding(
            "ctrl+c", "interrupt", "Stop or quit", show=False, priority=True, id="app.interrupt"
        ),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="app.quit"),
    ]

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
        read_whole_pastes()
        self.looks = Looks(self, settings)
        handed = handed or Handed()
        self._chat = ChatScreen(make_backend, model, history, settings, conversation, clock, handed)
        self._interrupt = Interrupt(self, clock, self._stop_reply, self._say)
        self.keymap = read_keymap(settings.keys) if settings.keys else Keymap({}, ())

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
        end_on_signals(self)
        end_with_terminal(self)
        self.set_keymap(self.keymap.for_textual)
        self._chat.remap(self.keymap)
        for fault in self.keymap.faults:
            self.notify(displayable(fault), severity="warning", timeout=_LONG, markup=False)
        # After Ctrl+Z and fg, the terminal's other screen is empty.
        self.app_resume_signal.subscribe(self, lambda _: self._draw_anew())

    def _print_error_renderables(self) -> None:
        # Textual prints the traceback with all its locals, the conversation among them.
        if self._exit_renderables:
            print(crash.report(self._exception, self._exit_renderables), file=sys.stderr)  # noqa: T201
        self._exit_renderables.clear()

    def get_css_variables(self) -> dict[str, str]:
        variables = super().get_css_variables()
        return origin_variables(variables) | variables

    def action_change_theme(self) -> None:
        self.looks.open()

    def action_help(self) -> None:
        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
        else:
            self.push_screen(HelpScreen(self.screen, self.keymap))

    def action_command_palette(self) -> None:
        if not any(isinstance(screen, CommandPalette) for screen in self.screen_stack):
            self.push_screen(palette())
        elif isinstance(self.screen, HelpScreen):
            # Only the help can lie over it.
            self.screen.dismiss()

    async def action_interrupt(self) -> None:
        await self._interrupt.press()

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _written(self) -> None:
        self._interrupt.disarm()

    def _draw_anew(self) -> None:
        for screen in self.screen_stack:
            screen.refresh(layout=True)

    def _stop_reply(self) -> bool:
        if isinstance(self.screen, Interruptible):
            self.screen.leave()
            return True
        stopped = self._chat.stop_reply()
        if stopped and self.screen is not self._chat:
            self._say("The reply is stopped.")
        return stopped

    def _say(self, text: str) -> None:
        if self.screen is self._chat:
            self._chat.say(text)
        else:
            self.notify(text, markup=False)
