"""Small files of JSON in the user's cache directory, which may hold anything by now."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

_MOST_BYTES = 1 << 20
UNUSABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What using such a file may raise."""


def read(path: Path) -> dict[str, Any]:
    """A kept file's object. Raises OSError, ValueError, TypeError or RecursionError."""
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError("too large")
    return dict(json.loads(data))


def write_whole(path: Path, content: dict[str, Any]) -> None:
    """All of it or nothing, also with another process at the same file."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(content, indent=1), "utf-8")
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def file_key(path: Path | None) -> list[Any] | None:
    """What tells a file from another without reading it."""
    if path is None:
        return None
    status = path.stat()
    return [path.name, status.st_size, status.st_mtime_ns]
