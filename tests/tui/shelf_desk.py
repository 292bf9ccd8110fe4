"""The list of models over the chat, on a stub hub and a machine that is made up."""

from __future__ import annotations

from textual.widgets import Input

from localspec.models.placement import CPU, MemoryOf
from localspec.tui.screens.models import ModelsScreen
from localspec.tui.talk import Phase
from localspec.tui.widgets.model_list import ModelList, ModelRow
from localspec.tui.widgets.pull_bars import PullBars
from tests.tui.conftest import Desk

GB = 10**9
MACHINE = (
    MemoryOf("CUDA0", "gpu", 23 * GB, 24 * GB),
    MemoryOf(CPU, "cpu", 30 * GB, 32 * GB),
)


class ShelfDesk:
    """The open list, by what a user sees of it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.models = desk.chat._models
        self.pulling = self.models.pulling

    async def open(self, *, judged: bool = True) -> ShelfDesk:
        self.models.devices = lambda: MACHINE
        await self.desk.phase(Phase.READY)
        await self.desk.pilot.press("ctrl+o")
        await self.desk.until(lambda: self.is_open and self.rows)
        self.desk.app.screen.query_one(Input).cursor_blink = False
        if judged:
            await self.desk.until(lambda: all(row.fit for row in self.rows))
        return self

    @property
    def is_open(self) -> bool:
        return isinstance(self.desk.app.screen, ModelsScreen)

    @property
    def rows(self) -> list[ModelRow]:
        return list(self.desk.app.screen.query_one(ModelList).rows)

    @property
    def chosen(self) -> str:
        chosen = self.desk.app.screen.query_one(ModelList).chosen
        return chosen.key if chosen else ""

    @property
    def said(self) -> str:
        return str(self.desk.app.screen.query_one("#models-status").render())

    @property
    def detail(self) -> str:
        return str(self.desk.app.screen.query_one("#model-detail").render())

    @property
    def bars(self) -> str:
        return self.desk.app.screen.query_one(PullBars).render().plain

    @property
    def note(self) -> str:
        """In the chat's title line."""
        return str(self.desk.chat.query_one("#pull").render())

    async def press(self, *keys: str) -> None:
        await self.desk.pilot.press(*keys)

    async def type(self, text: str) -> None:
        await self.press("ctrl+u", *text)

    async def says(self, text: str) -> None:
        await self.desk.until(lambda: text in self.said)

    async def pull(self) -> None:
        """The chosen one, which is asked about once."""
        await self.press("enter")
        await self.desk.until(lambda: "Enter again" in self.said)
        await self.press("enter")

    async def ended(self) -> None:
        await self.desk.until(lambda: self.pulling.progress is None)
