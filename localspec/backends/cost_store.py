"""Tables of costs in the user's cache directory."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any

from localspec import paths
from localspec.backends.calibration import MAX_PASS, measure, refresh
from localspec.backends.kept_file import UNUSABLE, file_key, path_of, read, write
from localspec.engine.costs import CostTable
from localspec.engine.interface import Decoder
from localspec.llama.build import library_version


def folder() -> Path:
    return paths.cache_dir() / "costs"


class CostStore:
    """A file for each pair, device and number of threads. Never fails: what can't be read is
    measured, and what can't be written is measured again the next time."""

    def __init__(self, key: dict[str, Any]) -> None:
        """`key` is all that the costs depend on, in JSON's types."""
        self._key = key
        self.path = path_of(folder(), key)
        self.measured_at = time()
        """When all of it was measured, in seconds since 1970; replies have refined it since."""

    def load(self) -> CostTable | None:
        """None when there is none, or what lies there can't be used."""
        try:
            kept = read(self.path)
            if kept["key"] != self._key:
                return None
            costs = CostTable.from_report(kept["costs"], MAX_PASS)
            self.measured_at = min(float(kept["measured_at"]), time())
        except UNUSABLE:
            return None
        return costs

    def measured(self, target: Decoder, draft: Decoder | None, anew: bool) -> CostTable:
        """Known and looked at, else or if `anew` measured; kept. Raises as `measure` does."""
        costs = None if anew else self.load()
        # A foreign table may lack the draft.
        if costs is None or costs.has_draft != (draft is not None):
            costs = measure(target, draft)
            self.measured_at = time()
        else:
            refresh(costs, target, draft)
        self.save(costs)
        return costs

    def save(self, costs: CostTable) -> None:
        content = {"key": self._key, "measured_at": self.measured_at, "costs": costs.report()}
        write(self.path, content)


def latest(target: Path, draft: Path | None) -> CostTable | None:
    """What was kept last for these files, on whatever device and threads; None: nothing."""
    files = {"target": file_key(target), "draft": file_key(draft)}
    for path in sorted(folder().glob("*.json"), key=_age):
        with suppress(*UNUSABLE):
            kept = read(path)
            if all(kept["key"][role] == key for role, key in files.items()):
                return CostTable.from_report(kept["costs"], MAX_PASS)
    return None


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0


def cost_key(
    target: Path,
    draft: Path | None,
    placements: tuple[str, str],
    caches: tuple[str, str],
    threads: int,
) -> dict[str, Any]:
    """What the costs depend on; `placements` and `caches` of target and draft, in words."""
    return {
        "target": file_key(target),
        "draft": file_key(draft),
        "device": placements[0],
        "draft_device": placements[1],
        "caches": list(caches),
        "threads": threads,
        "llama_cpp": library_version(),
    }
