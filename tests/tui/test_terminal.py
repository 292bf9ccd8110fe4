"""The command in a real terminal: what it draws, how it ends, what it leaves behind (B29, B30)."""

from __future__ import annotations

import os
import re
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import psutil
import pytest

from localspec import paths
from localspec.chat.history import History

fcntl = pytest.importorskip("fcntl", reason="Windows has no pseudo-terminals")
termios = pytest.importorskip("termios")

ROOT = Path(__file__).parents[2]
CTRL_C, CTRL_G, CTRL_Q, CTRL_S = b"\x03", b"\x07", b"\x11", b"\x13"
ALT_ENTER, ESC = b"\x1b\r", b"\x1b"
F5, F8 = b"\x1b[15~", b"\x1b[19~"
RESUMES = b"continues this conversation."
MODES = {
    b"1049": b"l",
    b"1000": b"l",
    b"1003": b"l",
    b"1006": b"l",
    b"1015": b"l",
    b"1004": b"l",
    b"2004": b"l",
    b"25": b"h",
    b"7": b"h",
}
"""The other screen, the mouse, the focus, pasting, the cursor and long lines: as at the end."""


class Terminal:
    """A pseudo-terminal with `localspec` in it."""

    ENVIRONMENT: ClassVar[dict[str, str]] = {"TERM": "xterm-256color"}

    def __init__(self, *args: str) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes = termios.tcgetattr(slave)
        self._slave = slave
        environment = os.environ | {"PYTHONPATH": str(ROOT)} | self.ENVIRONMENT
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.tui.runner", *args],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env=environment,
            start_new_session=True,
        )
        self.output = b""
        self._typed_at = 0

    def until(self, text: str) -> None:
        """Read on until `text` was drawn since the last keys."""
        deadline = time.monotonic() + 30
        while text not in _drawn(self.output[self._typed_at :]):
            assert time.monotonic() < deadline, _drawn(self.output[-3000:])
            self._read()

    def type(self, keys: bytes) -> None:
        self._typed_at = len(self.output)
        os.write(self._master, keys)

    def end(self) -> int:
        """Wait for the end, and check that the terminal is as it was."""
        deadline = time.monotonic() + 30
        while self.process.poll() is None:
            assert time.monotonic() < deadline
            self._read()
        while self._read():
            pass
        self.check_modes()
        assert b"Traceback" not in self.output
        return self.process.returncode

    def check_modes(self) -> None:
        """The terminal is as it was before the screen."""
        assert termios.tcgetattr(self._slave) == self.modes
        for mode, last in MODES.items():
            assert re.findall(rb"\x1b\[\?" + mode + rb"([hl])", self.output)[-1] == last, mode
        # The Kitty protocol's keys: as often taken back as asked for.
        assert len(re.findall(rb"\x1b\[>\d+u", self.output)) == self.output.count(b"\x1b[<u")

    def until_status(self, status: str) -> None:
        deadline = time.monotonic() + 30
        while psutil.Process(self.process.pid).status() != status:
            assert time.monotonic() < deadline
            self._read()
        while self._read():
            pass

    @property
    def after(self) -> str:
        """What stands on the ordinary screen at the end."""
        return _drawn(self.output.rpartition(b"\x1b[?1049l")[2]).strip()

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)
        os.close(self._slave)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], 0.1)
        if ready:
            self.output += os.read(self._master, 65536)
        return bool(ready)


def _write_all(terminal: Terminal, keys: bytes) -> None:
    while keys:
        keys = keys[os.write(terminal._master, keys[:4096]) :]


def _drawn(output: bytes) -> str:
    text = re.sub(rb"\x1b\[[0-9;?>$]*[a-zA-Z]|\x1b\][^\x07]*\x07", b"", output)
    return text.decode("utf-8", "replace")


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal("chat")
    yield terminal
    terminal.close()


def test_a_chat_from_start_to_end(terminal: Terminal) -> None:
    terminal.until("/ 8,192")
    terminal.type(b"one" + ALT_ENTER + b"two\r")
    terminal.until(r"Echo: 'one\ntwo'")
    terminal.until("of drafts accepted")
    terminal.type(CTRL_Q)
    assert terminal.end() == 0


def test_ctrl_c_twice_ends_it_with_0(terminal: Terminal) -> None:
    terminal.until("/ 8,192")
    terminal.type(CTRL_C)
    terminal.until("Press Ctrl+C again to quit.")
    terminal.type(CTRL_C)
    assert terminal.end() == 0


def test_quitting_in_the_middle_of_a_reply_ends_the_child(terminal: Terminal) -> None:
    terminal.until("/ 8,192")
    terminal.type(b"hold\r")
    terminal.until("Echo: 'hold'")
    children = terminal.children()
    assert children
    terminal.type(CTRL_Q)
    assert terminal.end() == 0
    assert not any(child.is_running() for child in children)


