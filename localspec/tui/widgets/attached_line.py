"""What goes with the message that is being written."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from localspec.tui.untrusted import displayable


class AttachedLine(Static):
    """Takes no room while nothing does."""

    def say(self, text: str) -> None:
        self.display = bool(text)
        self.update(Content(displayable(text)))
