"""The chat by lines in a real terminal: signals, the child, and what is left behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tests.tui.test_terminal import RESUMES, Terminal, termios

CTRL_D = b"\x04"


class PlainTerminal(Terminal):
    def check_modes(self) -> None:
        """Nothing was changed, so nothing has to be taken back."""
        assert termios.tcgetattr(self._slave) == self.modes
        assert b"\x1b" not in self.output


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[PlainTerminal]:
    monkeypatch.setitem(Terminal.ENVIRONMENT, "TERM", "dumb")
    terminal = PlainTerminal("chat")
    yield terminal
    terminal.close()


def test_a_dumb_terminal_gets_the_chat_by_lines(terminal: PlainTerminal) -> None:
    terminal.until("1 you: ")
    terminal.type(b"hello\n")
    terminal.until("2 you: ")
    assert b"1 reply\r\nEcho: 'hello'\r\n" in terminal.output
    terminal.type(CTRL_D)
    assert terminal.end() == 0
    assert RESUMES in terminal.output


def test_ctrl_c_stops_a_reply_and_twice_quits(terminal: PlainTerminal) -> None:
    terminal.until("1 you: ")
    terminal.type(b"endless\n")
    terminal.until("on and")
    terminal.process.send_signal(signal.SIGINT)
    terminal.until("stopped")
    terminal.until("2 you: ")
    terminal.process.send_signal(signal.SIGINT)
    terminal.until("Press Ctrl+C again to quit.")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("question", [b"", b"hold\n"])
def test_a_signal_ends_it_and_the_child(
    terminal: PlainTerminal, number: signal.Signals, question: bytes
) -> None:
    terminal.until("1 you: ")
    terminal.type(question)
    if question:
        # The last word waits for its end.
        terminal.until("Echo:")
    children = terminal.children()
    assert children
    terminal.process.send_signal(number)
    assert terminal.end() == 0
    assert not any(child.is_running() for child in children)


def test_a_child_that_dies_is_said(terminal: PlainTerminal) -> None:
    terminal.until("1 you: ")
    terminal.type(b"abort\n")
    terminal.until("2 you: ")
    assert b"/restart loads the model again." in terminal.output
    terminal.type(b"/restart\n")
    terminal.until("2 you: ")
    terminal.type(b"again\n")
    terminal.until("Echo: 'again'")
    terminal.type(CTRL_D)
    assert terminal.end() == 0


def test_ctrl_c_twice_ends_a_load() -> None:
    """One that came in the moment before the load was listened to was lost."""
    terminal = PlainTerminal("slow", "--plain")
    try:
        terminal.until("Loading")
        while not (children := terminal.children()):
            pass
        terminal.process.send_signal(signal.SIGINT)
        terminal.until("again to quit")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 0
        assert not any(child.is_running() for child in children)
    finally:
        terminal.close()