def test_a_killed_child_is_said_and_the_chat_goes_on(terminal: Terminal) -> None:
    terminal.until("/ 8,192")
    terminal.type(b"hold\r")
    terminal.until("Echo: 'hold'")
    for child in terminal.children():
        child.kill()
    terminal.until("loads the model again")
    terminal.type(F5)
    terminal.until("/ 8,192")
    terminal.type(b"hello again\r")
    terminal.until("Echo: 'hello again'")
    terminal.type(CTRL_Q)
    assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_a_sound_terminal(terminal: Terminal, number: signal.Signals) -> None:
    terminal.until("/ 8,192")
    terminal.process.send_signal(number)
    assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_of_a_reply_saves_it(
    terminal: Terminal, number: signal.Signals
) -> None:
    terminal.until("/ 8,192")
    terminal.type(b"hold\r")
    terminal.until("Echo: 'hold'")
    children = terminal.children()
    terminal.process.send_signal(number)
    assert terminal.end() == 0
    assert not any(child.is_running() for child in children)
    with closing(History(paths.history_file())) as history:
        [saved] = history.conversations()
        assert [node.content for node in history.tree(saved.id).path] == ["hold", "Echo: 'hold'"]


@pytest.mark.parametrize("how", ["ctrl+q", "ctrl+c", "signal"])
def test_quitting_while_the_model_loads_ends_the_child(how: str) -> None:
    terminal = Terminal("slow")
    try:
        terminal.until("50%")
        children = terminal.children()
        assert children
        if how == "ctrl+q":
            terminal.type(CTRL_Q)
        elif how == "ctrl+c":
            terminal.type(CTRL_C)
            terminal.until("again to quit")
            terminal.type(CTRL_C)
        else:
            terminal.process.send_signal(signal.SIGTERM)
        assert terminal.end() == 0
        assert not any(child.is_running() for child in children)
    finally:
        terminal.close()


def test_suspended_it_gives_the_terminal_back_and_takes_it_again(terminal: Terminal) -> None:
    terminal.until("/ 8,192")
    terminal.process.send_signal(signal.SIGTSTP)
    terminal.until_status(psutil.STATUS_STOPPED)
    terminal.check_modes()
    terminal.type(b"")
    terminal.process.send_signal(signal.SIGCONT)
    terminal.until("/ 8,192")
    terminal.type(b"still here\r")
    terminal.until("Echo: 'still here'")
    terminal.type(CTRL_Q)
    assert terminal.end() == 0


@pytest.mark.parametrize("question", [b"abort", b"kill"])
def test_a_child_that_dies_in_native_code_is_said(terminal: Terminal, question: bytes) -> None:
    terminal.until("/ 8,192")
    terminal.type(question + b"\r")
    terminal.until("loads the model again")
    terminal.type(F5)
    terminal.until("/ 8,192")
    terminal.type(CTRL_Q)
    assert terminal.end() == 0


@pytest.mark.parametrize(("how", "key"), [("action", F8), ("thread", CTRL_S), ("crash", b"x")])
def test_a_crash_is_one_line_with_the_logs_path(how: str, key: bytes) -> None:
    """A traceback of hundreds of lines with all its locals stood in the terminal."""
    terminal = Terminal(how)
    try:
        terminal.until("/ 8,192")
        terminal.type(key)
        assert terminal.end() == 1
        said = "".join(terminal.after.splitlines())
        assert said.startswith("localspec: the screen failed")
        assert str(paths.log_file()) in said
        assert "out of cheese" in paths.log_file().read_text()
    finally:
        terminal.close()


def test_a_conversation_is_resumed(terminal: Terminal) -> None:
    terminal.until("/ 8,192")
    terminal.type(b"remember me\r")
    terminal.until("Echo: 'remember me'")
    terminal.until("of drafts accepted")
    terminal.type(CTRL_Q)
    assert terminal.end() == 0
    assert RESUMES in terminal.output.split(b"\x1b[?1049l")[-1]
    again = Terminal("chat", "--resume")
    try:
        again.until("Echo: 'remember me'")
        again.type(CTRL_Q)
        assert again.end() == 0
    finally:
        again.close()


