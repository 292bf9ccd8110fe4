"""A value on one line; all of it is selected when it gets the focus, so that typing replaces it."""

from __future__ import annotations

from textual.events import Focus
from textual.widgets import Input
from textual.widgets.input import Selection


class Field(Input):
    """Knows its own selection from the user's: Ctrl+C copies only that."""

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(value, placeholder=placeholder, id=id, compact=True, select_on_focus=False)
        self._by_focus: Selection | None = None

    def on_focus(self, event: Focus) -> None:
        self.select_all()
        self._by_focus = self.selection

    @property
    def chosen_text(self) -> str:
        """What the user has selected."""
        return "" if self.selection is self._by_focus else self.selected_text
