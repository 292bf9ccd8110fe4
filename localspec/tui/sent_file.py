"""What was sent, kept across sessions: one JSON line each, for nobody else's eyes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from localspec.tui.folds import Written
from localspec.tui.untrusted import displayable
from localspec.whole_file import write_whole

MOST_TEXTS = 1000
MOST_BYTES = 4_000_000
_LONGEST = 200_000
"""Characters; a longer text is kept for this session only."""
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_PATIENCE_S = 5.0


class SentFile:
    """Any number of processes append to it; each reads it once, at its start. What can't be read
    or written is lost without a word: the conversation itself is saved elsewhere."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[Written]:
        """The newest texts, the newest last."""
        texts: list[Written] = []
        with suppress(OSError):
            for line in self._lines():
                written = _parsed(line)
                if written and (not texts or texts[-1].text != written.text):
                    texts.append(written)
        return texts[-MOST_TEXTS:]

    def append(self, written: Written) -> None:
        if len(written.text) <= _LONGEST:
            self._locked(lambda: self._write(written))

    def _write(self, written: Written) -> None:
        line = json.dumps({"text": written.text, "folds": written.folds}).encode() + b"\n"
        file = os.open(self._path, _FLAGS, 0o600)
        try:
            # Half a line of a process that was killed must not swallow this one.
            os.write(file, b"\n" + line if self._is_torn() else line)
            size = os.fstat(file).st_size
        finally:
            os.close(file)
        if size > 2 * MOST_BYTES:
            self._shorten()

    def _shorten(self) -> None:
        kept: list[bytes] = []
        size = 0
        for line in reversed(self._lines()[-MOST_TEXTS:]):
            size += len(line) + 1
            if size > MOST_BYTES:
                break
            kept.append(line)
        write_whole(self._path, b"".join(line + b"\n" for line in reversed(kept)), private=True)

    def _lines(self) -> list[bytes]:
        return self._path.read_bytes().splitlines()

    def _is_torn(self) -> bool:
        with self._path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            return file.read(1) not in (b"", b"\n")

    def _locked(self, act: Callable[[], None]) -> None:
        """Not while another process makes the file shorter."""
        with suppress(OSError, Timeout):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._path.with_suffix(".lock"), timeout=_PATIENCE_S, mode=0o600):
                act()


def _parsed(line: bytes) -> Written | None:
    """None for a line that localspec has not written."""
    try:
        values = json.loads(line)
        text = values["text"]
        folds = tuple((int(start), int(end)) for start, end in values.get("folds", ()))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    places = [0, *(place for fold in folds for place in fold)]
    if not isinstance(text, str) or places != sorted(places) or places[-1] > len(text):
        return None
    safe = displayable(text)
    return Written(safe, folds if safe == text else ())
