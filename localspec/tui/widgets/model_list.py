"""Pairs in lines."""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style

from localspec.tui.cells import cut
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.row_list import RowList

_GAP = 2
_NAME = 21


@dataclass(frozen=True, slots=True)
class ModelRow:
    """What is drawn of a pair, or of a place on the hub."""

    key: str
    name: str
    parameters: str = ""
    quants: str = ""
    where: str = ""
    fit: str = ""
    license: str = ""
    is_here: bool = False
    """On this disk and whole."""
    is_used: bool = False
    fits: bool | None = None


@dataclass(frozen=True, slots=True)
class _Column:
    field: str
    width: int
    least: int
    """Columns of the screen from which on it is shown."""


_COLUMNS = (
    _Column("parameters", 14, 92),
    _Column("quants", 13, 112),
    _Column("where", 17, 46),
    _Column("fit", 37, 68),
    _Column("license", 24, 145),
)


class ModelList(RowList[ModelRow]):
    """The pair in use has a dot; what doesn't fit is dimmed."""

    COMPONENT_CLASSES = {"models--used"}

    def show(self, rows: list[ModelRow], chosen: str | None = None) -> None:
        """Choose the one of this key, if it is among them; else the first."""
        self.put(rows, next((place for place, row in enumerate(rows) if row.key == chosen), 0))

    def segments(self, row: ModelRow, style: Style, detail: Style) -> list[Segment]:
        width = self.size.width
        used = style + Style(color=self.get_component_rich_style("models--used").color)
        shown = [column for column in _COLUMNS if width >= column.least]
        # The last one has what is left.
        taken = sum(column.width + _GAP for column in shown[:-1])
        name = min(_NAME, max(1, width - 5)) if shown else max(1, width - 5)
        main = detail if row.fits is False else style
        drawn = [
            Segment("● " if row.is_used else "  ", used),
            Segment(cut(displayable(row.name), name), used if row.is_used else main),
        ]
        for number, column in enumerate(shown):
            last = number == len(shown) - 1
            room = max(1, width - 4 - name - taken - 2 * _GAP) if last else column.width
            text = cut(displayable(getattr(row, column.field)), room)
            plain = column.field == "where" and row.is_here
            drawn += [Segment(" " * _GAP, style), Segment(text, style if plain else detail)]
        return drawn
