"""A turn of the model: its thinking, dry Markdown, the wet tail, and the line with its numbers."""

from __future__ import annotations

from textual.widget import Widget
from textual.widgets import Static

from localspec.chat.events import Burst
from localspec.tui.ink import ANSWER, THINKING, Ink, Stroke, kept_text
from localspec.tui.marking import Marking
from localspec.tui.reading import Reading, Stretch
from localspec.tui.thoughts import Thoughts
from localspec.tui.widgets.passage import Passage
from localspec.tui.widgets.tail import Tail
from localspec.tui.widgets.thought_line import ThoughtLine
from localspec.tui.widgets.xray import XRay

_DRY_EVERY = 0.3


class Reply:
    """Grows with `add`; drawn by `paint`, so that any number of bursts cost one frame."""

    def __init__(
        self,
        transcript: Widget,
        marking: Marking = Marking.LIVE,
        begun: str = "",
        thoughts: Thoughts | None = None,
    ) -> None:
        """`begun` is what there is of it already, `thoughts` the numbers of that; who proposed it
        isn't known any more."""
        self.text = begun
        """As the model wrote it."""
        self._transcript = transcript
        self._marking = marking
        self._reading = Reading(thoughts or Thoughts())
        self._arrived = self._reading.put(begun)
        self._ink = Ink()
        self._parts: list[Passage | ThoughtLine] = []
        self._part: Passage | ThoughtLine | None = None
        """The last one, while it grows."""
        self._tail = Tail()
        self._summary = Static(markup=False, classes="summary")
        self._xray = XRay(transcript, self._tail, self._summary)
        self._changed = bool(begun)
        self._dried_at = 0.0

    async def mount(self) -> None:
        await self._transcript.mount(self._tail, self._summary)
        await self._place_arrived()
        await self.mark(self._marking)

    @property
    def attached(self) -> bool:
        """Whether it is still part of the transcript."""
        return self._summary.is_attached

    @property
    def thoughts(self) -> Thoughts:
        return self._reading.thoughts

    def open_in_thinking(self, tag: str) -> None:
        """The prompt ended with this tag."""
        if not self.text:
            self._reading = Reading(Thoughts(tag))

    def add(self, burst: Burst) -> None:
        self.text += burst.text
        self._arrived += self._reading.add(burst)
        self._changed = True

    async def mark(self, marking: Marking) -> None:
        """Show who proposed what, and how much of it."""
        self._marking = marking
        xray = marking.is_xray and not self._xray.forgotten
        for part in self._parts:
            part.show(not xray)
        await (self._xray.show(marking) if xray else self._xray.hide())
        self._dress_tail()
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
        await self._place_arrived()
        if now - self._dried_at >= _DRY_EVERY:
            self._dried_at = now
            await self._write(self._ink.dry())
        self._tail.show(self._ink.strokes, self._marking)

    async def finish(self, text: str, summary: str) -> None:
        """The reply is over; `text` is what it is in the end."""
        if text.startswith(self.text):
            self._arrived += self._reading.put(text[len(self.text) :]) + self._reading.finish()
            self.text = text
            await self._place_arrived()
            await self._end_part()
        else:
            await self._rewrite(text)
        lines = [part for part in self._parts if isinstance(part, ThoughtLine)]
        if lines and len(lines) == len(self._parts):
            # There is no answer: this is all there is to read.
            await lines[-1].fold(False)
        await self._tail.remove()
        self._summary.update(summary)

    async def _place_arrived(self) -> None:
        arrived, self._arrived = self._arrived, []
        for stretch in arrived:
            if stretch.kind == "tag":
                await self._end_part()
                await self._xray.add(stretch.strokes)
                continue
            await self._need_part(stretch)
            self._ink.lay(stretch.strokes)

    async def _need_part(self, stretch: Stretch) -> None:
        if self._part is None:
            thinking = stretch.kind == "thinking"
            await self._add(ThoughtLine(stretch.thought) if thinking else self._new_passage())
        if isinstance(self._part, ThoughtLine):
            self._part.count(stretch.thought)

    def _new_passage(self) -> Passage:
        passages = [part for part in self._parts if isinstance(part, Passage)]
        return Passage(passages[-1].num_code if passages else 0)

    async def _add(self, part: Passage | ThoughtLine) -> None:
        self._part = part
        self._parts.append(part)
        part.show(not self._xray.shown)
        if isinstance(part, ThoughtLine):
            await self._transcript.mount(part, before=self._tail)
        else:
            await part.mount(self._transcript, before=self._tail)
        self._ink.wetness = THINKING if isinstance(part, ThoughtLine) else ANSWER
        self._dress_tail()

    async def _write(self, dry: list[Stroke]) -> None:
        if self._part is not None:
            await self._part.write(kept_text(dry))
        await self._xray.add(dry)
        self._dress_tail()

    async def _end_part(self) -> None:
        await self._write(self._ink.dry_all())
        if self._part is not None:
            await self._part.end()
        self._part = None

    def _dress_tail(self) -> None:
        """It looks like what its text will be."""
        part, xray = self._part, self._xray.shown
        passage = part if isinstance(part, Passage) else None
        self._tail.set_class(passage is not None and passage.in_code and not xray, "in-code")
        self._tail.set_class(isinstance(part, ThoughtLine) and not xray, "thinking")
        begins = passage.empty if passage else not self._parts
        self._tail.set_class(begins, "first")

    async def _rewrite(self, text: str) -> None:
        """The end took back text that was shown, as for a stop string."""
        wet = self._ink.dry_all()
        for part in self._parts:
            await part.remove_all()
        self._parts.clear()
        self._part, self.text = None, text
        self._reading = Reading(self.thoughts)
        for stretch in self._reading.put(text) + self._reading.finish():
            if stretch.kind == "tag":
                self._part = None
                continue
            await self._need_part(stretch)
            if self._part is not None:
                await self._part.write(kept_text(stretch.strokes))
        for part in self._parts:
            await part.end()
        await self._xray.cut(wet, text)
