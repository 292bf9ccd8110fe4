"""The line over the prompt: why something did not happen, or what a command did."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from localspec.tui.untrusted import displayable


class Hint(Static):
    """Takes no room while it says nothing."""

    def say(self, text: str, *, error: bool = False) -> None:
        self.set_class(error, "error")
        self.display = bool(text)
        mark = "✗ " if error else ""
        self.update(Content(mark + displayable(text)))

    def clear(self) -> None:
        self.say("")

    @property
    def text(self) -> str:
        return str(self.content) if self.display else ""
