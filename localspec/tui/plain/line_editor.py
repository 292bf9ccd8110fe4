"""readline, where Python and the terminal have it."""

from __future__ import annotations

import os
import sys
from types import ModuleType

from localspec.tui.folds import is_far_too_long


class LineEditor:
    """A line with a history. What is pasted into it is one text, whatever its lines."""

    def __init__(self, readline: ModuleType) -> None:
        self._readline = readline
        # What is sent is remembered, not each line that was read.
        readline.set_auto_history(False)
        self.takes_pastes = "libedit" not in (readline.__doc__ or "")
        if self.takes_pastes:
            readline.parse_and_bind("set enable-bracketed-paste on")

    def remember(self, text: str) -> None:
        """The arrow keys bring it back."""
        last = self._readline.get_current_history_length()
        known = self._readline.get_history_item(last) if last else None
        if text != known and not is_far_too_long(text):
            self._readline.add_history(text)

    def read(self, prompt: str, text: str = "") -> str:
        """A line that begins as `text`. Raises EOFError."""
        self._readline.set_pre_input_hook((lambda: self._put(text)) if text else None)
        try:
            return input(prompt)
        finally:
            self._readline.set_pre_input_hook(None)

    def _put(self, text: str) -> None:
        self._readline.insert_text(text)
        self._readline.redisplay()


def line_editor() -> LineEditor | None:
    """Not where a terminal can't move its cursor: readline would only garble the line."""
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if os.environ.get("TERM", "dumb") == "dumb" or not terminal:
        return None
    try:
        import readline
    except ImportError:
        return None
    return LineEditor(readline)
