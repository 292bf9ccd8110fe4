"""Takes a pair off this disk, and never a file that another pair or another program uses."""

import glob
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from localspec import paths
from localspec.errors import NotPulled
from localspec.models import records, store
from localspec.models.records import PairRecord, StoredFile
from localspec.models.sources.hub_cache import place_of


@dataclass(frozen=True, slots=True)
class Removal:
    """What `rm` would do, or did."""

    name: str
    freed_bytes: int
    deleted: tuple[Path, ...]
    kept: tuple[tuple[Path, str], ...]
    """Files that stay, each with the reason."""


def plan_removal(name: str) -> Removal:
    """Raises NotPulled or UnknownModel when no such pair is on this disk."""
    record = _record(name)
    used = {
        path: other.name
        for other in records.load_all()
        if other.name != record.name
        for file in other.files
        for path in _paths(file)
    }
    kept: list[tuple[Path, str]] = []
    deleted: list[Path] = []
    for file in record.files:
        for path in _paths(file):
            reason = f"{used[path]} uses it" if path in used else _not_ours(file, path)
            if reason:
                kept.append((path, reason))
            elif path not in deleted:
                deleted.append(path)
    freed = sum((_blob(path) or path).lstat().st_size for path in deleted)
    return Removal(record.name, freed, tuple(deleted), tuple(kept))


def remove(name: str) -> Removal:
    """Forgets the pair first: a removal that breaks off never leaves a pair that looks ready."""
    removal = plan_removal(name)
    records.delete(removal.name)
    for path in removal.deleted:
        _delete(path)
    return removal


def _record(name: str) -> PairRecord:
    record = records.load(store.canonical(name))
    if record is not None:
        return record
    if store.is_known(name):
        raise NotPulled(f"{store.canonical(name)} is not on this disk.")
    raise store.unknown(name)


def _paths(file: StoredFile) -> Iterator[Path]:
    if file.path.is_file():
        yield file.path
    if file.partial is not None:
        # A wheel that was being fetched lies beside its partial.
        yield from file.partial.parent.glob(glob.escape(file.partial.name) + "*")


def _not_ours(file: StoredFile, path: Path) -> str:
    if not file.owned:
        return "localspec didn't fetch it"
    # A record that was damaged or planted may name any file of the user's.
    in_cache = any(part.startswith("models--") for part in path.parent.parts)
    is_ours = ".." not in path.parts and (in_cache or paths.models_dir() in path.parents)
    return "" if is_ours else "it lies where localspec puts no files"


def _blob(path: Path) -> Path | None:
    """What a link in the hub's cache points to, which goes with its last link. Nothing else that
    is linked to was made here: a user may keep models on another disk."""
    blob, folder = path.resolve(), path.parent.resolve()
    repo = blob.parent.parent
    is_ours = place_of(path) is not None and blob.parent.name == "blobs" and repo in folder.parents
    return blob if is_ours and path.is_symlink() else None


def _delete(path: Path) -> None:
    blob, folder = _blob(path), path.parent.resolve()
    path.unlink()
    if blob is None or not blob.exists():
        return
    repo = blob.parent.parent
    links = (link for link in repo.glob("snapshots/*/**/*") if link.is_symlink())
    if not any(link.resolve() == blob for link in links):
        blob.unlink()
    _drop_empty(folder, repo)


def _drop_empty(directory: Path, top: Path) -> None:
    while directory != top and top in directory.parents and not any(directory.iterdir()):
        directory.rmdir()
        directory = directory.parent
