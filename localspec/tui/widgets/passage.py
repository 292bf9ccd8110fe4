"""Markdown that grows, in pages that lie side by side in the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from localspec.tui import garbage
from localspec.tui.pages import Pages

if TYPE_CHECKING:
    from textual.widgets.markdown import MarkdownStream

    from localspec.tui.widgets.prose import Prose


class Passage:
    """Of a widget that is scrolled, only the children in view are laid out, and a passage in a box
    of its own would be one child."""

    def __init__(self, num_code: int = 0, *, thinking: bool = False) -> None:
        """`num_code` code blocks of the reply come before it."""
        self.empty = True
        self._pages = Pages(num_code)
        self._thinking = thinking
        self._shown = True
        self._stream: MarkdownStream | None = None
        self._prose: list[Prose] = []

    @property
    def in_code(self) -> bool:
        return self._pages.in_code

    @property
    def num_code(self) -> int:
        """Code blocks up to its end."""
        return self._pages.num_code

    async def mount(
        self, transcript: Widget, *, before: Widget | None = None, after: Widget | None = None
    ) -> None:
        # Markdown is a tenth of the way to the first frame, which needs none of it.
        from localspec.tui.widgets.prose import Prose

        self._prose = [Prose(num_code=self.num_code, thinking=self._thinking, ended=False)]
        self._prose[0].display = self._shown
        await transcript.mount(self._prose[0], before=before, after=after)

    async def write(self, text: str) -> None:
        if not text:
            return
        self.empty = False
        first, *following = self._pages.split(text)
        await self._append(first.text)
        for part in following:
            await self.end()
            page = type(self._prose[-1])(part, thinking=self._thinking, ended=False)
            page.display = self._shown
            before, self._prose = self._prose[-1], [*self._prose, page]
            if isinstance(before.parent, Widget):
                await before.parent.mount(page, after=before)
            garbage.settle()

    async def end(self) -> None:
        """Nothing more will be written."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.stop()
        self._prose[-1].ended = True

    def show(self, shown: bool) -> None:
        self._shown = shown
        for page in self._prose:
            page.display = shown

    async def remove_all(self) -> None:
        await self.end()
        for page in self._prose:
            await page.remove()

    async def _append(self, text: str) -> None:
        if not text:
            return
        if self._stream is None:
            page = self._prose[-1]
            self._stream = page.get_stream(page)
        await self._stream.write(text)
