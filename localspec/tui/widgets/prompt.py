"""Where the user writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.widgets import TextArea

from localspec.tui.commands import beginning_with, completed
from localspec.tui.untrusted import displayable

_NEW_LINE = ("ctrl+j", "alt+enter", "shift+enter")


class Prompt(TextArea):
    """Enter sends; up and down at the edges go through what was sent before."""

    BINDINGS = [
        Binding("enter", "send", "Send", id="prompt.send"),
        Binding(",".join(_NEW_LINE), "newline", "New line", id="prompt.newline"),
    ]

    @dataclass
    class Submitted(Message):
        """The user wants this text to be sent or obeyed; the prompt keeps it until cleared."""

        text: str

    @dataclass
    class Browsed(Message):
        """An arrow in an empty prompt: the version before or after."""

        step: int

    def __init__(self) -> None:
        super().__init__(
            compact=True,
            highlight_cursor_line=False,
            placeholder="Ask anything",
            show_line_numbers=False,
            id="prompt",
        )
        self._sent: list[str] = []
        self._place = 0
        """Which of the sent texts is shown; one past the last is the one being written."""
        self._unsent = ""
        self._actions: dict[str, Callable[[], None]] = {}
        self.remap({})

    def remap(self, keys: Mapping[str, list[str]]) -> None:
        """Other keys, by id."""
        send, newline = keys.get("prompt.send", ["enter"]), keys.get("prompt.newline", _NEW_LINE)
        self._actions = dict.fromkeys(send, self.action_send)
        self._actions |= dict.fromkeys(newline, self.action_newline)

    def begin(self, text: str) -> None:
        """Offer the beginning of a line; what was being written is what Up brings back."""
        if self.text.strip():
            self.remember(self.text)
        self._put(text)
        self.focus()

    def remember(self, text: str) -> None:
        """Add to the history."""
        if not self._sent or self._sent[-1] != text:
            self._sent.append(text)
        self._place = len(self._sent)

    def take(self, text: str) -> None:
        """A submitted text is being dealt with: remove it; what was typed since then stays."""
        self.remember(text)
        self._put(self.text.removeprefix(text))

    def give_back(self, text: str) -> None:
        """Offer a sent text again; what was written since is not replaced."""
        if not self.text:
            self._put(text)

    def prepend(self, text: str) -> None:
        """Offer a text again on lines of its own, above what was written since."""
        self._put(f"{text}\n{self.text}" if self.text else text)

    def put(self, text: str) -> None:
        """Have this text in the place of what is there."""
        self._put(displayable(text))

    def _put(self, text: str) -> None:
        self.load_text(text)
        self.move_cursor(self.document.end)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        return key not in self._actions and super().check_consume_key(key, character)

    async def _on_key(self, event: events.Key) -> None:
        # Bindings wait until a key has come back from the screen: fast typing would overtake them.
        if event.key == "tab" and beginning_with(self.text):
            event.stop()
            event.prevent_default()
            self._put(completed(self.text))
            return
        if action := self._actions.get(event.key):
            event.stop()
            event.prevent_default()
            action()

    async def _on_paste(self, event: events.Paste) -> None:
        # Terminals paste line ends as carriage returns.
        lines = event.text.replace("\r\n", "\n").replace("\r", "\n")
        event.stop()
        event.prevent_default()
        await super()._on_paste(events.Paste(displayable(lines)))

    def action_send(self) -> None:
        self.post_message(self.Submitted(self.text))

    def action_newline(self) -> None:
        self._replace_via_keyboard("\n", *self.selection)

    def action_cursor_left(self, select: bool = False) -> None:
        if self.text:
            super().action_cursor_left(select)
        else:
            self.post_message(self.Browsed(-1))

    def action_cursor_right(self, select: bool = False) -> None:
        if self.text:
            super().action_cursor_right(select)
        else:
            self.post_message(self.Browsed(1))

    def action_cursor_up(self, select: bool = False) -> None:
        if not select and self.navigator.is_first_wrapped_line(self.cursor_location):
            self._recall(self._place - 1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        if not select and self.navigator.is_last_wrapped_line(self.cursor_location):
            self._recall(self._place + 1)
        else:
            super().action_cursor_down(select)

    def _recall(self, place: int) -> None:
        if not 0 <= place <= len(self._sent):
            return
        if self._place == len(self._sent):
            self._unsent = self.text
        self._place = place
        self._put(self._sent[place] if place < len(self._sent) else self._unsent)
