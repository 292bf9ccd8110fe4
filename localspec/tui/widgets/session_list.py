"""Conversations in lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from localspec.chat.listing import Conversation
from localspec.tui.cells import cut
from localspec.tui.untrusted import displayable
from localspec.tui.widgets.row_list import RowList

_LEAST_MODEL, _MOST_MODEL = 8, 22
_NARROW = 64


class SessionList(RowList[Conversation]):
    """With what was found in each, where something was searched."""

    _title_width = 0
    _model_width = 0
    """Of the longest title and model listed."""

    def show(self, rows: Sequence[Conversation], chosen: int | None = None) -> None:
        """Choose the one with this number, if it is among them; else the first."""
        self._title_width = max((cell_len(displayable(row.title)) for row in rows), default=0)
        models = {row.model for row in rows}
        self._model_width = max((cell_len(displayable(model)) for model in models), default=0)
        self.put(rows, next((place for place, row in enumerate(rows) if row.id == chosen), 0))

    def segments(self, row: Conversation, style: Style, detail: Style) -> list[Segment]:
        width = self.size.width
        right = self._facts(row) if width >= _NARROW else ""
        room = max(0, width - len(right) - 4)
        title = displayable(row.title) or "(no text)"
        found = displayable(row.found)
        left = cut(title, room * 2 // 5 if found else room)
        drawn = [Segment(f"{left}  ", style)]
        if found:
            drawn.append(Segment(cut(found, room - room * 2 // 5), detail))
        return [*drawn, Segment(right, detail)]

    def _facts(self, row: Conversation) -> str:
        when = row.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")
        if row.found:
            # The place that was found needs the room more.
            return f"  {when}  "
        count = f"{row.num_messages:,} message{' ' if row.num_messages == 1 else 's'}"
        facts = f"  {count:>14}  {when}  "
        # Titles go first: the model has what they leave.
        left = self.size.width - len(facts) - 4 - self._title_width - 2
        model = min(left, self._model_width, _MOST_MODEL)
        if model < min(_LEAST_MODEL, self._model_width):
            return facts
        return f"  {cut(displayable(row.model), model)}{facts}"
