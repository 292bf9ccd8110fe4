"""What worked on this machine after memory had run out, in the user's cache directory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from localspec import paths
from localspec.backends.attempt import Attempt, from_report
from localspec.backends.interface import LoadRequest
from localspec.backends.kept_file import UNUSABLE, file_key, path_of, read, write
from localspec.llama.build import library_version
from localspec.llama.devices import Device, devices

_MORE = 1.1
"""Free memory must have grown by this factor before everything is tried again."""


def folder() -> Path:
    return paths.cache_dir() / "placements"


class AttemptStore:
    """A file for each pair of files, set of devices and request. Never fails: what can't be read
    is tried anew, and what can't be written as well."""

    def __init__(self, request: LoadRequest, target: Path, draft: Path | None) -> None:
        """Devices are looked up: RPC servers must be connected."""
        found = devices(request.rpc)
        self._free = {device.name: device.memory_free for device in found}
        self._key = _key(request, target, draft, found)
        self.path = path_of(folder(), self._key)

    def load(self) -> Attempt | None:
        """What worked; None when there is nothing, or when so much more memory is free now that
        all of it is worth another try."""
        try:
            kept = read(self.path)
            if kept["key"] != self._key:
                return None
            attempt = from_report(kept["attempt"])
            before = {str(name): int(free) for name, free in kept["free"].items()}
        except UNUSABLE:
            return None
        grown = any(free > before.get(name, 0) * _MORE for name, free in self._free.items())
        return None if grown else attempt

    def save(self, attempt: Attempt) -> None:
        content = {"key": self._key, "free": self._free, "attempt": attempt.report()}
        write(self.path, content)

    def forget(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def _key(
    request: LoadRequest, target: Path, draft: Path | None, found: Sequence[Device]
) -> dict[str, Any]:
    asked = asdict(request) | {"chosen": sorted(request.chosen)}
    del asked["name"], asked["fresh"]
    key = {
        "target": file_key(target),
        "draft": file_key(draft),
        "devices": [[device.name, device.description, device.memory_total] for device in found],
        "request": asked,
        "llama_cpp": library_version(),
    }
    # As it is read again.
    as_read: dict[str, Any] = json.loads(json.dumps(key))
    return as_read
