"""The numbers under the conversation, and whether speculation works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from localspec.tui import figures
from localspec.tui.columns import GAP, Column, fitting
from localspec.tui.untrusted import displayable

_BAR_WIDTH = 16
_LEAST_LIGHT = 24


@dataclass(frozen=True, slots=True)
class Activity:
    """What is going on instead of a reply, and how far it is."""

    name: str
    part: float | None = None
    detail: str = ""


class Light(Enum):
    """Whether drafts were tested in the last reply; the value is how it looks."""

    ON = "●"
    OFF = "○"
    UNKNOWN = "·"


@dataclass(frozen=True, slots=True)
class Speculation:
    """Where drafts come from."""

    label: str
    light: Light = Light.UNKNOWN


class StatusLine(Widget):
    """Speed and drafts in the first row; room, time and the light in the second. A low screen has
    one row, with what matters most."""

    COMPONENT_CLASSES = {
        "status--number", "status--label", "status--bar", "status--groove", "status--spark",
        "status--on",
    }  # fmt: skip

    activity: reactive[Activity | None] = reactive(None)
    speculation: reactive[Speculation] = reactive(Speculation(""))
    columns: reactive[tuple[Column, ...]] = reactive(())
    memory_bytes: reactive[int] = reactive(0)
    """What the engine's process holds; 0 while that isn't known."""

    def render(self) -> Content:
        width = self.content_size.width
        if self.content_size.height < 2:
            return self._lit(self.columns, width, self.activity)
        upper = [column for column in self.columns if column.row == 0]
        lower = [column for column in self.columns if column.row == 1]
        first = self._doing(self.activity) if self.activity else self._numbers(upper, width)
        rows = [self._with_memory(first.truncate(width), width), self._lit(lower, width, None)]
        return Content("\n").join(rows)

    def _with_memory(self, left: Content, width: int) -> Content:
        if not self.memory_bytes:
            return left
        memory = Content.assemble((figures.gigabytes(self.memory_bytes), self._style("label")))
        gap = width - left.cell_length - memory.cell_length
        return Content.assemble(left, " " * gap, memory) if gap >= GAP else left

    def _lit(self, columns: Sequence[Column], width: int, activity: Activity | None) -> Content:
        """A row that ends with the light. A long reason takes half of it, and what isn't known yet
        leaves it more."""
        light = self._light()
        room = width - GAP - min(max(_LEAST_LIGHT, light.cell_length), width // 2)
        left = self._doing(activity) if activity else self._numbers(columns, room)
        left = left.truncate(max(room, 0), ellipsis=True).rstrip()
        light = light.truncate(max(0, width - GAP - left.cell_length), ellipsis=True)
        gap = width - left.cell_length - light.cell_length
        return Content.assemble(left, " " * max(gap, 0), light)

    def _numbers(self, columns: Sequence[Column], room: int) -> Content:
        gap = Content(" " * GAP)
        return gap.join(
            Content.assemble(*((text, self._style(name)) for text, name in column.parts))
            for column in fitting(columns, room)
        )

    def _doing(self, activity: Activity) -> Content:
        parts: list[str | Content | tuple[str, Style]] = [(activity.name, self._style("label"))]
        if activity.part is not None:
            filled, empty = figures.bar(activity.part, _BAR_WIDTH)
            bar = (filled, self._style("bar")), (empty, self._style("groove"))
            parts += ["  ", *bar, "  ", (activity.detail, self._style("number"))]
        return Content.assemble(*parts)

    def _light(self) -> Content:
        light = self.speculation.light
        style = self._style("on" if light is Light.ON else "label")
        label = displayable(self.speculation.label)
        return Content.assemble((f"{light.value} ", style), (label, self._style("label")))

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"status--{name}")
