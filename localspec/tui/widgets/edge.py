"""A line with something at either end."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget


class Edge(Widget):
    """Where there is no room for both, the left end gives way."""

    GAP = 2

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._left = self._right = Content("")

    def show(self, left: Content, right: Content | None = None) -> None:
        self._left, self._right = left, right or Content("")
        self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        right = self._right.truncate(width)
        room = width - right.cell_length - (self.GAP if right else 0)
        left = self._left.truncate(max(0, room), ellipsis=True)
        gap = width - left.cell_length - right.cell_length
        return Content.assemble(left, " " * max(0, gap), right)
