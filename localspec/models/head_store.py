"""Heads of files on the hub and lists of repositories, kept so that a second look needs no network.

They lie in the cache directory, named by hashes of what they are; whatever can't be read or written
there is asked for again by the next command.
"""

import hashlib
import os
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path

from localspec import paths
from localspec.models.selection import Wanted
from localspec.whole_file import write_whole

MAX_BYTES = 512 * 2**20
"""Of all that is kept; what was used longest ago goes first."""
_MOST_IN_MEMORY = 4
_in_memory: OrderedDict[Path, bytes] = OrderedDict()
"""Of this process: what the disk doesn't take."""


def load_head(wanted: Wanted) -> bytes | None:
    path = _head(wanted)
    try:
        data = path.read_bytes()
        os.utime(path)
    except OSError:
        return _in_memory.get(path)
    return data


def keep_head(wanted: Wanted, data: bytes) -> None:
    try:
        write_whole(_head(wanted), data)
    except OSError:
        # A full disk, or a read-only one.
        while len(_in_memory) >= _MOST_IN_MEMORY:
            _in_memory.popitem(last=False)
        _in_memory[_head(wanted)] = data
        return
    with suppress(OSError):
        _prune()


def drop_head(wanted: Wanted) -> None:
    _in_memory.pop(_head(wanted), None)
    with suppress(OSError):
        _head(wanted).unlink()


def load_listing(repo: str, revision: str | None) -> bytes:
    """Raises OSError where none is kept."""
    return _listing(repo, revision).read_bytes()


def save_listing(repo: str, revision: str | None, text: str) -> None:
    with suppress(OSError):
        write_whole(_listing(repo, revision), text.encode())


def _head(wanted: Wanted) -> Path:
    # A file of the same hash has the same head, at whatever commit.
    key = wanted.sha256 or f"{wanted.revision}:{wanted.bytes}"
    return _directory() / f"{_hash(wanted.repo.lower(), wanted.file, key)}.head"


def _listing(repo: str, revision: str | None) -> Path:
    return _directory() / f"{_hash(repo.lower(), revision or 'main')}.json"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:40]


def _directory() -> Path:
    return paths.cache_dir() / "headers"


def _prune() -> None:
    """What a process that died left half written goes by age as well."""
    kept = sorted(_directory().iterdir(), key=lambda path: -path.stat().st_mtime)
    total = 0
    for path in kept:
        total += path.stat().st_size
        if total > MAX_BYTES:
            path.unlink(missing_ok=True)
