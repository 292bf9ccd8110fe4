"""A reply as raw text with every token marked, in the place of its Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from textual.widget import Widget

from localspec.tui.ink import Stroke
from localspec.tui.marking import Marking
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.marked import Marked

_PAGE = 3_000
_LONGEST_PAGE = 9_000


class Exposure(Marked):
    """One page. The end of its last line is the page's own."""

    def __init__(self, page: Sequence[Stroke], marking: Marking) -> None:
        super().__init__(_without_last_break(page), marking)

    def show(self, strokes: Sequence[Stroke], marking: Marking) -> None:
        super().show(_without_last_break(strokes), marking)


class Film:
    """The dry strokes of a reply in pages: what is added costs the same at any length."""

    def __init__(self) -> None:
        self.pages: list[list[Stroke]] = [[]]
        self._length = 0

    def add(self, strokes: Sequence[Stroke]) -> None:
        for stroke in strokes:
            if self._length > _LONGEST_PAGE:
                self._begin_page()
            self._put(stroke)
            self._length += len(stroke.text)
            if self._length > _PAGE and stroke.text.endswith("\n") and not stroke.rejected:
                self._begin_page()

    def cut(self, text: str) -> None:
        """The reply is `text` in the end: what else was shown is taken off."""
        strokes = [stroke for page in self.pages for stroke in page]
        self.pages, self._length, at = [[]], 0, 0
        for stroke in strokes:
            if not stroke.rejected:
                if not text.startswith(stroke.text, at):
                    break
                at += len(stroke.text)
            self.add([stroke])
        self.add([Stroke(text[at:], "target")] if text[at:] else [])

    def _put(self, stroke: Stroke) -> None:
        """Neighbours of one origin look like one, and take the room of one."""
        page = self.pages[-1]
        last = page[-1] if page else None
        if last and (last.origin, last.rejected) == (stroke.origin, stroke.rejected):
            page[-1] = Stroke(last.text + stroke.text, stroke.origin, stroke.rejected)
        else:
            page.append(stroke)

    def _begin_page(self) -> None:
        self.pages.append([])
        self._length = 0


def _without_last_break(page: Sequence[Stroke]) -> list[Stroke]:
    strokes = list(page)
    if strokes and strokes[-1].text.endswith("\n") and not strokes[-1].rejected:
        strokes[-1] = Stroke(strokes[-1].text[:-1], strokes[-1].origin)
    return strokes


class XRay:
    """The film of one reply, and its pages on the screen while they are shown."""

    def __init__(self, transcript: Widget, tail: Widget, end: Widget) -> None:
        """The pages stand before the tail, as long as there is one, else before `end`."""
        self._transcript = transcript
        self._tail = tail
        self._end = end
        self._film: Film | None = Film()
        self._exposures: list[Exposure] = []
        self._marking = Marking.XRAY
        self.shown = False

    @property
    def forgotten(self) -> bool:
        return self._film is None

    async def add(self, dry: Sequence[Stroke]) -> None:
        if self._film is not None and dry:
            self._film.add(dry)
            await self._draw(from_page=len(self._exposures) - 1)

    async def show(self, marking: Marking) -> None:
        self.shown, self._marking = True, marking
        await self._draw()

    async def hide(self) -> None:
        self.shown = False
        for exposure in self._exposures:
            await exposure.remove()
        self._exposures.clear()

    async def forget(self) -> None:
        await self.hide()
        self._film = None

    async def cut(self, wet: Sequence[Stroke], text: str) -> None:
        """The reply is `text` in the end."""
        if self._film is None:
            return
        self._film.add(wet)
        self._film.cut(displayable(text))
        if self.shown:
            await self.hide()
            await self.show(self._marking)

    async def _draw(self, from_page: int = 0) -> None:
        if self._film is None or not self.shown:
            return
        before = self._tail if self._tail.is_attached else self._end
        for number, page in enumerate(self._film.pages):
            if number >= len(self._exposures):
                exposure = Exposure(page, self._marking)
                exposure.set_class(number == 0, "first")
                exposure.display = bool(page)
                self._exposures.append(exposure)
                await self._transcript.mount(exposure, before=before)
            elif number >= from_page:
                self._exposures[number].display = bool(page)
                self._exposures[number].show(page, self._marking)
