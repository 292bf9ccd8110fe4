"""Fetches one file: alone among all pulls, resumed, checked, and only then named."""

import errno
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from localspec.errors import DownloadFailed, NotEnoughSpace
from localspec.models.checking import sha256_of
from localspec.models.events import Event, Meter, Notice
from localspec.models.presence import stored
from localspec.models.records import StoredFile
from localspec.models.sources.located import Located, Mismatch, Source

_POLL_S = 0.2
_TRIES = 2
_OTHER_PLACE = "HF_HUB_CACHE (of the hub's files) can name another directory."


def fetch_file(located: Located, source: Source) -> Generator[Event, None, StoredFile]:
    """Closing it leaves a partial file that the next pull goes on with."""
    meter = Meter(located.wanted.file, located.wanted.role, located.bytes)
    with _disk_errors():
        located.lock.parent.mkdir(parents=True, exist_ok=True)
    # The system drops the lock of a process that died, so a stale one never blocks.
    # Not bound to a thread: whoever closes this generator must be able to let it go.
    lock = FileLock(located.lock, thread_local=False)
    try:
        yield from _wait_for(lock, located, meter)
        if not (yield from _is_finished(located, meter)):
            yield from _fetch_checked(located, source, meter)
        yield meter.at(located.bytes, "present")
        return stored(located.wanted, located.path, located.sha256, owned=True)
    finally:
        lock.release()


def _wait_for(lock: FileLock, located: Located, meter: Meter) -> Iterator[Event]:
    said = False
    while not _acquired(lock):
        if not said:
            yield Notice(f"Another pull is fetching {located.wanted.file}; waiting for it.")
        said = True
        here = located.partial.stat().st_size if located.partial.exists() else 0
        yield meter.at(here, "waiting")
        time.sleep(_POLL_S)


def _acquired(lock: FileLock) -> bool:
    with _disk_errors():
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return False
        except NotImplementedError:
            # A disk that knows no locks, on a network: two pulls at once end in a wrong hash.
            return True
    return True


def _is_finished(located: Located, meter: Meter) -> Generator[Event, None, bool]:
    """Another pull may have finished it while we waited; a damaged file counts as not there."""
    if not located.path.is_file() or located.path.stat().st_size != located.bytes:
        return False
    found = yield from sha256_of(located.path, meter)
    return located.sha256 in (None, found)


def _fetch_checked(located: Located, source: Source, meter: Meter) -> Iterator[Event]:
    for attempt in range(_TRIES):
        try:
            with _disk_errors():
                for done, is_quiet in source.fetch(located):
                    yield meter.at(done, "waiting" if is_quiet else "downloading")
            yield from _check(located, meter)
        except Mismatch:
            located.partial.unlink(missing_ok=True)
            if attempt + 1 < _TRIES:
                yield Notice(f"{located.wanted.file} arrived damaged; fetching it once more.")
        else:
            with _disk_errors():
                source.place(located)
            return
    told = f"{located.wanted.file} arrived damaged twice (wrong size or hash); it was deleted."
    raise DownloadFailed(told, "Try again later, or from another --source.")


def _check(located: Located, meter: Meter) -> Iterator[Event]:
    if located.partial.stat().st_size != located.bytes:
        raise Mismatch
    found = yield from sha256_of(located.partial, meter)
    if located.sha256 not in (None, found):
        raise Mismatch


@contextmanager
def _disk_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        if error.errno == errno.ENOSPC:
            told = f"The disk is full{where}."
            raise NotEnoughSpace(told, "Free some space; the pull then resumes.") from None
        told = f"A file can't be written{where}: {error.strerror or error}."
        raise DownloadFailed(told, _OTHER_PLACE) from None
