"""The chat by lines in a terminal with readline: pastes and what was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from localspec import paths

pytest.importorskip("fcntl", reason="Windows has no pseudo-terminals")
pytest.importorskip("readline")

from tests.tui.test_terminal import Terminal, termios

CTRL_D, UP = b"\x04", b"\x1b[A"
PASTE = b"\x1b[200~one\r\r/quit\rtwo\x1b[201~"


class PlainTerminal(Terminal):
    def check_modes(self) -> None:
        """As they were; readline has taken back that it wants to know of pastes."""
        assert termios.tcgetattr(self._slave) == self.modes
        assert self.output.count(b"\x1b[?2004h") == self.output.count(b"\x1b[?2004l")


@pytest.fixture
def terminal() -> Iterator[PlainTerminal]:
    terminal = PlainTerminal("chat", "--plain")
    yield terminal
    terminal.close()


def test_a_paste_of_several_lines_is_one_message(terminal: PlainTerminal) -> None:
    """Each line was a question of its own, or an order."""
    terminal.until("1 you: ")
    terminal.type(PASTE + b"\r")
    terminal.until(r"Echo: 'one\n\n/quit\ntwo'")
    terminal.until("2 you: ")
    terminal.type(CTRL_D)
    assert terminal.end() == 0


def test_what_was_sent_comes_back_in_later_sessions(terminal: PlainTerminal) -> None:
    terminal.until("1 you: ")
    terminal.type(b"first\r")
    terminal.until("2 you: ")
    terminal.type(CTRL_D)
    assert terminal.end() == 0
    assert json.loads(paths.sent_file().read_text())["text"] == "first"
    again = PlainTerminal("chat", "--plain")
    try:
        again.until("1 you: ")
        again.type(UP + b" again\r")
        again.until("Echo: 'first again'")
        again.until("2 you: ")
        again.type(CTRL_D)
        assert again.end() == 0
    finally:
        again.close()
