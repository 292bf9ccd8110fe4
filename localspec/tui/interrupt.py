"""Ctrl+C, on every screen: copies a selection, stops the reply, or quits when pressed twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from textual.app import App
from textual.widgets import Input, TextArea

from localspec.tui.meter import Clock
from localspec.tui.widgets.field import Field

_QUIT_WITHIN = 3.0
AGAIN = "Press Ctrl+C again to quit."


@runtime_checkable
class Interruptible(Protocol):
    """A screen with work of its own, which Ctrl+C ends in place of a reply."""

    def leave(self) -> None: ...


class Interrupt:
    """Armed by the first press, until something is typed or three seconds have gone."""

    def __init__(
        self, app: App[None], clock: Clock, stop: Callable[[], bool], say: Callable[[str], None]
    ) -> None:
        """`stop` ends a reply that runs, and tells whether there was one."""
        self._app = app
        self._clock = clock
        self._stop = stop
        self._say = say
        self._armed_at: float | None = None

    async def press(self) -> None:
        if selected := self._selected():
            self._app.copy_to_clipboard(selected)
            self._say("Copied.")
        elif self._stop():
            self.disarm()
        elif self._armed_at is not None and self._clock() - self._armed_at <= _QUIT_WITHIN:
            await self._app.action_quit()
        else:
            self._armed_at = self._clock()
            self._say(AGAIN)

    def disarm(self) -> None:
        self._armed_at = None

    def _selected(self) -> str:
        """Of the text that is being written, or of what is shown."""
        focused = self._app.focused
        written = ""
        if isinstance(focused, Field):
            written = focused.chosen_text
        elif isinstance(focused, Input | TextArea):
            written = focused.selected_text
        return written or self._app.screen.get_selected_text() or ""
