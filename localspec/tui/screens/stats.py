"""Every number of the last reply and of the conversation."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from localspec.tui.numbers import Numbers
from localspec.tui.stats_table import sections

_NAME, _VALUE = 31, 22


class StatsScreen(ModalScreen[None]):
    """Closed by escape. `engine/stats.py` says what each number means."""

    BINDINGS = [
        Binding("escape,q,enter", "dismiss", "Close", show=False, id="stats.close"),
    ]

    def __init__(self, replies: Sequence[Numbers]) -> None:
        """At least one, the last one last."""
        super().__init__()
        self._replies = replies

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="stats"):
            num = len(self._replies)
            every = f"conversation, {num} repl{'y' if num == 1 else 'ies'}"
            yield Static(Content(_line("", "last reply", every)), classes="meaning")
            for title, rows in sections(self._replies):
                yield Static(title, classes="title", markup=False)
                lines = [_line(row.name, row.last, row.every) for row in rows]
                yield Static("\n".join(lines), classes="rows", markup=False)
            yield Static("\nesc closes", classes="meaning")

    def on_mount(self) -> None:
        self.query_one("#stats").focus()


def _line(name: str, last: str, every: str) -> str:
    return f"{name:<{_NAME}}{last:<{_VALUE}}{every}".rstrip()
