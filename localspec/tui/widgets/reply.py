"""A turn of the model: dry Markdown, the wet tail, and the quiet line with its numbers."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static
from textual.widgets.markdown import MarkdownStream

from localspec.chat.events import Piece
from localspec.tui.ink import Ink
from localspec.tui.pages import Pages
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.prose import Prose
from localspec.tui.widgets.tail import Tail

_DRY_EVERY = 0.25


class Reply(Vertical):
    """Grows with `add`; drawn by `paint`, so that any number of bursts cost one frame."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        """As the model wrote it."""
        self._ink = Ink()
        self._pages = Pages()
        self._page = Prose()
        self._stream: MarkdownStream | None = None
        self._tail = Tail()
        self._summary = Static(markup=False, classes="summary")
        self._changed = False
        self._dried_at = 0.0

    def compose(self) -> ComposeResult:
        yield self._page
        yield self._tail
        yield self._summary

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
        first, *following = self._pages.split(dry)
        await self._append(first)
        for part in following:
            await self._end_page()
            self._page = Prose()
            await self.mount(self._page, before=self._tail)
            await self._append(part)

    async def _append(self, text: str) -> None:
        if not text:
            return
        if self._stream is None:
            self._stream = Prose.get_stream(self._page)
        await self._stream.write(text)

    async def _end_page(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.stop()

    async def _rewrite(self, text: str) -> None:
        """The end took back text that was shown, as for a stop string."""
        self.text = text
        await self.query(Prose).remove()
        first, *following = Pages().split(displayable(text))
        await self.mount_all([Prose(part) for part in (first, *following)], before=self._tail)


class PastReply(Vertical):
    """A reply of a conversation that was opened again."""

    def __init__(self, text: str) -> None:
        super().__init__(*(Prose(part) for part in Pages().split(displayable(text))))
