"""Themes to look at before one is taken."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from localspec.tui.ink import Stroke
from localspec.tui.marking import Marking
from localspec.tui.themes import PREFIX
from localspec.tui.widgets.marked import Marked

_SAMPLE = (
    Stroke("own ", "target"),
    Stroke("draft ", "draft"),
    Stroke("suffix ", "suffix"),
    Stroke("predicted ", "predicted"),
    Stroke("rejected", "draft", rejected=True),
)


class _Names(OptionList):
    """Without room it has no lines, and Textual looks for the highlighted one."""

    def action_page_up(self) -> None:
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]


class ThemeScreen(ModalScreen[str | None]):
    """The whole screen wears the theme under the cursor. Enter keeps it, Esc goes back."""

    BINDINGS = [Binding("escape", "back", "Back", show=False, id="themes.back")]

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names
        self._before = ""

    def compose(self) -> ComposeResult:
        options = [Option(name.removeprefix(PREFIX), id=name) for name in self._names]
        with Vertical(id="themes"):
            yield Static("Theme", classes="title")
            yield _Names(*options, markup=False, compact=True)
            yield Marked(_SAMPLE, Marking.REJECTED)
            yield Static("enter keep · esc back", classes="meaning")

    def on_mount(self) -> None:
        self._before = self.app.theme
        if self._before in self._names:
            self.query_one(OptionList).highlighted = self._names.index(self._before)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self.app.theme = event.option_id or self._before

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_back(self) -> None:
        self.app.theme = self._before
        self.dismiss(None)
