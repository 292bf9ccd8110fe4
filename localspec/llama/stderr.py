"""What native code prints, away from the screen."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def stderr_to(path: Path) -> Iterator[None]:
    """While this holds, everything on stderr is added to a file; lost where that can't be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sink = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        sink = os.open(os.devnull, os.O_WRONLY)
    try:
        kept = os.dup(2)
    except OSError:
        # stderr is closed: nothing could be seen there.
        os.close(sink)
        yield
        return
    os.dup2(sink, 2)
    os.close(sink)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
