"""Find a model: what was typed, the rows that match, and all about the chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from localspec.models.placement import MemoryOf
from localspec.models.placement_words import machine_words
from localspec.tui import model_words
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
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.model_list import ModelList

if TYPE_CHECKING:
    from localspec.tui.model_desk import ModelDesk

_NOTHING = "Nothing is called so; user/repo asks the hub."


class ModelBrowser(Vertical):
    """What it finds out comes row by row; nothing here waits for it."""

    class Narrowed(Message):
        """Something was typed, or another row chosen by it."""

    class Counted(Message):
        """There are rows now."""

    def __init__(self, desk: ModelDesk) -> None:
        super().__init__()
        self.found = ModelRows()
        self.machine: tuple[MemoryOf, ...] = ()
        """Empty until it was asked, or where it can't be."""
        self._desk = desk
        self._asides: list[Aside[Any]] = []
        self._asking: set[str] = set()
        self._filter = Input(
            placeholder="Name, family, size, or user/repo of the hub", id="filter", compact=True
        )
        self._head = Static(id="machine", markup=False)
        self._list = ModelList()
        self._detail = Static(id="model-detail", markup=False)

    def compose(self) -> ComposeResult:
        with Horizontal(id="models-head"):
            yield Static("Models", id="models-title")
            yield self._head
        yield self._filter
        yield self._list
        yield self._detail

    def on_mount(self) -> None:
        self.watch(self._list, "place", self._describe, init=False)
        self.survey()

    def on_unmount(self) -> None:
        for aside in self._asides:
            aside.stop()

    @property
    def key(self) -> str:
        """Of the chosen row; empty where there is none."""
        return self._list.chosen.key if self._list.chosen else ""

    def move(self, step: int, pages: int = 0) -> None:
        self._list.move(step + pages * max(1, self._list.size.height - 1))

    def survey(self) -> None:
        """Look at the disk and the machine, at first or again."""
        self.found.examined.clear()
        self._asides.append(survey(self, self._desk.machine))

    def examine(self, place: str) -> None:
        """Ask the hub; Examined goes to the screen."""
        if place not in self._asking:
            self._asking.add(place)
            self._asides.append(examination(self, place, self.machine))

    def on_shelved(self, found: Shelved) -> None:
        first = not self.found.pairs
        self.found.pairs = found.pairs
        self.show(self._desk.used if first else None)
        if first:
            self.post_message(self.Counted())

    def on_machine_found(self, found: MachineFound) -> None:
        self.machine = tuple(found.devices)
        unknown = "this machine's memory can't be asked for"
        self._head.update(machine_words(self.machine) if self.machine else unknown)

    def on_judged(self, judged: Judged) -> None:
        self.found.verdicts[judged.name] = judged.verdict
        self.show()

    def on_survey_failed(self, failed: SurveyFailed) -> None:
        self._head.update(Content(displayable(failed.fault)))

    def on_examined(self, examined: Examined) -> None:
        self._asking.discard(examined.place)
        if examined.verdict is not None:
            self.found.examined[examined.place] = examined.verdict
            self.show()

    @on(Input.Changed, "#filter")
    def _filtered(self) -> None:
        self.show("")
        self.post_message(self.Narrowed())

    def show(self, chosen: str | None = None) -> None:
        """Choose this row, or keep the one that is chosen."""
        key = self.key if chosen is None else chosen
        rows = self.found.shown(self._filter.value, self._desk.used, self._desk.pulling)
        self._list.show(rows, key)
        self._describe()

    def _describe(self) -> None:
        """What is known of the chosen row; why its last pull failed comes first."""
        key = self.key
        fault = self._desk.pulling.failures.get(key)
        lines = [f"✗ {fault}"] if fault else []
        if pair := self.found.find(key):
            lines += model_words.pair_lines(pair, self.found.verdicts.get(key))
        elif verdict := self.found.examined.get(key):
            lines += model_words.checked_lines(verdict)
        self._detail.update(Content(displayable("\n".join(lines))))

    @property
    def count(self) -> str:
        """What there is, and how many of it match."""
        return self.found.count(self._filter.value, len(self._list.rows)) or _NOTHING
