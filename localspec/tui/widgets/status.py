"""The line of numbers."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from localspec.tui import figures
from localspec.tui.meter import Meter
from localspec.tui.untrusted import displayable

_BAR_WIDTH = 16
_GAP = 3

Field = tuple[str, str]
"""A number and what it is a number of."""


@dataclass(frozen=True, slots=True)
class Activity:
    """What is going on instead of a reply, and how far it is."""

    name: str
    part: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Speculation:
    """Where drafts come from."""

    label: str
    active: bool = False
    """Drafts were tested in this reply."""


class StatusLine(Widget):
    """Fields keep their widths; on a narrow screen the last ones go first."""

    COMPONENT_CLASSES = {
        "status--number", "status--label", "status--bar", "status--groove", "status--on",
    }  # fmt: skip

    activity: reactive[Activity | None] = reactive(None)
    speculation: reactive[Speculation] = reactive(Speculation(""))
    fields: reactive[tuple[Field, ...]] = reactive(())

    def count(self, meter: Meter, rate: float | None, n_ctx: int) -> None:
        """Show the numbers of a reply; its speed is that of the last second, or `rate`."""
        self.fields = _fields(meter, rate, n_ctx)

    def render(self) -> Content:
        width = self.content_size.width
        light = self._light()
        room = width - light.cell_length - _GAP
        left = self._doing(self.activity) if self.activity else self._numbers(room)
        if left.cell_length > room:
            left = left.truncate(max(room, 0), ellipsis=True)
        gap = width - left.cell_length - light.cell_length
        return Content.assemble(left, " " * max(gap, 0), light)

    def _numbers(self, room: int) -> Content:
        shown = Content()
        for number, label in self.fields:
            field = Content.assemble(
                (number, self._style("number")), " ", (label, self._style("label"))
            )
            gap = _GAP if shown else 0
            if shown.cell_length + gap + field.cell_length > room:
                break
            shown = Content.assemble(shown, " " * gap, field)
        return shown

    def _doing(self, activity: Activity) -> Content:
        parts: list[str | Content | tuple[str, Style]] = [(activity.name, self._style("label"))]
        if activity.part is not None:
            filled, empty = figures.bar(activity.part, _BAR_WIDTH)
            bar = (filled, self._style("bar")), (empty, self._style("groove"))
            parts += ["  ", *bar, "  ", (activity.detail, self._style("number"))]
        return Content.assemble(*parts)

    def _light(self) -> Content:
        dot = ("● ", self._style("on")) if self.speculation.active else ("○ ", self._style("label"))
        label = displayable(self.speculation.label)
        return Content.assemble(dot, (label, self._style("label")))

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"status--{name}", partial=True)


def _fields(meter: Meter, rate: float | None, n_ctx: int) -> tuple[Field, ...]:
    stats = meter.stats
    total = f"{n_ctx:,}" if n_ctx else figures.NOTHING
    width = len(total)
    return (
        (f"{figures.rate(rate):>5}", "tok/s"),
        (f"{figures.share(stats.acceptance_rate):>4}", "accepted"),
        (f"{figures.length(stats.mean_acceptance_length):>4}", "a pass"),
        (f"{meter.num_context_tokens:>{width},} / {total}", "context"),
        (f"{stats.num_prompt_tokens:>{width},}", "prompt"),
    )
