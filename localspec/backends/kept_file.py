"""Small files of JSON in the user's cache directory, which may hold anything by now."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from localspec.whole_file import write_whole

_MOST_BYTES = 1 << 20
UNUSABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What using such a file may raise."""


def path_of(folder: Path, key: dict[str, Any]) -> Path:
    """A file for each key, which is of JSON's types."""
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:24]
    return folder / f"{digest}.json"


def read(path: Path) -> dict[str, Any]:
    """A kept file's object. Raises OSError, ValueError, TypeError or RecursionError."""
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError("too large")
    return dict(json.loads(data))


def write(path: Path, content: dict[str, Any]) -> None:
    """What can't be kept is no failure."""
    with suppress(OSError):
        write_whole(path, json.dumps(content, indent=1).encode())


def file_key(path: Path | None) -> list[Any] | None:
    """What tells a file from another without reading it."""
    if path is None:
        return None
    status = path.stat()
    return [path.name, status.st_size, status.st_mtime_ns]
