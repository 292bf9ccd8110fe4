"""All conversations: search as you type, open, rename, delete and take that back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from localspec.chat.history import History
from localspec.chat.listing import Conversation
from localspec.errors import LocalspecError
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.field import Field
from localspec.tui.widgets.session_list import SessionList


class SessionsScreen(ModalScreen[int | None]):
    """Closes with the number of the conversation to open, or None."""

    AUTO_FOCUS = "#search"
    BINDINGS = [
        Binding("enter", "open", "Open", priority=True, id="sessions.open"),
        Binding("ctrl+r", "rename", "Rename", priority=True, id="sessions.rename"),
        Binding("ctrl+d", "delete", "Delete", priority=True, id="sessions.delete"),
        Binding("ctrl+z", "undo", "Undo delete", priority=True, id="sessions.undo"),
        Binding("escape", "close", "Back", priority=True, id="sessions.close"),
        Binding("up", "move(-1)", show=False, priority=True, id="sessions.up"),
        Binding("down", "move(1)", show=False, priority=True, id="sessions.down"),
        Binding("pageup", "page(-1)", show=False, priority=True, id="sessions.page_up"),
        Binding("pagedown", "page(1)", show=False, priority=True, id="sessions.page_down"),
    ]

    @dataclass
    class Found(Message):
        """The answer to a search."""

        text: str
        rows: list[Conversation]
        chosen: int | None
        fault: str

    def __init__(
        self, history: History, current: int | None, busy: bool = False, search: str = ""
    ) -> None:
        """`busy`: a reply is running in the current one, which can't be deleted then."""
        super().__init__()
        self._history = history
        self._current = current
        self._busy = busy
        self._search = Input(search, placeholder="Search", id="search", compact=True)
        self._title = Field(placeholder="Title", id="new-title")
        self._list = SessionList()
        self._status = Static(id="sessions-status")
        self._renamed: int | None = None
        self.deleted: list[int] = []
        """Those that are deleted, the last one last."""

    def compose(self) -> ComposeResult:
        self._title.display = False
        yield Static("Conversations", id="sessions-title")
        yield self._search
        yield self._list
        yield self._title
        yield self._status
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self._search.cursor_position = len(self._search.value)
        self._look(self._current)

    @on(Input.Changed, "#search")
    def _changed(self) -> None:
        self._look()

    def _look(self, chosen: int | None = None) -> None:
        self._say("Searching…" if self._search.value.strip() else "")
        look = partial(self._find, self._search.value, chosen)
        self.run_worker(look, thread=True, exclusive=True, group="search")

    def _find(self, text: str, chosen: int | None) -> None:
        """In a thread: the first search brings the index up to date."""
        try:
            rows, fault = self._history.search(text), ""
        except LocalspecError as error:
            rows, fault = [], str(error)
        try:
            self.post_message(self.Found(text, rows, chosen, fault))
        except RuntimeError:
            # The screen's loop is over: nobody is left to tell.
            pass

    def on_sessions_screen_found(self, found: Found) -> None:
        if found.text != self._search.value:
            return
        self._list.show(found.rows, found.chosen)
        if found.fault:
            self._say(found.fault, error=True)
        elif self._renamed is None:
            nothing = (
                "Nothing was found." if found.text.strip() else "There is no conversation yet."
            )
            num = f"{len(found.rows):,} conversation{'' if len(found.rows) == 1 else 's'}"
            self._say(num if found.rows else nothing)

    def action_move(self, step: int) -> None:
        self._list.move(step)

    def action_page(self, step: int) -> None:
        self._list.move(step * max(1, self._list.size.height - 1))

    def action_open(self) -> None:
        if self._renamed is not None:
            self._rename(self._renamed)
        elif (chosen := self._list.chosen) is not None:
            self.dismiss(chosen.id)

    def action_close(self) -> None:
        if self._renamed is None:
            self.dismiss(None)
        else:
            self._end_rename()

    def action_rename(self) -> None:
        if (chosen := self._list.chosen) is None:
            return
        self._renamed = chosen.id
        self._title.value = displayable(chosen.given_title or chosen.title)
        self._title.display = True
        self._title.focus()
        self._say("Enter renames, Esc leaves it; without a title it is the first message's.")

    def _rename(self, conversation: int) -> None:
        try:
            self._history.rename(conversation, self._title.value)
        except LocalspecError as error:
            self._say(str(error), error=True)
            return
        self._end_rename()
        self._look(conversation)

    def _end_rename(self) -> None:
        self._renamed = None
        self._title.display = False
        self._search.focus()
        self._say("")

    def action_delete(self) -> None:
        chosen = self._list.chosen
        if chosen is None or self._renamed is not None:
            return
        if self._busy and chosen.id == self._current:
            self._say("A reply is running in this conversation.", error=True)
            return
        try:
            self._history.delete(chosen.id)
        except LocalspecError as error:
            self._say(str(error), error=True)
            return
        self.deleted.append(chosen.id)
        place = self._list.place
        rows = [row for row in self._list.rows if row.id != chosen.id]
        self._list.show(rows, rows[min(place, len(rows) - 1)].id if rows else None)
        stop = "" if chosen.title.endswith((".", "…", "?", "!")) else "."
        self._say(f"Deleted: {chosen.title}{stop} Ctrl+Z brings it back until you quit.")

    def action_undo(self) -> None:
        if not self.deleted:
            self._say("Nothing was deleted here.")
            return
        conversation = self.deleted.pop()
        try:
            self._history.restore(conversation)
        except LocalspecError as error:
            self._say(str(error), error=True)
            return
        self._look(conversation)

    def _say(self, text: str, error: bool = False) -> None:
        self._status.set_class(error, "error")
        self._status.update(Content(("✗ " if error else "") + displayable(text)))
