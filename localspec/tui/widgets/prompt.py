"""Where the user writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.message import Message

from localspec.tui.folds import Written
from localspec.tui.sent import Sent
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.folding_area import FoldingArea

_NEW_LINE = ("ctrl+j", "alt+enter", "shift+enter")


class Prompt(FoldingArea):
    """Enter sends; up and down at the edges go through what was sent before. A long paste is a
    label in `text`; `written` has it in full, and so has what is sent."""

    LEFT_BY = "Esc"
    """The key that gives up what was put here to be changed."""
    BINDINGS = [
        Binding("enter", "send", "Send", id="prompt.send"),
        Binding(",".join(_NEW_LINE), "newline", "Newline", id="prompt.newline"),
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
        self.sent = Sent()
        self.on_sent: Callable[[Written], object] = lambda written: None
        """Told what is new among the sent texts."""
        self.takes_key: Callable[[str], bool] = lambda key: False
        """Asked first: a list of completions may want the key."""
        self.put_text = ""
        """What was last put here by something else than a key."""
        self._known: dict[str, Written] = {}
        """How texts were written that came from here."""
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
            self.remember(self.written.text)
        self._put(text)
        self.focus()

    def remember(self, text: str) -> None:
        """Add to what the arrows show."""
        self.sent.add(self.written_for(text))

    def written_for(self, text: str) -> Written:
        """How a submitted text was written."""
        return self._known.get(text, Written(text))

    def holds(self, text: str) -> bool:
        """Whether it begins with this submitted text, which nobody has taken yet."""
        return self._start_of(text) is not None

    def take(self, text: str) -> None:
        """A submitted text is being dealt with: remove it; what was typed since then stays."""
        written = self.written_for(text)
        if self.sent.add(written):
            self.on_sent(written)
        self._put(self.text.removeprefix(self._start_of(text) or ""))

    def _start_of(self, text: str) -> str | None:
        for start in (self._shown(text), text):
            if self.text.startswith(start):
                return start
        return None

    def sent_as(self, sent: str, text: str) -> None:
        """If what was sent comes back, it is to be what the user wrote."""
        if sent != text:
            self._known[sent] = self.written_for(text)

    def give_back(self, text: str) -> None:
        """Offer a sent text again; what was written since is not replaced."""
        if not self.text:
            self._put(self._shown(text))

    def prepend(self, text: str) -> None:
        """Offer a text again on lines of its own, above what was written since."""
        text = self._shown(text)
        self._put(f"{text}\n{self.text}" if self.text else text)

    def put(self, text: str) -> None:
        """Have this text in the place of what is there."""
        self._put(self._shown(displayable(text)))

    def change(self, text: str) -> None:
        """The same, as an edit that can be undone, with the folds that are still in it."""
        written = self.folds.found_in(displayable(text), self.written)
        shown = self.folds.shown(written)
        if shown != self.text:
            self.history.checkpoint()
            self.put_text = shown
            self.replace(shown, (0, 0), self.document.end)
            self.move_cursor(self.document.end)

    def _shown(self, text: str) -> str:
        return self.folds.shown(self.written_for(text))

    def _put(self, text: str) -> None:
        self.put_text = text
        self.load_text(text)
        self.move_cursor(self.document.end)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        return key not in self._actions and super().check_consume_key(key, character)

    async def _on_key(self, event: events.Key) -> None:
        # Bindings wait until a key has come back from the screen: fast typing would overtake them.
        action = self._actions.get(event.key)
        taken = self.takes_key(event.key)
        if taken or action:
            event.stop()
            event.prevent_default()
        if action and not taken:
            action()

    def action_send(self) -> None:
        written = self.written
        if written.folds:
            self._known[written.text] = written
        self.post_message(self.Submitted(written.text))

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
            self._recall(-1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        if not select and self.navigator.is_last_wrapped_line(self.cursor_location):
            self._recall(1)
        else:
            super().action_cursor_down(select)

    def _recall(self, step: int) -> None:
        text = self.sent.step(step, self.text)
        if text is not None:
            self._put(self.folds.shown(text) if isinstance(text, Written) else text)
