"""Conversations in lines: only those in view are drawn, so any number is as quick."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from localspec.chat.listing import Conversation
from localspec.tui.untrusted import displayable

_MODEL_WIDTH = 22
_NARROW = 64


class SessionList(ScrollView, can_focus=False):
    """One of them is chosen, unless there is none."""

    COMPONENT_CLASSES = {"sessions--title", "sessions--detail", "sessions--chosen"}

    place: reactive[int] = reactive(0)

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Conversation] = ()

    @property
    def rows(self) -> Sequence[Conversation]:
        return self._rows

    @property
    def chosen(self) -> Conversation | None:
        return self._rows[self.place] if self._rows else None

    def show(self, rows: Sequence[Conversation], chosen: int | None = None) -> None:
        """Choose the one with this number, if it is among them; else the first."""
        self._rows = rows
        self.virtual_size = Size(0, len(rows))
        at = (place for place, row in enumerate(rows) if row.id == chosen)
        self.place = next(at, 0)
        self._follow()
        self.refresh()

    def move(self, step: int) -> None:
        self.place = max(0, min(len(self._rows) - 1, self.place + step))

    def watch_place(self) -> None:
        self._follow()
        self.refresh()

    def _follow(self) -> None:
        line = Region(0, self.place, 1, 1)
        self.scroll_to_region(line, animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        place = y + self.scroll_offset.y
        width = self.size.width
        if place >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        row = self._rows[place]
        style = self.rich_style
        if place == self.place:
            style += self.get_component_rich_style("sessions--chosen", partial=True)
        # Its colour is a share of the foreground's, which only the whole style knows.
        detail = style + Style(
            color=self.get_component_rich_style("sessions--detail").color, bold=False
        )
        right = _facts(row) if width >= _NARROW else ""
        room = max(0, width - len(right) - 4)
        title = displayable(row.title) or "(no text)"
        found = displayable(row.found)
        left = _cut(title, room * 2 // 5 if found else room)
        mark = "▸ " if place == self.place else "  "
        segments = [Segment(f"{mark}{left}  ", style)]
        if found:
            segments.append(Segment(_cut(found, room - room * 2 // 5), detail))
        segments.append(Segment(right, detail))
        return Strip(segments).adjust_cell_length(width, style)


def _facts(row: Conversation) -> str:
    when = row.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")
    if row.found:
        # The place that was found needs the room more.
        return f"  {when}  "
    count = f"{row.num_messages:,} message{' ' if row.num_messages == 1 else 's'}"
    return f"  {_cut(displayable(row.model), _MODEL_WIDTH)}  {count:>14}  {when}  "


def _cut(text: str, width: int) -> str:
    """In exactly so many cells."""
    fitted = set_cell_size(text, width)
    if fitted.rstrip() == text.rstrip() or width < 1:
        return fitted
    return set_cell_size(set_cell_size(text, width - 1).rstrip() + "…", width)
