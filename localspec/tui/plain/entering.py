"""A line from the user: edited and remembered by readline where there is one."""

from __future__ import annotations

import io
import sys
from select import select

from localspec.tui.folds import Written
from localspec.tui.plain.line_editor import line_editor
from localspec.tui.plain.page import Page
from localspec.tui.sent_file import SentFile
from localspec.tui.untrusted import displayable

QUOTES = '"""'


class Entry:
    """In the place of the screen's prompt, and with its words."""

    LEFT_BY = "Ctrl+C"

    def __init__(self, page: Page, sent: SentFile) -> None:
        self.text = ""
        """What is offered to be sent, as it is or changed."""
        self.is_terminal = sys.stdin.isatty()
        self._said = ""
        self._page = page
        self._sent = sent
        self._editor = line_editor()
        if isinstance(sys.stdin, io.TextIOWrapper):
            # A byte that isn't text is no reason to end.
            sys.stdin.reconfigure(errors="replace")
        for written in sent.read() if self._editor else ():
            self.remember(written.text)

    def put(self, text: str) -> None:
        self.text = text

    def give_back(self, text: str) -> None:
        self.text = self.text or text

    def remember(self, text: str) -> None:
        """The arrow keys bring it back."""
        if self._editor is not None:
            self._editor.remember(text)

    def keep(self, text: str) -> None:
        """It was sent: the arrow keys have it in later sessions too. A script's lines are no
        user's."""
        self.remember(text)
        if self.is_terminal:
            self._sent.append(Written(text))

    def focus(self) -> None: ...

    def to_say(self) -> str:
        """The offered text, once, where it can't be in the line already."""
        if self._editor is not None or self.text == self._said:
            return ""
        self._said = self.text
        return self.text

    def read(self, prompt: str) -> str:
        """A line, or what stands between lines of three quotes. Raises EOFError."""
        line = self._line(prompt)
        if not line.lstrip().startswith(QUOTES):
            return displayable(line or self._taken())
        lines = [line.lstrip().removeprefix(QUOTES)]
        while not lines[-1].rstrip().endswith(QUOTES):
            try:
                lines.append(self._line("... "))
            except EOFError:
                # The end ends the message too.
                lines.append(QUOTES)
        lines[-1] = lines[-1].rstrip().removesuffix(QUOTES)
        return displayable("\n".join(lines).strip("\n"))

    def _line(self, prompt: str) -> str:
        if not self.is_terminal:
            return self._piped(prompt)
        if self._editor is not None:
            text = self._taken()
            line = self._editor.read(prompt, text)
            if self._editor.takes_pastes:
                return line
        else:
            line = input(prompt)
        # The other lines of a paste are there already; each would be a question of its own.
        while not line.startswith("/") and _waits():
            try:
                line += "\n" + input()
            except EOFError:
                break
        return line

    def _piped(self, prompt: str) -> str:
        """Both sides of a transcript belong into a pipe."""
        self._page.write(prompt)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        line = line.rstrip("\n")
        self._page.write(f"{displayable(line)}\n")
        return line

    def _taken(self) -> str:
        text, self.text = self.text, ""
        return text


def _waits() -> bool:
    """Whether the terminal holds another line already."""
    if sys.platform == "win32":
        return False
    ready, _, _ = select([sys.stdin], [], [], 0.02)
    return bool(ready)
