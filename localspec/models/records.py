"""One JSON file for each pair on this disk: its files, and whether all of them are there."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from localspec import paths
from localspec.errors import LocalspecError
from localspec.models.soundness import is_sound
from localspec.whole_file import write_whole

Role = Literal["target", "draft"]


class StoredFile(BaseModel):
    """A file of a pair. A split target has one entry for each part; the first is loaded."""

    model_config = ConfigDict(frozen=True)

    role: Role
    path: Path
    bytes: int | None = None
    sha256: str | None = None
    quant: str = ""
    repo: str = ""
    partial: Path | None = None
    """Where an interrupted pull left off."""
    owned: bool = True
    """Fetched by localspec, so it may be deleted; false for a user's own or another program's."""
    mtime_ns: int | None = None
    """When the file whose hash was checked was written."""
    tried_ns: int | None = None
    """When the file that llama.cpp has loaded here was written."""

    def is_whole(self) -> bool:
        size = _size(self.path)
        return size is not None and (self.bytes is None or size == self.bytes)

    def present_bytes(self) -> int:
        return _size(self.path) or (_size(self.partial) if self.partial else None) or 0

    def is_checked(self) -> bool:
        """The bytes whose hash matched are still these ones, as far as a look at the file tells."""
        return self.is_whole() and self.mtime_ns == self.path.stat().st_mtime_ns

    def is_tried(self) -> bool:
        """llama.cpp has loaded these very bytes on this machine, and survived."""
        return self.is_whole() and self.tried_ns == self.path.stat().st_mtime_ns

    def tried(self) -> "StoredFile":
        written = self.path.stat().st_mtime_ns if self.is_whole() else None
        return self.model_copy(update={"tried_ns": written})


class PairRecord(BaseModel):
    """`verified` is set last, when every file's size and hash and the pair's fit were checked."""

    model_config = ConfigDict(frozen=True)

    name: str
    source: Literal["hub", "wheels", "local"]
    license: str = ""
    files: tuple[StoredFile, ...]
    verified: bool = False
    last_used: str | None = None

    def is_ready(self) -> bool:
        return self.verified and all(file.is_whole() for file in self.files)

    def first(self, role: Role) -> StoredFile | None:
        return next((file for file in self.files if file.role == role), None)


def load(name: str) -> PairRecord | None:
    """A record that can't be read counts as absent: pulling or adding again writes it anew."""
    path = _path(name)
    # A name may not lead out of the records' directory.
    if path.parent != paths.pairs_dir():
        return None
    try:
        record = PairRecord.model_validate_json(path.read_bytes())
    except (OSError, ValueError):
        return None
    return record if is_sound(record, name) else None


def load_all() -> Iterator[PairRecord]:
    for path in sorted(paths.pairs_dir().glob("*.json")):
        record = load(path.stem)
        if record is not None:
            yield record


def save(record: PairRecord) -> None:
    """Raises LocalspecError when the record can't be written; the former one stays then."""
    path = _path(record.name)
    text = record.model_dump_json(indent=1) + "\n"
    try:
        write_whole(path, text.encode())
    except OSError as error:
        told = f"{path} can't be written: {error.strerror or error}."
        raise LocalspecError(told, "LOCALSPEC_DATA_DIR can name another directory.") from None


def distrust(path: Path) -> None:
    """A file turned out damaged: no pulled pair that has it is ready until it is checked anew."""
    for record in load_all():
        if record.source != "local" and any(file.path == path for file in record.files):
            files = tuple(
                file.model_copy(update={"mtime_ns": None}) if file.path == path else file
                for file in record.files
            )
            save(record.model_copy(update={"files": files, "verified": False}))


def delete(name: str) -> None:
    _path(name).unlink(missing_ok=True)


def _path(name: str) -> Path:
    return paths.pairs_dir() / f"{name.lower()}.json"


def _size(path: Path) -> int | None:
    """None for what is gone, and for a pipe or device, which has no size to compare."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
