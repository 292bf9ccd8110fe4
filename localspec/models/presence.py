"""Which wanted files are on this disk already, in our own directory or in the hub's cache."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from localspec import paths
from localspec.models import catalog, records
from localspec.models.checking import sha256_of
from localspec.models.events import Event, Meter, Notice
from localspec.models.records import StoredFile
from localspec.models.selection import Wanted
from localspec.models.sources.hub_cache import HubCache


@dataclass(frozen=True, slots=True)
class Candidate:
    path: Path
    sha256: str | None


def find_present(wanted: Wanted, cache: HubCache) -> Generator[Event, None, StoredFile | None]:
    """A whole file whose hash matches, never fetched again. Hashes what no pull has checked yet."""
    for candidate in candidates(wanted, cache):
        file = _checked_before(candidate) or (yield from _check(wanted, candidate))
        if file is None:
            yield Notice(f"{candidate.path} is damaged; fetching it again.")
            continue
        size = file.bytes or 0
        yield Meter(wanted.file, wanted.role, size).at(size, "present")
        return file.model_copy(update={"role": wanted.role, "quant": wanted.quant})
    return None


def find_all(
    files: Iterable[Wanted], here: Mapping[Wanted, StoredFile], cache: HubCache
) -> Generator[Event, None, dict[Wanted, StoredFile]]:
    """`here`, and with it those of the other files that are on this disk."""
    found = dict(here)
    for wanted in files:
        if wanted not in found and (file := (yield from find_present(wanted, cache))) is not None:
            found[wanted] = file
    return found


def _check(wanted: Wanted, candidate: Candidate) -> Generator[Event, None, StoredFile | None]:
    meter = Meter(wanted.file, wanted.role, candidate.path.stat().st_size)
    found = yield from sha256_of(candidate.path, meter)
    if candidate.sha256 not in (None, found):
        return None
    owned = any(file.owned for file in _recorded(candidate.path))
    return stored(wanted, candidate.path, found, owned=owned)


def stored(wanted: Wanted, path: Path, sha256: str | None, *, owned: bool) -> StoredFile:
    """The record of a file whose hash was checked just now."""
    status = path.stat()
    return StoredFile(
        role=wanted.role,
        path=path,
        bytes=status.st_size,
        sha256=sha256,
        quant=wanted.quant,
        repo=wanted.repo,
        owned=owned,
        mtime_ns=status.st_mtime_ns,
    )


def candidates(wanted: Wanted, cache: HubCache) -> list[Candidate]:
    """Files here that may be the wanted one, by size and by the hash that a name tells."""
    found = []
    ours = paths.models_dir() / wanted.file
    if (
        catalog.wheel_file(wanted.file, wanted.sha256)
        and ours.is_file()
        and ours.stat().st_size == wanted.bytes
    ):
        found.append(Candidate(ours, wanted.sha256))
    cached = cache.find(wanted)
    if cached:
        found.append(Candidate(*cached))
    return found


def _checked_before(candidate: Candidate) -> StoredFile | None:
    for file in _recorded(candidate.path):
        if candidate.sha256 in (None, file.sha256) and file.is_checked():
            return file
    return None


def _recorded(path: Path) -> Iterator[StoredFile]:
    """The file as pulls recorded it."""
    return (file for record in records.load_all() for file in record.files if file.path == path)
