"""One line in the place of a block of thinking, which unfolds below it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from localspec.tui.thoughts import Thought
from localspec.tui.widgets.passage import Passage


class ThoughtLine(Static):
    """Says how long it took, and how many tokens."""

    @dataclass
    class Unfolded(Message):
        """The user wants to read it."""

        line: ThoughtLine

    def __init__(
        self, thought: Thought, text: str = "", *, ended: bool = False, unfolds: bool = False
    ) -> None:
        """`unfolds` at once, as it is all there is of a reply."""
        super().__init__()
        self._unfolds = unfolds
        self.thought = thought
        self._text = text
        self._ended = ended
        self._passage: Passage | None = None
        self._shown = True
        # A key and the next token may come at the same time.
        self._lock = asyncio.Lock()
        self._tell()

    @property
    def folded(self) -> bool:
        return self._passage is None

    def count(self, thought: Thought) -> None:
        """So much by now."""
        self.thought = thought
        self._tell()

    async def write(self, text: str) -> None:
        async with self._lock:
            self._text += text
            if self._passage is not None:
                await self._passage.write(text)

    async def end(self) -> None:
        async with self._lock:
            self._ended = True
            if self._passage is not None:
                await self._passage.end()
        self._tell()

    async def fold(self, folded: bool) -> None:
        async with self._lock:
            if folded == self.folded or not isinstance(self.parent, Widget):
                return
            passage, self._passage = self._passage, None
            if passage is not None:
                await passage.remove_all()
            else:
                await self._unfold(self.parent)
        self._tell()

    def show(self, shown: bool) -> None:
        self._shown = self.display = shown
        if self._passage is not None:
            self._passage.show(shown)

    async def remove_all(self) -> None:
        await self.fold(True)
        await self.remove()

    async def on_mount(self) -> None:
        if self._unfolds:
            await self.fold(False)

    async def on_click(self) -> None:
        await self.toggle(not self.folded)

    async def toggle(self, folded: bool) -> None:
        """The user wants it so."""
        await self.fold(folded)
        if self._ended and not folded:
            self.post_message(self.Unfolded(self))

    async def _unfold(self, transcript: Widget) -> None:
        self._passage = Passage(thinking=True)
        self._passage.show(self._shown)
        await self._passage.mount(transcript, after=self)
        await self._passage.write(self._text)
        if self._ended:
            await self._passage.end()

    def _tell(self) -> None:
        sign = "▸" if self.folded else "▾"
        self.update(Content(f"{sign} {self.thought.said(self._ended, self._text)}"))
