"""The numbers as one text: two columns where there is room for both, else one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from textual.content import Content

from localspec.tui.stats_table import Row, Section

_NAME, _VALUE = 31, 22
_WIDEST = 55
"""Of one column: values further away are hard to follow from their names."""

Part = tuple[str, str]
"""A line, and its style."""


def page(sections: Sequence[Section], num_replies: int, width: int) -> Content:
    """`width` in cells."""
    every = f"all replies ({num_replies:,})"
    rows = [row for _, rows in sections for row in rows]
    wide = [_beside(row) for row in [Row("", "last reply", every), *rows]]
    if max(map(len, wide)) <= width:
        parts = [(wide[0], "$text-muted"), *_titled(sections, lambda row: [_beside(row)])]
    else:
        room = min(width, _WIDEST)
        parts = [
            ("last reply", "$text-muted"),
            *_titled(sections, lambda row: _alone(row.name, row.last, room)),
            ("", ""),
            (every, "$text-muted"),
            *_titled(sections, lambda row: _alone(row.name, row.every, room)),
        ]
    return Content("\n").join(Content.styled(line, style) for line, style in parts)


def _titled(sections: Sequence[Section], draw: Callable[[Row], list[str]]) -> Iterator[Part]:
    """Without the sections that have no value here."""
    for title, rows in sections:
        if lines := [line for row in rows for line in draw(row)]:
            yield from (("", ""), (title, "bold $primary"))
            yield from ((line, "") for line in lines)


def _beside(row: Row) -> str:
    return f"{row.name:<{_NAME}}{row.last:<{_VALUE}}{row.every}".rstrip()


def _alone(name: str, value: str, room: int) -> list[str]:
    """The value at the right, under its name where both don't fit."""
    if not (value := value.strip()):
        return []
    if len(name) + 2 + len(value) > room:
        return [name, f"{value:>{room}}"]
    return [f"{name}{value:>{room - len(name)}}"]