def test_the_users_editor_has_the_terminal_while_a_reply_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Modes are those of the shell in the editor, Ctrl+C is the editor's, nothing is drawn."""
    go_on, seen = tmp_path / "go on", tmp_path / "seen"
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import pathlib, signal, sys, termios, time\n"
        "signal.signal(signal.SIGINT, lambda *_: print('interrupted', flush=True))\n"
        f"pathlib.Path({str(seen)!r}).write_text(repr(termios.tcgetattr(0)[3]))\n"
        "print('EDITOR OPEN', flush=True)\n"
        f"while not pathlib.Path({str(go_on)!r}).exists(): time.sleep(0.02)\n"
        "pathlib.Path(sys.argv[1]).write_text('from the editor')\n"
    )
    monkeypatch.setenv("VISUAL", f"{sys.executable} '{editor}'")
    terminal = Terminal("chat")
    try:
        terminal.until("/ 8,192")
        terminal.type(b"hold\r")
        terminal.until("Echo: 'hold'")
        terminal.type(CTRL_G)
        terminal.until("EDITOR OPEN")
        assert int(seen.read_text()) == terminal.modes[3]
        terminal.type(b"")
        # What Ctrl+C is in a terminal of one's own.
        os.killpg(terminal.process.pid, signal.SIGINT)
        terminal.until("interrupted")
        assert "context" not in _drawn(terminal.output[terminal._typed_at :])
        go_on.touch()
        terminal.until("from the editor")
        terminal.type(CTRL_Q)
        assert terminal.end() == 0
    finally:
        terminal.close()


def test_a_signal_while_the_editor_is_open_ends_both(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text("import time\nprint('EDITOR OPEN', flush=True)\ntime.sleep(600)\n")
    monkeypatch.setenv("VISUAL", f"{sys.executable} '{editor}'")
    terminal = Terminal("chat")
    try:
        terminal.until("/ 8,192")
        terminal.type(CTRL_G)
        terminal.until("EDITOR OPEN")
        children = terminal.children()
        terminal.process.send_signal(signal.SIGTERM)
        terminal.end()
        assert not any(child.is_running() for child in children)
    finally:
        terminal.close()


def test_a_paste_of_a_megabyte_is_one_label(terminal: Terminal) -> None:
    """It was read a character at a time; the mark of its end may come in two pieces."""
    terminal.until("/ 8,192")
    terminal.type(b"")
    paste = b"\x1b[200~" + b"a line of text \xc3\xbc\r" * 50_000 + b"\x1b[201~"
    threading.Thread(target=_write_all, args=(terminal, paste + b"then typed")).start()
    terminal.until("[pasted 50,000 lines, 900 kB]then typed")
    terminal.type(CTRL_Q)
    assert terminal.end() == 0


def test_a_paste_that_is_not_text_is_replaced(terminal: Terminal) -> None:
    """A byte that isn't UTF-8 ended the chat with a traceback and exit code 0."""
    terminal.until("/ 8,192")
    terminal.type(b"a\xffb\x9b\r")
    terminal.until("Echo: 'a\ufffdb\ufffd'")
    terminal.type(CTRL_Q)
    assert terminal.end() == 0


def test_a_history_that_cannot_be_opened_is_said_and_the_chat_goes_on() -> None:
    """The message said that the chat goes on without the history, and the chat ended."""
    paths.history_file().mkdir(parents=True)
    terminal = Terminal("chat")
    try:
        terminal.until("This conversation is not saved.")
        terminal.type(b"hello\r")
        terminal.until("Echo: 'hello'")
        terminal.type(CTRL_Q)
        assert terminal.end() == 0
        assert RESUMES not in terminal.output
    finally:
        terminal.close()


def test_a_log_that_cannot_be_written_is_lost(own_home: Path) -> None:
    """A cache directory that is a file kept every model from being loaded."""
    (own_home / "cache").write_text("no directory")
    terminal = Terminal("chat")
    try:
        terminal.until("/ 8,192")
        terminal.type(CTRL_Q)
        assert terminal.end() == 0
        assert RESUMES not in terminal.output
    finally:
        terminal.close()


def test_a_comparison_is_raced_and_its_report_stays() -> None:
    terminal = Terminal("compare", "-p", "hi")
    try:
        terminal.until("1.90x (1.84 to 1.96, 3 runs)")
        terminal.type(b"q")
        assert terminal.end() == 0
        report = _drawn(terminal.output.split(b"\x1b[?1049l")[-1])
        assert "speed-up  1.90x, runs 1.84 to 1.96" in report
        assert "text      the same" in report
    finally:
        terminal.close()


@pytest.mark.parametrize("keys", [ESC, CTRL_C, CTRL_Q])
def test_a_comparison_that_is_left_while_it_measures_is_interrupted(keys: bytes) -> None:
    terminal = Terminal("compare", "-p", "hold")
    try:
        terminal.until("measuring off, run 1 of 3 · 38 of 96 tokens")
        children = terminal.children()
        terminal.type(keys)
        assert terminal.end() == 130
        assert not any(child.is_running() for child in children)
    finally:
        terminal.close()


def test_a_child_that_is_killed_while_it_measures_is_one_line() -> None:
    terminal = Terminal("compare", "-p", "hold")
    try:
        terminal.until("measuring off")
        for child in terminal.children():
            child.kill()
        assert terminal.end() == 1
        report = _drawn(terminal.output.split(b"\x1b[?1049l")[-1])
        assert report.count("The engine's process ended") == 1
    finally:
        terminal.close()
