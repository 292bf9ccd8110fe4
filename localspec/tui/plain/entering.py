"""A line from the user: edited and remembered by readline where there is one."""

from __future__ import annotations

import os
import sys
from select import select
from types import ModuleType

QUOTES = '"""'


class Entry:
    """In the place of the screen's prompt, and with its words."""

    def __init__(self) -> None:
        self.text = ""
        """What is offered to be sent, as it is or changed."""
        self._said = ""
        self._readline = _readline()

    def put(self, text: str) -> None:
        self.text = text

    def give_back(self, text: str) -> None:
        self.text = self.text or text

    def remember(self, text: str) -> None:
        """The arrow keys bring it back."""
        if self._readline is not None and "\n" not in text:
            self._readline.add_history(text)

    def focus(self) -> None: ...

    def to_say(self) -> str:
        """The offered text, once, where it can't be in the line already."""
        if self._can_prefill or self.text == self._said:
            return ""
        self._said = self.text
        return self.text

    @property
    def _can_prefill(self) -> bool:
        return self._readline is not None and "\n" not in self.text

    def read(self, prompt: str) -> str:
        """A line, or what stands between lines of three quotes. Raises EOFError."""
        line = self._line(prompt)
        # The other lines of a paste are there already; each would be a question of its own.
        while not line.startswith("/") and _waits():
            line += "\n" + input()
        if not line.lstrip().startswith(QUOTES):
            return line or self._taken()
        lines = [line.lstrip().removeprefix(QUOTES)]
        while not lines[-1].rstrip().endswith(QUOTES):
            lines.append(self._line("... "))
        lines[-1] = lines[-1].rstrip().removesuffix(QUOTES)
        return "\n".join(lines).strip("\n")

    def _line(self, prompt: str) -> str:
        if not sys.stdin.isatty():
            # Both sides of a transcript belong into a pipe.
            sys.stdout.write(prompt)
            line = sys.stdin.readline()
            if not line:
                raise EOFError
            sys.stdout.write(line if line.endswith("\n") else f"{line}\n")
            sys.stdout.flush()
            return line.rstrip("\n")
        if self._readline is None or not self.text or not self._can_prefill:
            return input(prompt)
        text, self.text = self.text, ""
        self._readline.set_pre_input_hook(lambda: self._prefill(text))
        try:
            return input(prompt)
        finally:
            self._readline.set_pre_input_hook(None)

    def _prefill(self, text: str) -> None:
        assert self._readline is not None
        self._readline.insert_text(text)
        self._readline.redisplay()

    def _taken(self) -> str:
        text, self.text = self.text, ""
        return text


def _waits() -> bool:
    """Whether the terminal holds another line already."""
    if not sys.stdin.isatty() or sys.platform == "win32":
        return False
    ready, _, _ = select([sys.stdin], [], [], 0.02)
    return bool(ready)


def _readline() -> ModuleType | None:
    """Not where a terminal can't move its cursor: readline would only garble the line."""
    if os.environ.get("TERM", "dumb") == "dumb" or not sys.stdin.isatty():
        return None
    try:
        import readline
    except ImportError:
        return None
    # Its codes around a paste are read out by some screen readers.
    readline.parse_and_bind("set enable-bracketed-paste off")
    return readline
