"""Files that are written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)


def write_whole(path: Path, data: bytes, private: bool = False) -> None:
    """Also with another process at the same file; its directory is made. Raises OSError, and then
    what was there before stays. A private one is for its owner alone."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(part, _FLAGS, 0o600 if private else 0o666)
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
