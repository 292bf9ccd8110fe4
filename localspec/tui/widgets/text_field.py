"""A value on several lines, among other fields."""

from __future__ import annotations

from textual.widgets import TextArea


class TextField(TextArea):
    """Up on the first line and down on the last one leave it, as in a field of one line."""

    def action_cursor_up(self, select: bool = False) -> None:
        first = self.navigator.is_first_wrapped_line(self.cursor_location)
        if first and not select and self.screen.focus_chain[0] is not self:
            self.screen.focus_previous()
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        last = self.navigator.is_last_wrapped_line(self.cursor_location)
        if last and not select and self.screen.focus_chain[-1] is not self:
            self.screen.focus_next()
        else:
            super().action_cursor_down(select)
