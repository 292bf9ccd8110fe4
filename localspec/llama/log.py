"""Native log lines go to the log file, never to the screen."""

import ctypes
from collections import deque
from typing import IO, Any

import llama_cpp

from localspec import paths

_ERROR = 3

_MAX_BYTES = 4_000_000
"""A longer log becomes `.old.log` at the next start."""

_tail: deque[str] = deque(maxlen=8)
_last_line = ""
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


def last_error() -> str:
    """The last error line since the previous call; empty when there was none."""
    line = _tail[-1] if _tail else ""
    _tail.clear()
    return line


def _write(level: int, text: bytes, _data: Any) -> None:
    global _last_line
    # ctypes would print an exception on the screen; a log that can't be written is just lost.
    try:
        if level == _ERROR and (line := text.decode("utf-8", "replace").strip()):
            _tail.append(line)
        if text.startswith(b"["):
            _last_line = text.decode("utf-8", "replace")
        _open().write(text)
    except OSError:
        return


def _open() -> IO[bytes]:
    global _sink
    if _sink is None:
        path = paths.log_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _MAX_BYTES:
            path.replace(path.with_suffix(".old.log"))
        # Unbuffered: the last lines before a native abort are the ones that matter.
        _sink = path.open("ab", buffering=0)
    return _sink
