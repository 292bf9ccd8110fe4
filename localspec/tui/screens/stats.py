"""Every number of the last reply and of the conversation."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Static

from localspec.tui.numbers import Numbers
from localspec.tui.stats_page import page
from localspec.tui.stats_table import sections


class StatsScreen(ModalScreen[None]):
    """Closed by escape. `engine/stats.py` says what each number means."""

    BINDINGS = [
        Binding("escape,q,enter", "dismiss", "Close", show=False, id="stats.close"),
    ]

    def __init__(self, replies: Sequence[Numbers]) -> None:
        """At least one, the last one last."""
        super().__init__()
        self._sections = sections(replies)
        self._num_replies = len(replies)
        self._page = Static(page(self._sections, self._num_replies, 0))

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="stats"):
            yield self._page
            yield Static("esc closes", classes="way-out")

    def on_mount(self) -> None:
        self.query_one("#stats").focus()

    def on_resize(self, event: Resize) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        self._page.update(page(self._sections, self._num_replies, self._page.size.width))
