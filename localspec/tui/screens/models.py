"""All models: what is here and what can be pulled, what fits, and the pull under way."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from localspec.errors import LocalspecError
from localspec.models import removal
from localspec.models.placement import MemoryOf
from localspec.models.placement_words import machine_words
from localspec.models.selection import size_text
from localspec.models.shelf import ShelfPair
from localspec.tui import model_orders, model_words
from localspec.tui.aside import Aside
from localspec.tui.model_asking import (
    Examined,
    Judged,
    MachineFound,
    Shelved,
    SurveyFailed,
    examination,
    survey,
)
from localspec.tui.model_rows import ModelRows
from localspec.tui.pull_progress import PullProgress
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.model_list import ModelList
from localspec.tui.widgets.pull_bars import PullBars

if TYPE_CHECKING:
    from localspec.tui.model_desk import ModelDesk

_FRAME = 0.2
_QUIT_WITHIN = 3.0


class ModelsScreen(ModalScreen["str | None"]):
    """Closes with the name of the pair to take, or None."""

    AUTO_FOCUS = "#filter"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (22, "-high")]
    BINDINGS = [
        Binding("enter", "choose", "Take or pull", priority=True, id="models.choose"),
        Binding("ctrl+x", "cancel", "Cancel the pull", priority=True, id="models.cancel"),
        Binding("ctrl+d", "delete", "Delete", priority=True, id="models.delete"),
        Binding("escape,ctrl+o", "close", "Back", priority=True, id="models.close"),
        Binding("up", "move(-1)", show=False, priority=True, id="models.up"),
        Binding("down", "move(1)", show=False, priority=True, id="models.down"),
        Binding("pageup", "page(-1)", show=False, priority=True, id="models.page_up"),
        Binding("pagedown", "page(1)", show=False, priority=True, id="models.page_down"),
        Binding("ctrl+c", "interrupt", show=False, priority=True, id="models.interrupt"),
    ]

    def __init__(self, desk: ModelDesk) -> None:
        super().__init__()
        self._desk = desk
        self._rows = ModelRows()
        self._machine: tuple[MemoryOf, ...] = ()
        self._asked: tuple[str, str] | None = None
        """What the next Enter or Ctrl+D confirms, and for which row."""
        self._asides: list[Aside[Any]] = []
        self._seen: PullProgress | None = None
        self._quit_armed_at: float | None = None
        self._filter = Input(placeholder="Name, family, size, or user/repo of the hub", id="filter",
                             compact=True)  # fmt: skip
        self._head = Static(id="machine", markup=False)
        self._list = ModelList()
        self._detail = Static(id="model-detail", markup=False)
        self._bars = PullBars()
        self._status = Static(id="models-status", markup=False)

    def compose(self) -> ComposeResult:
        with Horizontal(id="models-head"):
            yield Static("Models", id="models-title")
            yield self._head
        yield self._filter
        yield self._list
        yield self._detail
        yield self._bars
        yield self._status
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.watch(self._list, "place", self._describe, init=False)
        self.set_interval(_FRAME, self._follow_pull)
        self._follow_pull()
        self._begin_survey()

    def on_unmount(self) -> None:
        for aside in self._asides:
            aside.stop()

    def _begin_survey(self) -> None:
        self._asides.append(survey(self, self._desk.machine))

    def on_shelved(self, found: Shelved) -> None:
        first = not self._rows.pairs
        self._rows.pairs = found.pairs
        self._show(self._desk.used if first else None)
        if not self._status_text:
            self._count()

    def on_machine_found(self, found: MachineFound) -> None:
        self._machine = tuple(found.devices)
        unknown = "this machine's memory can't be asked for"
        self._head.update(machine_words(self._machine) if self._machine else unknown)

    def on_judged(self, judged: Judged) -> None:
        self._rows.verdicts[judged.name] = judged.verdict
        self._show()

    def on_survey_failed(self, failed: SurveyFailed) -> None:
        self._say(failed.fault, error=True)

    @on(Input.Changed, "#filter")
    def _filtered(self) -> None:
        self._asked = None
        self._list.place = 0
        self._show("")
        self._count()

    def _show(self, chosen: str | None = None) -> None:
        """Choose this row, or keep the one that is chosen."""
        key = self._key if chosen is None else chosen
        rows = self._rows.shown(self._filter.value, self._desk.used, self._desk.pulling)
        self._list.show(rows, key)
        self._describe()

    @property
    def _key(self) -> str:
        return self._list.chosen.key if self._list.chosen else ""

    def _describe(self) -> None:
        """What is known of the chosen row; why its last pull failed comes first."""
        key = self._key
        lines = []
        fault = self._desk.pulling.failures.get(key, "")
        if fault and fault not in self._status_text:
            lines.append(f"✗ {fault}")
        if pair := self._rows.find(key):
            lines += model_words.pair_lines(pair, self._rows.verdicts.get(key))
        elif verdict := self._rows.examined.get(key):
            lines += model_words.checked_lines(verdict)
        self._detail.update(Content(displayable("\n".join(lines))))

    def _follow_pull(self) -> None:
        pulling = self._desk.pulling
        if pulling.progress is not self._seen or pulling.is_stopping:
            self._seen = pulling.progress
            self._bars.show(pulling.progress, pulling.is_stopping)
            self._show()

    def pull_ended(self, said: str, is_fault: bool) -> None:
        self._follow_pull()
        self._say(said, error=is_fault)
        # The disk has changed, and with it what is free.
        self._begin_survey()

    def action_move(self, step: int) -> None:
        self._forget_question()
        self._list.move(step)

    def action_page(self, step: int) -> None:
        self.action_move(step * max(1, self._list.size.height - 1))

    def action_close(self) -> None:
        if self._asked is not None:
            self._forget_question()
        else:
            self.dismiss(None)

    def _forget_question(self) -> None:
        if self._asked is not None:
            self._asked = None
            self._count()

    def action_choose(self) -> None:
        key = self._key
        pair = self._rows.find(key)
        try:
            if pair is not None and pair.state == "ready":
                self._take(pair)
            elif pair is not None:
                self._pull_pair(pair)
            elif key:
                self._pull_place(key)
            else:
                self._say("Nothing is called so; user/repo asks the hub.", error=True)
        except LocalspecError as error:
            self._say(str(error), error=True)

    def _take(self, pair: ShelfPair) -> None:
        if pair.name == self._desk.used:
            self.dismiss(None)
        elif not self._desk.is_replying or self._confirmed("take", pair.name):
            self.dismiss(pair.name)
        else:
            self._say(f"A reply is running. Enter again ends it and takes {pair.name}.")

    def _pull_pair(self, pair: ShelfPair) -> None:
        verdict = self._rows.verdicts.get(pair.name)
        model_orders.refuse_pull(pair, self._desk.pulling)
        if not self._confirmed("pull", pair.name):
            self._say(model_orders.pull_question(pair, verdict))
            return
        quant = model_orders.pulled_quant(pair, verdict)
        self._desk.pull(pair.name, quant, self._machine)
        self._begun(pair.name)

    def _pull_place(self, place: str) -> None:
        """A place is asked about first."""
        verdict = self._rows.examined.get(place)
        if verdict is None:
            self._say(f"Asking the hub about {place}; Esc leaves it.")
            self._asides.append(examination(self, place, self._machine))
            return
        model_orders.refuse_place(verdict, self._desk.pulling)
        if not self._confirmed("pull", place):
            self._say(model_orders.place_question(verdict))
            return
        self._desk.pull(place, None, self._machine)
        self._begun(verdict.name)

    def on_examined(self, examined: Examined) -> None:
        if examined.fault:
            if self._key == examined.place:
                self._say(examined.fault, error=True)
            return
        assert examined.verdict is not None
        self._rows.examined[examined.place] = examined.verdict
        self._show()
        if self._key == examined.place:
            self.action_choose()

    def _begun(self, name: str) -> None:
        self._asked = None
        self._follow_pull()
        self._say(f"Pulling {name}. It goes on when this list is closed.")

    def action_cancel(self) -> None:
        if self._desk.pulling.cancel():
            self._say("The pull is ending; what was fetched is kept.")
        else:
            self._say("Nothing is being pulled.")

    async def action_delete(self) -> None:
        pair = self._rows.find(self._key)
        if pair is None:
            return
        try:
            if pair.name == self._desk.used:
                raise LocalspecError(f"{pair.name} is in use.", "Take another model first.")
            if self._desk.pulling.is_of(pair.name):
                raise LocalspecError(f"{pair.name} is being pulled.", "Ctrl+X cancels that.")
            planned = await asyncio.to_thread(removal.plan_removal, pair.name)
            if not self._confirmed("delete", pair.name):
                self._say(model_orders.delete_question(planned))
                return
            await asyncio.to_thread(removal.remove, pair.name)
        except (LocalspecError, OSError) as error:
            self._asked = None
            self._say(str(error), error=True)
            return
        self._asked = None
        self._rows.verdicts.pop(pair.name, None)
        self._say(f"{pair.name} is deleted; {size_text(planned.freed_bytes)} freed.")
        self._begin_survey()

    def _confirmed(self, what: str, key: str) -> bool:
        """Whether this was asked before; from now on it was."""
        before, self._asked = self._asked, (what, key)
        return before == self._asked

    async def action_interrupt(self) -> None:
        if selected := self._filter.selected_text:
            self.app.copy_to_clipboard(selected)
            self._say("Copied.")
        elif (
            self._quit_armed_at is not None
            and time.monotonic() - self._quit_armed_at <= _QUIT_WITHIN
        ):
            await self.app.action_quit()
        else:
            self._quit_armed_at = time.monotonic()
            self._say("Press Ctrl+C again to quit.")

    def _count(self) -> None:
        """What there is, and how many of it match."""
        pairs = self._rows.pairs
        here = sum(pair.state == "ready" for pair in pairs)
        shown = len(self._list.rows)
        if not self._filter.value.strip():
            self._say(f"{here} on this disk, {len(pairs) - here} to pull.")
        elif shown:
            self._say(f"{shown} of {len(pairs)} models.")
        else:
            self._say("Nothing is called so; user/repo asks the hub.")

    _status_text = ""

    def _say(self, text: str, error: bool = False) -> None:
        self._status_text = text
        self._status.set_class(error, "error")
        self._status.update(Content(("✗ " if error else "") + displayable(text)))
