"""Speculation off and on beside each other: measured by turns, then replayed as it was."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from localspec.chat.events import Compared, Failed, Finished, Measuring
from localspec.tui.contest import Contest
from localspec.tui.link import Link
from localspec.tui.marking import Marking
from localspec.tui.messages import BackendEnded, BackendEvent
from localspec.tui.meter import Clock
from localspec.tui.race import RaceClock, Track, parting
from localspec.tui.untrusted import displayable
from localspec.tui.verdict import verdict
from localspec.tui.widgets.edge import Edge
from localspec.tui.widgets.side import Side

_FRAME = 1 / 20
_BROKEN_OFF = Failed("The comparison broke off without a result.")


class RaceScreen(Screen["Failed | None"]):
    """Closes with why there was no race, if one failed."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (64, "-wide")]
    BINDINGS = [
        Binding("space", "replay", "Replay", id="race.replay"),
        Binding("f", "faster", "Faster", id="race.faster"),
        Binding("d", "difference", "Difference", id="race.difference"),
        Binding("up", "move(-1)", "Up", show=False, id="race.up"),
        Binding("down", "move(1)", "Down", show=False, id="race.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="race.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="race.page_down"),
        Binding("escape,q", "leave", "Cancel or close", id="race.close"),
    ]

    def __init__(
        self, link: Link, contest: Contest, model: str, clock: Clock, marking: Marking
    ) -> None:
        super().__init__()
        self.compared: Compared | None = None
        self._link = link
        self._contest = contest
        self._model = model
        self._clock = clock
        self._marking = Marking.OFF if marking is Marking.OFF else Marking.LIVE
        self._race = RaceClock(clock, 0.0)
        self._stopping = self._is_over = False
        self._failed: Failed | None = None
        self._sides = {name: Side(name) for name in ("off", "on")}
        self._painted: float | None = None
        self._heading = Edge(id="race-title")
        self._verdict = Static(id="race-verdict", markup=False)

    def compose(self) -> ComposeResult:
        yield self._heading
        with Horizontal(id="race"):
            yield from self._sides.values()
        yield self._verdict
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self._entitle("")
        self._say("starting")
        self.set_interval(_FRAME, self._paint)
        self._link.compare(self, self._contest)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What there is nothing for yet isn't offered."""
        if action in ("replay", "faster"):
            return self.compared is not None
        if action == "difference":
            return self.compared is not None and self.compared.comparison.difference is not None
        return True

    def on_backend_event(self, message: BackendEvent) -> None:
        if message.run != self._link.run or self.compared is not None:
            return
        match message.event:
            case Measuring() as event:
                self._measure(event)
            case Compared() as event if not self._stopping:
                self._begin(event)
            case Failed() as event:
                self._end(event)
            case Finished() | Compared():
                self._end(None)

    def on_backend_ended(self, message: BackendEnded) -> None:
        if message.run == self._link.run and self.compared is None:
            self._end(None if self._stopping else _BROKEN_OFF)

    def _measure(self, event: Measuring) -> None:
        if not self._stopping:
            self._say(str(event))
        if (side := self._sides.get(event.what)) is not None:
            side.measure(event)

    def _begin(self, event: Compared) -> None:
        self.compared = event
        result = event.comparison
        tracks = {"off": Track(event.off), "on": Track(event.on)}
        parted = parting(tracks["off"].text, tracks["on"].text) if result.difference else None
        for name, arm in (("off", result.off), ("on", result.on)):
            self._sides[name].begin(tracks[name], arm, self._marking, parted)
        self._say(verdict(result))
        self._race = RaceClock(self._clock, max(track.seconds for track in tracks.values()))
        self.refresh_bindings()
        self._show(from_start=True)

    def _paint(self) -> None:
        if self.compared is not None and self._painted != self._race.seconds:
            self._show()

    def _show(self, from_start: bool = False) -> None:
        self._painted = seconds = self._race.seconds
        for side in self._sides.values():
            side.show(seconds, from_start)
        self._entitle(f"{self._race.speed}x speed")

    def _entitle(self, speed: str) -> None:
        question = " ".join(displayable(self._contest.question).split())
        self._heading.show(Content(f"{displayable(self._model)} · {question}"), Content(speed))

    def _say(self, text: str) -> None:
        self._verdict.update(Content(displayable(text)))

    def action_replay(self) -> None:
        self._race.replay()
        self._show(from_start=True)

    def action_faster(self) -> None:
        self._race.faster()
        self._show()

    def action_difference(self) -> None:
        for side in self._sides.values():
            side.look_at_difference()

    def action_move(self, lines: int) -> None:
        for side in self._sides.values():
            side.move(lines)

    def action_page(self, pages: int) -> None:
        for side in self._sides.values():
            side.move_page(pages)

    def _end(self, failed: Failed | None) -> None:
        if self._is_over:
            return
        self._is_over, self._failed = True, failed
        if self.is_active:
            self.dismiss(failed)
        else:
            # The palette is open over it; what was under it comes back later.
            self.pop_until_active()

    def on_screen_resume(self) -> None:
        # More than one screen may have been over it, and each comes with such an event.
        if self._is_over and self.is_active:
            self.dismiss(self._failed)

    def action_leave(self) -> None:
        self.leave()

    def leave(self) -> None:
        """Cancel, or close when there is a result."""
        if self.compared is not None:
            self._end(None)
        elif not self._stopping:
            self._stopping = True
            self._say("stopping")
            self._link.stop()
