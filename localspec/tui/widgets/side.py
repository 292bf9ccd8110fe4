"""One side of a race: its name and speed, its text, its progress and its clock."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from localspec.chat.comparison import ArmResult
from localspec.chat.events import Measuring
from localspec.chat.state import State
from localspec.tui import figures
from localspec.tui.marking import Marking
from localspec.tui.race import Track
from localspec.tui.widgets.edge import Edge
from localspec.tui.widgets.lane import Lane


class Progress(Widget):
    """A bar that takes the room that the numbers leave."""

    COMPONENT_CLASSES = {"progress--bar", "progress--groove"}
    LEAST_BAR = 4

    def __init__(self) -> None:
        super().__init__()
        self._part, self._numbers = 0.0, ""

    def show(self, part: float, numbers: str) -> None:
        self._part, self._numbers = part, numbers
        self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        room = width - len(self._numbers) - 2
        if room < self.LEAST_BAR:
            return Content(self._numbers).truncate(width)
        filled, empty = figures.bar(self._part, room)
        bar = (filled, self._style("bar")), (empty, self._style("groove"))
        return Content.assemble(*bar, "  ", self._numbers)

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"progress--{name}")


class Side(Vertical):
    """Shows runs while they are measured, then one of them again."""

    def __init__(self, name: str) -> None:
        super().__init__(id=f"side-{name}")
        self._label = name
        self._note = self._length = ""
        self._head = Edge(classes="head")
        self._runs = Edge(classes="runs")
        self._lane = Lane()
        self._progress = Progress()
        self._speeds: list[float] = []
        self._track = Track(())

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._runs
        yield self._lane
        yield self._progress

    def on_mount(self) -> None:
        self._show_head(None)

    def measure(self, event: Measuring) -> None:
        """How far its runs are."""
        if event.tokens_per_second is not None:
            self._speeds.append(event.tokens_per_second)
            rates = "  ".join(f"{figures.rate(speed):>5}" for speed in self._speeds)
            self._runs.show(Content(f"runs so far  {rates}  tok/s"))
        whole = event.max_tokens or 0
        part = event.num_tokens / whole if whole else 0.0
        self._progress.show(part, _tokens(event.num_tokens, whole))

    def begin(self, track: Track, result: ArmResult, marking: Marking, parting: int | None) -> None:
        self._track = track
        self._note, self._length = _note(result), _length(result)
        self._runs.display = False
        self._lane.run(track, marking, parting)

    def show(self, seconds: float, from_start: bool = False) -> None:
        """Where it is in the race."""
        moment, whole = self._track.at(seconds), self._track.num_tokens
        self._show_head(moment.rate)
        self._lane.show(moment.num_inked, from_start)
        clock = f"{moment.seconds:.2f}".rjust(len(f"{self._track.seconds:.2f}"))
        part = moment.num_tokens / whole if whole else 1.0
        self._progress.show(part, f"{_tokens(moment.num_tokens, whole)}  {clock} s")

    def move(self, lines: int) -> None:
        self._lane.move(lines)

    def move_page(self, pages: int) -> None:
        self._lane.move(pages * max(1, self._lane.size.height - 1))

    def look_at_difference(self) -> None:
        self._lane.look_at_difference()

    def _show_head(self, rate: float | None) -> None:
        speed = "" if rate is None else f"{figures.rate(rate):>5} tok/s"
        name = Content.assemble((self._label, "bold"), f"  {self._note}" if self._note else "")
        whole = name.append(f" · {self._length}" if self._length else "")
        # Half a number says something else.
        room = self._head.content_size.width - Edge.GAP - len("123.4 tok/s")
        self._head.show(whole if whole.cell_length <= room else name, Content(speed))


def _tokens(number: int, whole: int) -> str:
    if not whole:
        return f"{number} tokens"
    return f"{number:>{len(str(whole))}} of {whole} tokens"


def _note(result: ArmResult) -> str:
    """The time before its clock runs, and why it didn't draft."""
    prompt = f"prompt {result.prefill_s:.2f} s"
    if result.name == "off":
        return prompt
    state = State(result.state, result.state_reason)
    if state.kind != "active" or result.mean_acceptance_length is None:
        return f"{prompt} · speculation {state}"
    return prompt


def _length(result: ArmResult) -> str:
    length = result.mean_acceptance_length
    drafted = result.name != "off" and result.state == "active" and length is not None
    return f"{figures.length(length)} a pass" if drafted else ""
