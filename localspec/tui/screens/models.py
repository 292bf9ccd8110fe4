"""All models: what is here and what can be pulled, what fits, and the pull under way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from localspec.errors import LocalspecError
from localspec.models import removal
from localspec.models.shelf import ShelfPair
from localspec.tui import model_orders
from localspec.tui.model_asking import Examined
from localspec.tui.pull_progress import PullProgress
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.model_browser import ModelBrowser
from localspec.tui.widgets.pull_bars import PullBars

if TYPE_CHECKING:
    from localspec.tui.model_desk import ModelDesk

_FRAME = 0.2


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
        Binding("pageup", "move(0, -1)", show=False, priority=True, id="models.page_up"),
        Binding("pagedown", "move(0, 1)", show=False, priority=True, id="models.page_down"),
    ]

    def __init__(self, desk: ModelDesk) -> None:
        super().__init__()
        self._desk = desk
        self._asked: tuple[str, str] | None = None
        """What the same key confirms when it comes again, and for which row."""
        self._seen: PullProgress | None = None
        self._browser = ModelBrowser(desk)
        self._bars = PullBars()
        self._status = Static(id="models-status", markup=False)

    def compose(self) -> ComposeResult:
        yield self._browser
        yield self._bars
        yield self._status
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.set_interval(_FRAME, self._follow_pull)
        self._follow_pull()

    def on_model_browser_narrowed(self) -> None:
        self._asked = None
        self._say(self._browser.count)

    def on_model_browser_counted(self) -> None:
        self._say(self._browser.count)

    def _follow_pull(self) -> None:
        pulling = self._desk.pulling
        if pulling.progress is not self._seen or pulling.is_stopping:
            self._seen = pulling.progress
            self._bars.show(pulling.progress, pulling.is_stopping)
            self._browser.show()

    def pull_ended(self, said: str, is_fault: bool) -> None:
        self._follow_pull()
        self._say(said, error=is_fault)
        # The disk has changed, and with it what is free.
        self._browser.survey()

    def action_move(self, step: int, pages: int = 0) -> None:
        self._forget_question()
        self._browser.move(step, pages)

    def action_close(self) -> None:
        if self._asked is not None:
            self._forget_question()
        else:
            self.dismiss(None)

    def _forget_question(self) -> None:
        if self._asked is not None:
            self._asked = None
            self._say(self._browser.count)

    def action_choose(self) -> None:
        key = self._browser.key
        pair = self._browser.found.find(key)
        try:
            if pair is not None and pair.state == "ready":
                self._take(pair)
            elif pair is not None:
                self._pull_pair(pair)
            elif key:
                self._pull_place(key)
        except LocalspecError as error:
            self._asked = None
            self._say(str(error), error=True)

    def _take(self, pair: ShelfPair) -> None:
        if pair.name == self._desk.used:
            self.dismiss(None)
        elif not self._desk.is_replying or self._confirmed("take", pair.name):
            self.dismiss(pair.name)
        else:
            self._say(f"A reply is running. Enter again ends it and takes {pair.name}.")

    def _pull_pair(self, pair: ShelfPair) -> None:
        verdict = self._browser.found.verdicts.get(pair.name)
        model_orders.refuse_pull(pair, self._desk.pulling)
        if self._confirmed("pull", pair.name):
            self._pull(pair.name, model_orders.pulled_quant(pair, verdict))
        else:
            self._say(model_orders.pull_question(pair, verdict))

    def _pull_place(self, place: str) -> None:
        """It is asked about first."""
        verdict = self._browser.found.examined.get(place)
        if verdict is None:
            self._say(f"Asking the hub about {place}.")
            self._browser.examine(place)
            return
        here = self._browser.found.find(verdict.name)
        if here is not None and here.state == "ready" and not verdict.missing_bytes:
            self._take(here)
            return
        model_orders.refuse_place(verdict, self._desk.pulling)
        if self._confirmed("pull", place):
            self._pull(place, None)
        else:
            self._say(model_orders.place_question(verdict))

    def on_examined(self, examined: Examined) -> None:
        if self._browser.key != examined.place:
            return
        if examined.fault:
            self._say(examined.fault, error=True)
        elif self._asked is None:
            self.action_choose()

    def _pull(self, name: str, quant: str | None) -> None:
        self._desk.pull(name, quant, self._browser.machine)
        self._asked = None
        self._follow_pull()
        self._say(f"Pulling {name}. It goes on when this list is closed.")

    def action_cancel(self) -> None:
        if self._desk.pulling.cancel():
            self._say("The pull is ending; what was fetched is kept.")
        else:
            self._say("Nothing is being pulled.")

    async def action_delete(self) -> None:
        pair = self._browser.found.find(self._browser.key)
        if pair is None:
            return
        try:
            model_orders.refuse_delete(pair, self._desk.used, self._desk.pulling)
            if not self._confirmed("delete", pair.name):
                planned = await asyncio.to_thread(removal.plan_removal, pair.name)
                self._say(model_orders.delete_question(planned))
                return
            done = await asyncio.to_thread(removal.remove, pair.name)
            self._say(model_orders.deleted_words(done))
        except (LocalspecError, OSError) as error:
            self._say(str(error), error=True)
        self._asked = None
        self._browser.survey()

    def _confirmed(self, what: str, key: str) -> bool:
        """Whether this was asked before; from now on it was."""
        before, self._asked = self._asked, (what, key)
        return before == self._asked

    def _say(self, text: str, error: bool = False) -> None:
        self._status.set_class(error, "error")
        self._status.update(Content(("✗ " if error else "") + displayable(text)))
