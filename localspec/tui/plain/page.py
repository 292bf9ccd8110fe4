"""What is written: whole words, one after the other, and nothing that a terminal would obey."""

from __future__ import annotations

import re
from typing import TextIO

from localspec.tui.untrusted import displayable

_WORDS = re.compile(r".*\s", re.DOTALL)
_LONG = 80
"""Characters without a space, as of Chinese, that are not waited for."""


class Page:
    """Only ever grows."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._held = ""
        """The beginning of a word."""
        self._at_start = True
        self._gone = False
        """Nobody reads any more."""
        self.has_error = False

    def say(self, text: str, *, error: bool = False) -> None:
        """A line of our own. Its name and `clear` are the screen's hint's."""
        self.has_error = self.has_error or error
        if text:
            self.end_line()
            self.write(f"{'error: ' if error else ''}{displayable(text)}\n")

    def clear(self) -> None:
        """What was said stays."""

    def stream(self, text: str) -> None:
        """More of a reply."""
        self._held += displayable(text)
        words = _WORDS.match(self._held)
        ready = len(self._held) if len(self._held) > _LONG else words.end() if words else 0
        self.write(self._held[:ready])
        self._held = self._held[ready:]

    def end_line(self) -> None:
        """What is held, and then a new line unless there is one already."""
        self.write(self._held)
        self._held = ""
        if not self._at_start:
            self.write("\n")

    def break_line(self) -> None:
        """After a prompt that nothing was entered at."""
        self.write("\n")

    def entered(self) -> None:
        """The user has ended the line."""
        self._at_start = True

    def write(self, text: str) -> None:
        """As it is. Raises EOFError, once, when there is nobody to read it."""
        if not text or self._gone:
            return
        try:
            self._output.write(text)
            self._output.flush()
        except (OSError, ValueError):
            self._gone = True
            raise EOFError from None
        self._at_start = text.endswith("\n")
