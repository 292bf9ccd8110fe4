"""The line over the prompt: why something did not happen, or what a command did."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from localspec.tui.untrusted import displayable

_MOST = 2000
"""Characters; a paste may have megabytes."""


class Hint(Static):
    """Takes no room while it says nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._said = ""

    def say(self, text: str, *, error: bool = False) -> None:
        self.set_class(error, "error")
        self.display = bool(text)
        self._said = text
        mark = "✗ " if error else ""
        self.update(Content(mark + displayable(text[:_MOST])))

    def clear(self) -> None:
        self.say("")

    def withdraw(self, *texts: str) -> None:
        """Stop saying one of these, which are true no more."""
        if self._said and self._said in texts:
            self.clear()

    @property
    def text(self) -> str:
        return self._said
