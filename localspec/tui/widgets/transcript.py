"""The conversation, oldest turn first."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from localspec.chat.events import Message
from localspec.tui.marking import Marking
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.prose import Prose, past_pages
from localspec.tui.widgets.reply import Reply

_MOST_PAST_TURNS = 60
_FOLD_EVERY = 0.5
_MOST_MARKED = 50


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

    def __init__(self) -> None:
        super().__init__()
        self.marking = Marking.LIVE
        self._replies: list[Reply] = []
        """Those that can show who proposed what."""

    def on_mount(self) -> None:
        self.anchor()
        self.set_interval(_FOLD_EVERY, self.fold)

    def on_resize(self) -> None:
        self.unfold()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.fold()

    def fold(self) -> None:
        """Lay out only what is near the view."""
        margin = self.size.height
        top, bottom = self.scroll_y - margin, self.scroll_y + self.size.height + margin
        for page in self.query_children(Prose):
            region = page.virtual_region
            page.fold(region.bottom < top or region.y > bottom)

    def unfold(self) -> None:
        """Every height is about to change."""
        for page in self.query_children(Prose):
            page.fold(False)

    async def ask(self, text: str) -> tuple[Question, Reply]:
        """Add a question and the reply that will grow under it."""
        question, reply = Question(text), Reply(self, self.marking)
        self._replies.append(reply)
        if len(self._replies) > _MOST_MARKED:
            await self._replies.pop(0).forget_marks()
        await self.mount(question)
        await reply.mount()
        self.anchor()
        return question, reply

    async def mark(self, marking: Marking) -> None:
        """Show in every reply of this session who proposed what."""
        self.marking = marking
        self._replies = [reply for reply in self._replies if reply.attached]
        for reply in self._replies:
            await reply.mark(marking)

    async def say(self, text: str, kind: str = "notice") -> None:
        """Add a line; kind is notice or error."""
        await self.mount(Line(text, kind))

    async def show_past(self, turns: Sequence[Message]) -> None:
        hidden = len(turns) - _MOST_PAST_TURNS
        if hidden > 0:
            await self.say(f"{hidden} earlier messages are part of this conversation.")
        for turn in turns[-_MOST_PAST_TURNS:]:
            await self.mount_all(_past(turn))
        self.anchor()

    async def clear(self) -> None:
        await self.remove_children()


def _past(turn: Message) -> Sequence[Widget]:
    if turn.role == "user":
        return [Question(turn.content)]
    return past_pages(turn.content)
