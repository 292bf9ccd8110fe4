"""A turn of the model: dry Markdown, the wet tail, and the quiet line with its numbers."""

from __future__ import annotations

from textual.widget import Widget
from textual.widgets import Static
from textual.widgets.markdown import MarkdownStream

from localspec.chat.events import Burst, Piece
from localspec.tui.ink import Ink, Stroke, kept_text
from localspec.tui.marking import Marking
from localspec.tui.pages import Pages
from localspec.tui.widgets.prose import Prose, past_pages
from localspec.tui.widgets.tail import Tail
from localspec.tui.widgets.xray import XRay

_DRY_EVERY = 0.3


class Reply:
    """Grows with `add`; drawn by `paint`, so that any number of bursts cost one frame.

    Its widgets lie side by side in the transcript: of a widget that is scrolled, only the
    children in view are laid out, and a reply in a box of its own would be one child.
    """

    def __init__(
        self, transcript: Widget, marking: Marking = Marking.LIVE, begun: str = ""
    ) -> None:
        """`begun` is what there is of it already; who proposed that isn't known any more."""
        self.text = begun
        """As the model wrote it."""
        self._transcript = transcript
        self._marking = marking
        self._ink = Ink()
        self._ink.put((Piece(begun, "target"),) if begun else ())
        self._pages = Pages()
        self._prose = [Prose(ended=False)]
        self._stream: MarkdownStream | None = None
        self._tail = Tail()
        self._summary = Static(markup=False, classes="summary")
        self._xray = XRay(transcript, self._tail, self._summary)
        self._changed = bool(begun)
        self._dried_at = 0.0

    async def mount(self) -> None:
        await self._transcript.mount(*self._prose, self._summary)
        await self._transcript.mount(self._tail, before=self._summary)
        await self.mark(self._marking)

    @property
    def attached(self) -> bool:
        """Whether it is still part of the transcript."""
        return self._summary.is_attached

    def add(self, burst: Burst) -> None:
        self.text += burst.text
        self._ink.add(burst)
        self._changed = True

    async def mark(self, marking: Marking) -> None:
        """Show who proposed what, and how much of it."""
        self._marking = marking
        xray = marking.is_xray and not self._xray.forgotten
        for page in self._prose:
            page.display = not xray
        await (self._xray.show(marking) if xray else self._xray.hide())
        self._tail.set_class(self._pages.in_code and not xray, "in-code")
        self._tail.show(self._ink.strokes, marking)

    async def forget_marks(self) -> None:
        """Too many replies ago: from now on it is Markdown."""
        await self._xray.forget()
        await self.mark(self._marking)

    async def paint(self, now: float) -> None:
        """Draw what has come since the last time."""
        if not self._changed:
            return
        self._changed = False
        if now - self._dried_at >= _DRY_EVERY:
            self._dried_at = now
            await self._write(self._ink.dry())
        self._tail.show(self._ink.strokes, self._marking)

    async def finish(self, text: str, summary: str) -> None:
        """The reply is over; `text` is what it is in the end."""
        if text.startswith(self.text):
            self._ink.put((Piece(text[len(self.text) :], "target"),))
            self.text = text
            await self._write(self._ink.dry_all())
            await self._end_page()
        else:
            await self._end_page()
            await self._rewrite(text)
        await self._tail.remove()
        self._summary.update(summary)

    async def _write(self, dry: list[Stroke]) -> None:
        if dry:
            self._tail.remove_class("first")
        first, *following = self._pages.split(kept_text(dry))
        await self._append(first.text)
        for part in following:
            await self._end_page()
            await self._add_page(Prose(part, ended=False))
        await self._xray.add(dry)
        self._tail.set_class(self._pages.in_code and not self._xray.shown, "in-code")

    async def _append(self, text: str) -> None:
        if not text:
            return
        if self._stream is None:
            self._stream = Prose.get_stream(self._prose[-1])
        await self._stream.write(text)

    async def _add_page(self, page: Prose) -> None:
        page.display = not self._xray.shown
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
        await self._xray.cut(self._ink.dry_all(), text)
