"""The line of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from localspec.tui import figures
from localspec.tui.meter import Meter
from localspec.tui.untrusted import displayable

_BAR_WIDTH = 16
_GAP = 3
_WORD = "speculation "
_LEAST_LIGHT = 24

Field = tuple[str, str]
"""A number and what it is a number of."""


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
    """Fields keep their widths; on a narrow screen the last ones go first."""

    COMPONENT_CLASSES = {
        "status--number", "status--label", "status--bar", "status--groove", "status--on",
    }  # fmt: skip

    activity: reactive[Activity | None] = reactive(None)
    speculation: reactive[Speculation] = reactive(Speculation(""))
    fields: reactive[tuple[Field, ...]] = reactive(())

    def count(self, meter: Meter, rate: float | None, n_ctx: int, begun: bool = False) -> None:
        """Show the numbers of a reply at this `rate`.

        A conversation that has `begun` takes an unknown part of the context before a reply.
        """
        self.fields = _fields(meter, rate, n_ctx, begun)

    def render(self) -> Content:
        width = self.content_size.width
        light = self._light()
        room = width - light.cell_length - _GAP
        left = self._doing(self.activity) if self.activity else self._numbers(room)
        if left.cell_length > room:
            left = left.truncate(max(room, 0), ellipsis=True)
        if left.cell_length + _GAP + len(_WORD) + light.cell_length <= width:
            light = Content.assemble((_WORD, self._style("label")), light)
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
        light = self.speculation.light
        style = self._style("on" if light is Light.ON else "label")
        label = displayable(self.speculation.label)
        shown = Content.assemble((f"{light.value} ", style), (label, self._style("label")))
        # A long reason must not push the numbers off the screen.
        return shown.truncate(max(_LEAST_LIGHT, self.content_size.width // 2), ellipsis=True)

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"status--{name}")


def _fields(meter: Meter, rate: float | None, n_ctx: int, begun: bool) -> tuple[Field, ...]:
    stats = meter.stats
    total = f"{n_ctx:,}" if n_ctx else figures.NOTHING
    width = len(total)
    used = "?" if begun and not meter.num_context_tokens else f"{meter.num_context_tokens:,}"
    mean = stats.mean_acceptance_length
    return (
        _field(figures.rate(rate), 5, "tok/s", rate is not None),
        _field(figures.share(stats.acceptance_rate), 4, "accepted", stats.num_drafts > 0),
        _field(figures.length(mean), 4, "a pass", mean is not None),
        (f"{used:>{width}} / {total}", "context"),
        _field(f"{stats.num_prompt_tokens:,}", width, "prompt", stats.num_prompt_tokens > 0),
    )


def _field(number: str, width: int, label: str, known: bool) -> Field:
    """One that isn't known yet keeps its place free."""
    return (f"{number:>{width}}", label) if known else (" " * width, " " * len(label))
