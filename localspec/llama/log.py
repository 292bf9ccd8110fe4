"""Native log lines go to the log file, never to the screen."""

import atexit
import ctypes
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import llama_cpp

from localspec import paths

_ERROR = 4
"""GGML_LOG_LEVEL_ERROR; 3 is a warning."""

_MAX_BYTES = 4_000_000
"""A longer log becomes `.old.log` at the next start."""

_NO_ROOM = re.compile(r"failed to allocate ([^\s\[]+)(?:\[\S*\])? buffer of size (\d+)")
_MEMORY = re.compile(r"alloc|out of memory|not enough memory|insufficient memory", re.IGNORECASE)

_errors: list[str] = []
_last_line = ""
_recorded: list[bytes] | None = None
_sink: IO[bytes] | None = None
_callback: Any = None
"""llama.cpp keeps only the pointer, so the object must live as long as the process."""


def route_to_file() -> None:
    """Send llama.cpp's log to `paths.log_file()`; it replaces the binding's printing callback."""
    global _callback
    if _callback is None:
        _callback = llama_cpp.llama_log_callback(_write)
        llama_cpp.llama_log_set(_callback, ctypes.c_void_p(0))


def last_line() -> str:
    """The start of the latest line, whatever its level: progress of a conversion."""
    return _last_line


@contextmanager
def recorded() -> Iterator[Callable[[], list[str]]]:
    """While this holds, what is logged is kept as well; gives the lines so far."""
    global _recorded
    pieces = _recorded = []
    try:
        yield lambda: b"".join(pieces).decode("utf-8", "replace").splitlines()
    finally:
        _recorded = None


def take_errors() -> list[str]:
    """The error lines since the previous call; the first is the cause of the others."""
    lines = list(_errors)
    _errors.clear()
    return lines


def first_error() -> str:
    """The first of them, or empty."""
    return next(iter(take_errors()), "")


def reason_of(errors: list[str]) -> str:
    """The cause in a few words: llama.cpp's own, or what there was no room for."""
    for line in errors:
        if found := _NO_ROOM.search(line):
            return f"{found[1]} has no room for {int(found[2]) / 1e6:,.0f} MB"
    return errors[0] if errors else "llama.cpp gave no reason"


def for_want_of_memory(errors: list[str]) -> bool:
    """Whether what failed asked for more memory than there is. Without a word of llama.cpp
    nothing else is likely: files and arguments were checked."""
    return not errors or any(_MEMORY.search(line) for line in errors)


def _write(level: int, text: bytes, _data: Any) -> None:
    global _last_line
    # ctypes would print an exception on the screen; a log that can't be written is just lost.
    if _recorded is not None:
        _recorded.append(text)
    try:
        if level == _ERROR and (line := text.decode("utf-8", "replace").strip()):
            _errors.append(line)
        if text.startswith(b"["):
            _last_line = text.decode("utf-8", "replace")
        _open().write(text)
    except OSError:
        return


def _open() -> IO[bytes]:
    """The log; nowhere, when its place can't be used."""
    global _sink
    if _sink is None:
        try:
            _sink = _open_file()
            atexit.register(_sink.close)
        except OSError:
            _sink = Path(os.devnull).open("ab", buffering=0)  # noqa: SIM115
    return _sink


def _open_file() -> IO[bytes]:
    path = paths.log_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > _MAX_BYTES:
        path.replace(path.with_suffix(".old.log"))
    # Unbuffered: the last lines before a native abort are the ones that matter.
    return path.open("ab", buffering=0)
