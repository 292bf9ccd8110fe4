"""Can a record be what localspec wrote? One that was damaged or planted counts as absent."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localspec.models.records import PairRecord, StoredFile

_MAX_BYTES = 2**63 - 1


def is_sound(record: PairRecord, name: str) -> bool:
    """`name` is what the record's file is called: saving must write to that same file."""
    return (
        record.name.lower() == name.lower()
        and record.first("target") is not None
        and all(map(_is_possible, record.files))
        and (record.last_used is None or _is_time(record.last_used))
    )


def _is_possible(file: StoredFile) -> bool:
    return (
        _is_path(file.path)
        and (file.partial is None or _is_path(file.partial))
        and 0 <= (file.bytes or 0) <= _MAX_BYTES
    )


def _is_path(path: Path) -> bool:
    # No system call takes a NUL in a path.
    return "\0" not in str(path)


def _is_time(text: str) -> bool:
    try:
        # Years near either end of the calendar can't be told in another time zone.
        return 1970 < datetime.fromisoformat(text).year < 9999
    except ValueError:
        return False
