"""The child process of the engine: its pipes, its death and its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from localspec import paths
from localspec.backends.commands import Command, to_line
from localspec.chat.events import Event, from_json

_CHECK = re.compile(r"(GGML_(?:ASSERT|ABORT)\(.*?\)(?: failed)?)\s*$", re.MULTILINE)
_LOG_BYTES, _SHOWN = 4_000_000, 200
_DETACHED: dict[str, Any]
# The terminal's Ctrl+C is for the screen, which then stops the reply.
if sys.platform == "win32":
    _DETACHED = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
else:
    _DETACHED = {"start_new_session": True}


class EngineProcess:
    """Every method may be called from any thread; `receive` from one at a time."""

    def __init__(self, factory: str) -> None:
        """Raises OSError when the system can't start a process."""
        # -P: a file in the user's working directory must not be taken for a module.
        arguments = [sys.executable, "-P", "-m", "localspec.backends.worker_process", factory]
        with _open_log() as errors:
            self._log_start = errors.tell()
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                **_DETACHED,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin = self._process.stdin
        self._stdout = self._process.stdout
        self._sending = Lock()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, command: Command) -> None:
        """A process that is gone is noticed by `receive`, not here."""
        line = to_line(command)
        with self._sending, suppress(OSError, ValueError):
            self._stdin.write(line)
            self._stdin.flush()

    def receive(self) -> Event | None:
        """The next event; None once the process has ended."""
        while line := self._read_line():
            # Python itself may print something before the child has made its pipes private.
            with suppress(ValueError):
                return from_json(line)
        return None

    def last_words(self) -> str:
        """The check of llama.cpp's that ended the process, as its log has it; empty for none."""
        try:
            with paths.log_file().open("rb") as log:
                log.seek(self._log_start)
                text = log.read(_LOG_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""
        found = _CHECK.findall(text)
        return found[-1][:_SHOWN] if found else ""

    def _read_line(self) -> bytes:
        try:
            return self._stdout.readline()
        except (OSError, ValueError):
            # Closed by another thread.
            return b""

    def end(self) -> str:
        """End it, gently first, and say how it ended. Takes two seconds at most."""
        with suppress(OSError):
            self._stdin.close()
        try:
            return self._wait(1.2)
        finally:
            self._stdout.close()

    def _wait(self, seconds: float) -> str:
        for harder in (self._process.terminate, self._process.kill):
            try:
                return _described(self._process.wait(seconds))
            except subprocess.TimeoutExpired:
                harder()
                seconds = 0.4
        return _described(self._process.wait())


def _open_log() -> BinaryIO:
    """A log that can't be written is lost; the model is worth more."""
    log = paths.log_file()
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open("ab")
    except OSError:
        return Path(os.devnull).open("ab")


def _described(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    name = next((s.name for s in signal.Signals if s == -code), f"signal {-code}")
    return f"{name}, perhaps for want of memory" if name == "SIGKILL" else name
