"""`localspec` in a terminal of its own, watched from outside by the clock."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

_CODES = re.compile(rb"\x1b\[[0-9;?>$]*[a-zA-Z]|\x1b\][^\x07]*\x07")
_PATIENCE_S = 60.0


def _user_environment() -> dict[str, str]:
    """As who has installed it has it: modules are compiled once."""
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    compiled = Path(tempfile.gettempdir()) / f"localspec-{os.getuid()}-compiled"
    return kept | {"TERM": "xterm-256color", "PYTHONPYCACHEPREFIX": str(compiled)}


class ScreenProcess:
    """Its screen has 100 columns and 30 lines."""

    def __init__(self, args: Sequence[str], environment: Mapping[str, str]) -> None:
        self._stalls = args[-1]
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, *args],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=_user_environment() | environment,
            start_new_session=True,
        )
        os.close(slave)
        self._watched = psutil.Process(self._process.pid)

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def echo(self, keys: bytes, text: str = "") -> float:
        """Seconds from these keys until the text is drawn; with no text, until anything is."""
        start = time.monotonic()
        self.type(keys)
        self.until(text)
        return time.monotonic() - start

    def until(self, text: str) -> None:
        """Read on until `text` has been drawn."""
        drawn = b""
        deadline = time.monotonic() + _PATIENCE_S
        while not drawn or text not in _CODES.sub(b"", drawn).decode("utf-8", "replace"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{text!r} was never drawn")
            drawn += self._read(0.1)

    def drain(self, seconds: float = 0.0) -> None:
        """Read what is drawn for so long."""
        end = time.monotonic() + seconds
        while self._read(max(0.0, end - time.monotonic())) or time.monotonic() < end:
            pass

    def cpu_s(self) -> float:
        """Seconds of CPU of the screen's process, its engine not among them."""
        times = self._watched.cpu_times()
        return times.user + times.system

    def longest_stall(self, began: float, ended: float) -> float:
        """Of its event loop, between two times of the monotonic clock."""
        with open(self._stalls, encoding="utf-8") as file:  # noqa: PTH123
            stalls = [tuple(map(float, line.split())) for line in file if line.endswith("\n")]
        return max((late for at, late in stalls if began <= at <= ended), default=0.0)

    def end(self) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while self._process.poll() is None and time.monotonic() < deadline:
            self._read(0.1)

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    def _read(self, wait_s: float) -> bytes:
        ready, _, _ = select.select([self._master], [], [], wait_s)
        try:
            return os.read(self._master, 65536) if ready else b""
        except OSError:
            # The other end is closed.
            return b""
