"""A race on a screen of its own, of a model that is loaded."""

from __future__ import annotations

import asyncio
import time

from textual.app import App

from localspec.backends.interface import Backend
from localspec.chat.events import Compared, Failed
from localspec.settings import Settings
from localspec.tui.contest import Contest
from localspec.tui.hangup import end_with_terminal
from localspec.tui.keys import read_any_bytes
from localspec.tui.link import Link
from localspec.tui.looks import Looks
from localspec.tui.marking import Marking
from localspec.tui.meter import Clock
from localspec.tui.screens.race import RaceScreen
from localspec.tui.signals import end_on_signals
from localspec.tui.themes import origin_variables


class RaceApp(App[None]):
    """Ends with the race; what was measured stays."""

    CSS_PATH = "chat.tcss"
    TITLE = "localspec"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        backend: Backend,
        contest: Contest,
        model: str,
        settings: Settings,
        clock: Clock = time.monotonic,
    ) -> None:
        super().__init__()
        read_any_bytes()
        self.failed: Failed | None = None
        self._looks = Looks(self, settings)
        self._link = Link(self, lambda name: backend, clock)
        self._link.take(backend)
        self._race = RaceScreen(self._link, contest, model, clock, Marking.LIVE)

    @property
    def compared(self) -> Compared | None:
        return self._race.compared

    def on_mount(self) -> None:
        self._looks.begin()
        end_on_signals(self)
        end_with_terminal(self)
        self.push_screen(self._race, self._race_closed)

    async def on_unmount(self) -> None:
        # A thread that still measures would keep the process from ending.
        await asyncio.to_thread(self._link.close)

    def get_css_variables(self) -> dict[str, str]:
        variables = super().get_css_variables()
        return origin_variables(variables) | variables

    def action_help_quit(self) -> None:
        """Ctrl+C, as Textual calls it."""
        self._race.leave()

    def _race_closed(self, failed: Failed | None) -> None:
        self.failed = failed
        self.exit()
