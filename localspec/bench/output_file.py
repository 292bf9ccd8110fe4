"""Files with results of long work: whole or as they were."""

from __future__ import annotations

import os
from pathlib import Path

from localspec.errors import LocalspecError, UsageError


def check_writable(path: Path) -> None:
    """Before the work: its results must not be lost at the end. Raises UsageError."""
    if path.is_dir():
        raise UsageError(f"{path} is a directory.", "Give the name of a file.")
    try:
        if _is_special(path):
            path.open("ab").close()
        else:
            draft = _draft_of(path)
            draft.touch()
            draft.unlink()
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}.") from None


def write_whole(path: Path, data: bytes) -> None:
    """A file from before stays until the new one is whole. Raises LocalspecError."""
    try:
        if _is_special(path):
            path.write_bytes(data)
        else:
            draft = _draft_of(path)
            draft.write_bytes(data)
            draft.replace(path.resolve())
    except OSError as error:
        raise LocalspecError(f"{path} can't be written: {error.strerror}.") from None


def _is_special(path: Path) -> bool:
    """A pipe or a device can't be replaced."""
    return path.exists() and not path.is_file()


def _draft_of(path: Path) -> Path:
    whole = path.resolve()
    return whole.with_name(f".{whole.name}.{os.getpid()}")
