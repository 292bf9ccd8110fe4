"""Hashes a pair's files again, and stops trusting a damaged one so that a pull fetches it anew."""

from collections.abc import Generator, Iterator

from localspec.errors import BrokenModelFile, NotPulled
from localspec.models import records, store
from localspec.models.checking import sha256_of
from localspec.models.events import Event, Meter, Notice
from localspec.models.records import PairRecord, StoredFile


def verify(name: str) -> Iterator[Event]:
    """Raises BrokenModelFile that names every damaged file; NotPulled or UnknownModel."""
    record = records.load(store.canonical(name))
    if record is None:
        store.resolve(name)
        raise NotPulled(f"{name} is not on this disk.")
    damaged = []
    for file in record.files:
        sound = yield from _is_sound(file)
        if not sound:
            damaged.append(file)
    if damaged:
        raise _broken(record, damaged)


def _is_sound(file: StoredFile) -> Generator[Event, None, bool]:
    if not file.is_whole():
        return False
    if file.sha256 is None:
        yield Notice(f"{file.path.name}: no hash is known, only its size was compared.")
        return True
    meter = Meter(file.path.name, file.role, file.bytes or 0)
    found = yield from sha256_of(file.path, meter)
    return found == file.sha256


def _broken(record: PairRecord, damaged: list[StoredFile]) -> BrokenModelFile:
    for file in damaged:
        records.distrust(file.path)
    again = f"`localspec pull {record.name}` fetches it again."
    names = ", ".join(str(file.path) for file in damaged)
    reason = "damaged" if all(file.is_whole() for file in damaged) else "missing or damaged"
    hint = "Copy and add it again." if record.source == "local" else again
    return BrokenModelFile(f"{names} is {reason}.", hint)
