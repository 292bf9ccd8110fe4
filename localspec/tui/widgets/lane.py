"""The text of one side of a race, as far as it has come."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style

from localspec.tui.marking import Marking, drawn
from localspec.tui.race import Track, num_inked

_MARGIN = 2
_DIFFERS = "≠"
_CURSOR = "▌"


class Lane(ScrollView, can_focus=False):
    """Wrapped once as a whole, so that no word moves to the next line while it is written, and only
    what is in view is drawn."""

    COMPONENT_CLASSES = {
        "marked--draft", "marked--suffix", "marked--predicted", "marked--rejected",
        "marked--cursor", "lane--difference", "lane--mark",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._track = Track(())
        self._marking = Marking.LIVE
        self._parting: int | None = None
        self._num_inked = 0
        self._lines: list[Content] = []
        self._inked = [0]
        """What leaves something on the screen, before each line."""
        self._follows = True

    def run(self, track: Track, marking: Marking, parting: int | None) -> None:
        """Another text, with a mark at a character of it."""
        self._track, self._marking, self._parting = track, marking, parting
        self._wrap()

    def show(self, num_inked: int, from_start: bool = False) -> None:
        """Up to so many characters; white space is not counted."""
        self._follows = self._follows or from_start
        self._num_inked = num_inked
        self.virtual_size = Size(self.size.width, self._num_lines)
        if self._follows:
            self.scroll_end(animate=False, immediate=True, force=True)
        self.refresh()

    def move(self, lines: int) -> None:
        """Look at another place than the newest one."""
        self._follows = False
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False, force=True)

    def look_at_difference(self) -> None:
        if self._parting is not None:
            self._follows = False
            y = self._difference_line - self.size.height // 2
            self.scroll_to(y=y, animate=False, force=True)

    def on_resize(self) -> None:
        self._wrap()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_attached:
            self._wrap()

    def render_line(self, y: int) -> Strip:
        width, line = self.size.width, y + self.scroll_offset.y
        style = self.visual_style.rich_style
        if line >= self._num_lines:
            return Strip.blank(width, style)
        text = self._shown_line(line)
        differs = line == self._difference_line and self._num_inked >= self._inked_before_parting
        margin = _DIFFERS if differs and self._parting is not None else ""
        named = self.get_visual_style("lane--mark").rich_style if margin else style
        mark = Segment(margin.ljust(_MARGIN), named)
        segments = [mark, *text.render_segments(self.visual_style)]
        return Strip(segments).adjust_cell_length(width, style)

    def _shown_line(self, line: int) -> Content:
        text, count = self._lines[line], self._num_inked - self._inked[line]
        if line < self._num_lines - 1 or self._num_inked >= self._inked[-1]:
            return text
        shown = text[: _place(text.plain, count)]
        return Content.assemble(shown, (_CURSOR, self._named("cursor")))

    def _wrap(self) -> None:
        text = drawn(self._track.strokes, self._marking, self._named)
        if self._parting is not None:
            start, end = _word_at(text.plain, self._parting)
            # Whole: a partial style has no background.
            text = text.stylize(self.get_visual_style("lane--difference"), start, end)
        width = max(1, self.size.width - _MARGIN - len(_CURSOR))
        self._lines = text.wrap(width) if text else []
        self._inked = [0, *accumulate(num_inked(line.plain) for line in self._lines)]
        self.show(self._num_inked)

    @property
    def _num_lines(self) -> int:
        if self._num_inked >= self._inked[-1]:
            return len(self._lines)
        return max(1, bisect_left(self._inked, self._num_inked))

    @property
    def _inked_before_parting(self) -> int:
        return num_inked(self._track.text[: self._parting])

    @property
    def _difference_line(self) -> int:
        line = bisect_left(self._inked, self._inked_before_parting + 1) - 1
        return max(0, min(len(self._lines) - 1, line))

    def _named(self, name: str) -> Style:
        return self.get_visual_style(f"marked--{name}", partial=True)


def _place(text: str, count: int) -> int:
    """Behind so many characters that leave something on the screen."""
    places = (at for at, char in enumerate(text, start=1) if not char.isspace())
    return next((place for number, place in enumerate(places, start=1) if number == count), 0)


def _word_at(text: str, start: int) -> tuple[int, int]:
    """The rest of the word there, or of the next one."""
    while start < len(text) and text[start].isspace():
        start += 1
    end = start
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end
