"""Rows of which one is chosen: only those in view are drawn, so any number is as quick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

Row = TypeVar("Row")


class RowList(ScrollView, Generic[Row], can_focus=False):
    """One of the rows is chosen, unless there is none."""

    COMPONENT_CLASSES = {"row--detail", "row--chosen"}

    place: reactive[int] = reactive(0)

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def chosen(self) -> Row | None:
        return self._rows[self.place] if self._rows else None

    def put(self, rows: Sequence[Row], place: int = 0) -> None:
        """Show these, and choose the one at this place."""
        self._rows = rows
        self.virtual_size = Size(0, len(rows))
        self.place = max(0, min(len(rows) - 1, place))
        self._follow()
        self.refresh()

    def move(self, step: int) -> None:
        self.place = max(0, min(len(self._rows) - 1, self.place + step))

    def watch_place(self) -> None:
        self._follow()
        self.refresh()

    def on_resize(self) -> None:
        self._follow()

    def on_click(self, event: events.Click) -> None:
        place = event.y + self.scroll_offset.y
        if place < len(self._rows):
            self.place = place

    def segments(self, row: Row, style: Style, detail: Style) -> list[Segment]:
        """What is drawn of a row behind the mark of the chosen one, in `width` - 2 cells."""
        raise NotImplementedError

    def _follow(self) -> None:
        line = Region(0, self.place, 1, 1)
        self.scroll_to_region(line, animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        place = y + self.scroll_offset.y
        width = self.size.width
        if place >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        style = self.rich_style
        if place == self.place:
            style += self.get_component_rich_style("row--chosen", partial=True)
        # Its colour is a share of the foreground's, which only the whole style knows.
        detail = style + Style(color=self.get_component_rich_style("row--detail").color, bold=False)
        mark = Segment("▸ " if place == self.place else "  ", style)
        drawn = [mark, *self.segments(self._rows[place], style, detail)]
        return Strip(drawn).adjust_cell_length(width, style)
