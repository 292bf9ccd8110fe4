"""A text area in which a long paste is a label."""

from __future__ import annotations

from typing import Any

from rich.text import Text
from textual import events
from textual.widgets import TextArea
from textual.widgets.text_area import EditResult, Location, Selection

from localspec.tui.folds import Folds, Written, drawn, is_long
from localspec.tui.untrusted import displayable


class FoldingArea(TextArea):
    """`text` has the labels, `written` has all. A label is one thing: the cursor stays out of it,
    and what touches it takes it whole."""

    COMPONENT_CLASSES = {"folding-area--fold"}

    def __init__(self, **options: Any) -> None:
        self.folds = Folds()
        super().__init__(**options)

    @property
    def written(self) -> Written:
        return self.folds.written(self.text)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._paste(event.text)

    def action_paste(self) -> None:
        self._paste(self.app.clipboard)

    def _paste(self, text: str) -> None:
        # Terminals paste line ends as carriage returns.
        text = displayable(text.replace("\r\n", "\n").replace("\r", "\n"))
        if is_long(text):
            text = self.folds.fold(text)
        self.history.checkpoint()
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)
            self.focus()

    def action_cut(self) -> None:
        super().action_cut()
        if self.folds.spans(self.app.clipboard):
            self.app.copy_to_clipboard(self.folds.written(self.app.clipboard).text)

    @property
    def selected_text(self) -> str:
        return self.folds.written(super().selected_text).text

    def _validate_selection(self, selection: Selection) -> Selection:
        start, end = super()._validate_selection(selection)
        before = self.selection
        return Selection(self._beside(start, before.start), self._beside(end, before.end))

    def _beside(self, place: Location, before: Location) -> Location:
        """The place, or the edge of the fold that it is in: the one that wasn't come from."""
        row, column = place
        for start, end in self.folds.spans(self.document[row]):
            if start < column < end:
                if before == (row, start):
                    return row, end
                if before == (row, end):
                    return row, start
                return row, start if column - start < end - column else end
        return place

    def _delete_via_keyboard(self, start: Location, end: Location) -> EditResult | None:
        return super()._delete_via_keyboard(*self._whole(start, end))

    def _replace_via_keyboard(
        self, insert: str, start: Location, end: Location
    ) -> EditResult | None:
        return super()._replace_via_keyboard(insert, *self._whole(start, end))

    def _whole(self, start: Location, end: Location) -> tuple[Location, Location]:
        # The end of a last line that is deleted is a line that isn't there.
        (top, left), (bottom, right) = sorted((start, min(end, self.document.end)))
        for first, last in self.folds.spans(self.document[top]):
            left = first if first < left < last else left
        for first, last in self.folds.spans(self.document[bottom]):
            right = last if first < right < last else right
        return (top, left), (bottom, right)

    def get_line(self, line_index: int) -> Text:
        line = self.document.get_line(line_index)
        text = Text(drawn(line), end="", no_wrap=True)
        style = self.get_component_rich_style("folding-area--fold")
        for start, end in self.folds.spans(line):
            text.stylize(style, start, end)
        return text
