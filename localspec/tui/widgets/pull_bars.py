"""A pull under way: a bar for each of the two models."""

from __future__ import annotations

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from localspec.models.selection import size_text
from localspec.tui import figures
from localspec.tui.pull_progress import Part, PullProgress
from localspec.tui.untrusted import displayable

_WIDTH = 24
_LEAST = 8
_NUMBERS = 58
"""Cells of the role, the share, the sizes, the rate and the time left at their longest."""


class PullBars(Widget):
    """Takes no room while nothing is pulled."""

    COMPONENT_CLASSES = {"pull--bar", "pull--groove", "pull--number"}

    def __init__(self) -> None:
        super().__init__()
        self._progress: PullProgress | None = None
        self.display = False

    def show(self, progress: PullProgress | None, stopping: bool = False) -> None:
        self._progress, self._stopping = progress, stopping
        self.display = progress is not None
        self.refresh(layout=True)

    def render(self) -> Content:
        progress = self._progress
        if progress is None:
            return Content("")
        doing = "ending" if self._stopping else progress.doing
        lines = [Content(f"pulling {displayable(progress.name)} · {doing}")]
        lines += [self._bar(part, progress) for part in progress.parts]
        if progress.notice:
            lines.append(Content(displayable(progress.notice)))
        width = max(1, self.content_size.width)
        return Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)

    def _bar(self, part: Part, progress: PullProgress) -> Content:
        width = max(_LEAST, min(_WIDTH, self.content_size.width - _NUMBERS))
        filled, empty = figures.bar(part.share, width)
        sizes = f"{size_text(part.done):>8} of {size_text(part.total)}"
        rate = ""
        if part.role == progress.role and part.done < part.total and progress.bytes_per_second:
            rate = f"   {size_text(int(progress.bytes_per_second))}/s"
            if progress.seconds_left is not None:
                rate += f"   {figures.clock(progress.seconds_left)} left"
        return Content.assemble(
            f"{part.role:<7} ",
            (filled, self._style("bar")),
            (empty, self._style("groove")),
            (f" {part.share:>4.0%}  {sizes}{rate}", self._style("number")),
        )

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"pull--{name}")
