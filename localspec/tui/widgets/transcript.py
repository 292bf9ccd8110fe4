"""The conversation, oldest turn first."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from localspec.chat.events import Message
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.reply import PastReply, Reply

_MOST_PAST_TURNS = 60


class Question(Static):
    """A turn of the user."""

    def __init__(self, text: str) -> None:
        super().__init__(Content(displayable(text)))


class Line(Static):
    """A sentence of localspec's own between the turns."""

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(Content(displayable(text)), classes=kind)


class Transcript(VerticalScroll, can_focus=False):
    """Follows its end unless the user has scrolled up."""

    def on_mount(self) -> None:
        self.anchor()

    async def ask(self, text: str) -> tuple[Question, Reply]:
        """Add a question and the reply that will grow under it."""
        turn = Question(text), Reply()
        await self.mount_all(turn)
        self.anchor()
        return turn

    async def say(self, text: str, kind: str = "notice") -> None:
        """Add a line; kind is notice or error."""
        await self.mount(Line(text, kind))

    async def show_past(self, turns: Sequence[Message]) -> None:
        hidden = len(turns) - _MOST_PAST_TURNS
        if hidden > 0:
            await self.say(f"{hidden} earlier messages are part of this conversation.")
        shown = turns[-_MOST_PAST_TURNS:]
        await self.mount_all(
            Question(turn.content) if turn.role == "user" else PastReply(turn.content)
            for turn in shown
        )
        self.anchor()

    async def clear(self) -> None:
        await self.remove_children()
