"""The conversation, oldest turn first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, cast

from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from localspec.chat.tree import Node
from localspec.tui import garbage
from localspec.tui.marking import Marking
from localspec.tui.past import past_summary
from localspec.tui.thoughts import past_thoughts
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.code_head import CodeHead
from localspec.tui.widgets.past_reply import past_reply
from localspec.tui.widgets.reply import Reply
from localspec.tui.widgets.thought_line import ThoughtLine
from localspec.tui.widgets.turn_mark import TurnMark

if TYPE_CHECKING:
    from localspec.tui.widgets.prose import Prose

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

    @dataclass
    class CodeWanted(Message):
        """A code block is to be copied."""

        reply: str
        """What there is of it, as written."""
        open_tag: str
        """Of the thinking that the prompt ended with."""
        number: int

    versions_of: Callable[[Node], Sequence[Node]]
    """All versions of a turn, set by who knows them."""

    def __init__(self) -> None:
        super().__init__()
        self.marking = Marking.LIVE
        self._replies: list[Reply] = []
        """Those that can show who proposed what."""
        self._marks: list[TurnMark] = []
        """One above each turn that is shown."""
        self._most = _MOST_PAST_TURNS

    def on_mount(self) -> None:
        self.anchor()
        self.set_interval(_FOLD_EVERY, self.fold)

    def on_resize(self) -> None:
        self.unfold()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.fold()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        if self.stays_at_end():
            event.prevent_default()

    def stays_at_end(self) -> bool:
        """Whether there is nothing further down. Textual takes any scrolling for a leave-taking."""
        at_end = self.scroll_y >= self.max_scroll_y
        if at_end:
            self.anchor()
        return at_end

    def fold(self) -> None:
        """Lay out only what is near the view."""
        margin = self.size.height
        top, bottom = self.scroll_y - margin, self.scroll_y + self.size.height + margin
        for page in self._pages():
            region = page.virtual_region
            page.fold(region.bottom < top or region.y > bottom)

    def _pages(self) -> Iterable[Prose]:
        return cast("Iterable[Prose]", self.query_children("Prose"))

    def unfold(self) -> None:
        """Every height is about to change."""
        for page in self._pages():
            page.fold(False)

    async def toggle_thinking(self, node: Node | None = None) -> bool:
        """Unfold the thinking of this turn, else of the newest that has some, or fold it again;
        False if there is none."""
        for mark in reversed(self._marks):
            lines = list(self._thinking_under(mark))
            if lines and node in (None, mark.node):
                folded = not any(line.folded for line in lines)
                # The first one is brought into view last.
                for line in reversed(lines):
                    await line.toggle(folded)
                return True
        return False

    def _thinking_under(self, mark: TurnMark) -> Iterator[ThoughtLine]:
        below = self.children[self.children.index(mark) + 1 :]
        for child in takewhile(lambda child: not isinstance(child, TurnMark), below):
            if isinstance(child, ThoughtLine):
                yield child

    def on_thought_line_unfolded(self, event: ThoughtLine.Unfolded) -> None:
        """It is read from its beginning."""
        self.call_after_refresh(self._bring, event.line)

    def on_code_head_clicked(self, event: CodeHead.Clicked) -> None:
        above = [child for child in event.head.ancestors if child.parent is self]
        marks = [mark for mark in self._marks if self._is_before(mark, above[0])] if above else []
        if not marks:
            return
        node = marks[-1].node
        if node is not None:
            tag = past_thoughts(node.stats, node.content).open_tag
            self.post_message(self.CodeWanted(node.content, tag, event.head.number))
        elif self._replies:
            reply = self._replies[-1]
            wanted = self.CodeWanted(reply.text, reply.thoughts.open_tag, event.head.number)
            self.post_message(wanted)

    def _is_before(self, mark: Widget, other: DOMNode) -> bool:
        return self.children.index(mark) < self.children.index(other)

    async def show(self, path: Sequence[Node]) -> None:
        """Show these turns. What is there already stays, what is not among them goes."""
        marked = [mark.node for mark in self._marks]
        # A conversation that grows keeps its first line where it is.
        hidden = max(0, len(path) - self._most)
        hidden = next((place for place, node in enumerate(path) if node in marked[:1]), hidden)
        path = path[hidden:]
        same = next(
            (place for place, (a, b) in enumerate(zip(marked, path, strict=False)) if a is not b),
            min(len(marked), len(path)),
        )
        await self._cut(same)
        if hidden and not same:
            await self.say(f"{hidden} earlier messages are part of this conversation.")
        for node in path[same:]:
            self._marks.append(TurnMark(node))
            await self.mount_all([self._marks[-1], *_past(node)])
        self._count()
        self.anchor()

    async def reply(self, begun: Node | None = None) -> Reply:
        """Add a reply that will grow; it may have begun already."""
        text = begun.content if begun else ""
        thoughts = past_thoughts(begun.stats, text) if begun else None
        mark, reply = TurnMark(), Reply(self, self.marking, text, thoughts)
        self._replies = [*self._attached_replies(), reply]
        if len(self._replies) > _MOST_MARKED:
            await self._replies.pop(0).forget_marks()
        self._marks.append(mark)
        await self.mount(mark)
        await reply.mount()
        self.anchor()
        return reply

    def settle(self, node: Node) -> None:
        """The reply that grew is this turn now."""
        self._marks[-1].node = node
        self._count()

    async def choose(self, step: int, path: Sequence[Node]) -> None:
        """Choose the turn so many steps from the chosen one; the last turn if none is."""
        marks = [mark for mark in self._marks if mark.node is not None]
        focused = self.screen.focused
        chosen = [place for place, mark in enumerate(marks) if mark is focused]
        if chosen and chosen[0] + step < 0 and len(path) > len(self._marks):
            self._most += _MOST_PAST_TURNS
            node = marks[chosen[0]].node
            await self._cut(0)
            await self.show(path)
            marks = self._marks
            chosen = [place for place, mark in enumerate(marks) if mark.node is node]
        place = max(0, min(len(marks) - 1, chosen[0] + step)) if chosen else len(marks) - 1
        if marks:
            self.focus_on(marks[place].node)

    @property
    def has_chosen(self) -> bool:
        return self.screen.focused in self._marks

    def focus_on(self, node: Node | None) -> None:
        """Choose this turn, if it is shown."""
        for mark in self._marks:
            if mark.node is node:
                mark.choose()
                self.call_after_refresh(self._bring, mark)

    def _bring(self, line: Widget) -> None:
        self.scroll_to_widget(line, animate=False, top=True)

    async def _cut(self, num_kept: int) -> None:
        """Take away all turns after the first so many, and what was said among them."""
        if num_kept < len(self._marks):
            garbage.unsettle()
        if num_kept == 0:
            await self.remove_children()
        elif num_kept < len(self._marks):
            first = self.children.index(self._marks[num_kept])
            await self.remove_children(self.children[first:])
        del self._marks[num_kept:]

    def _count(self) -> None:
        for mark in self._marks:
            if mark.node is not None:
                versions = self.versions_of(mark.node)
                mark.count(versions.index(mark.node) + 1, len(versions))

    async def mark(self, marking: Marking) -> None:
        """Show in every reply of this session who proposed what."""
        self.marking = marking
        self._replies = self._attached_replies()
        for reply in self._replies:
            await reply.mark(marking)

    def _attached_replies(self) -> list[Reply]:
        return [reply for reply in self._replies if reply.attached]

    async def say(self, text: str, kind: str = "notice") -> None:
        """Add a line; kind is notice or error."""
        await self.mount(Line(text, kind))


def _past(node: Node) -> list[Widget]:
    if node.role == "user":
        return [Question(node.content)]
    parts = past_reply(node.content, past_thoughts(node.stats, node.content))
    if summary := past_summary(node.stats):
        parts.append(Static(summary, markup=False, classes="summary"))
    return parts
