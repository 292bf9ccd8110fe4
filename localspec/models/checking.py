"""Hashes a file while saying how far it is."""

import hashlib
import time
from collections.abc import Generator
from pathlib import Path

from localspec.models.events import Meter, Progress

_CHUNK = 2**20
_EVERY_S = 0.2


def sha256_of(path: Path, meter: Meter) -> Generator[Progress, None, str]:
    """Yields progress a few times a second; returns the hash."""
    digest, done, said = hashlib.sha256(), 0, 0.0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if time.monotonic() - said > _EVERY_S:
                said = time.monotonic()
                yield meter.at(done, "checking")
    yield meter.at(done, "checking")
    return digest.hexdigest()
