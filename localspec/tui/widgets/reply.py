"""A turn of the model: dry Markdown, the wet tail, and the quiet line with its numbers."""

from __future__ import annotations

from textual.widget import Widget
from textual.widgets import Static
from textual.widgets.markdown import MarkdownStream

from localspec.chat.events import Piece
from localspec.tui.ink import Ink
from localspec.tui.pages import Pages
from localspec.tui.widgets.prose import Prose, past_pages
from localspec.tui.widgets.tail import Tail

_DRY_EVERY = 0.3


class Reply:
    """Grows with `add`; drawn by `paint`, so that any number of bursts cost one frame.

    Its widgets lie side by side in the transcript: of a widget that is scrolled, only the
    children in view are laid out, and a reply in a box of its own would be one child.
    """

    def __init__(self, transcript: Widget) -> None:
        self.text = ""
        """As the model wrote it."""
        self._transcript = transcript
        self._ink = Ink()
        self._pages = Pages()
        self._prose = [Prose(ended=False)]
        self._stream: MarkdownStream | None = None
        self._tail = Tail()
        self._summary = Static(markup=False, classes="summary")
        self._changed = False
        self._dried_at = 0.0

    async def mount(self) -> None:
        await self._transcript.mount(*self._prose, self._tail, self._summary)

    async def remove(self) -> None:
        for widget in (*self._prose, self._tail, self._summary):
            await widget.remove()

    def add(self, pieces: tuple[Piece, ...]) -> None:
        self.text += "".join(piece.text for piece in pieces)
        self._ink.add(pieces)
        self._changed = True

    async def paint(self, now: float) -> None:
        """Draw what has come since the last time."""
        if not self._changed:
            return
        self._changed = False
        if now - self._dried_at >= _DRY_EVERY:
            self._dried_at = now
            await self._write(self._ink.dry())
        self._tail.show(self._ink.pieces)

    async def finish(self, text: str, summary: str) -> None:
        """The reply is over; `text` is what it is in the end."""
        if text.startswith(self.text):
            self.add((Piece(text[len(self.text) :], "target"),))
            await self._write(self._ink.dry_all())
            await self._end_page()
        else:
            await self._end_page()
            await self._rewrite(text)
        await self._tail.remove()
        self._summary.update(summary)

    async def _write(self, dry: str) -> None:
        if dry:
            self._tail.remove_class("first")
        first, *following = self._pages.split(dry)
        await self._append(first.text)
        for part in following:
            await self._end_page()
            await self._add_page(Prose(part, ended=False))
        self._tail.set_class(self._pages.in_code, "in-code")

    async def _append(self, text: str) -> None:
        if not text:
            return
        if self._stream is None:
            self._stream = Prose.get_stream(self._prose[-1])
        await self._stream.write(text)

    async def _add_page(self, page: Prose) -> None:
        self._prose.append(page)
        await self._transcript.mount(page, before=self._tail)

    async def _end_page(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.stop()
        self._prose[-1].ended = True

    async def _rewrite(self, text: str) -> None:
        """The end took back text that was shown, as for a stop string."""
        self.text = text
        for page in self._prose:
            await page.remove()
        self._prose.clear()
        for page in past_pages(text):
            await self._add_page(page)
