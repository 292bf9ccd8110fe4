"""The costs of a pair's passes: measured when it is loaded, kept for the next time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from localspec import paths
from localspec.engine.costs import CostTable
from localspec.engine.interface import Decoder
from localspec.llama.build import library_version
from localspec.settings import MAX_DRAFT_TOKENS

MAX_PASS = MAX_DRAFT_TOKENS + 1
BUDGET_S = 1.8
"""Seconds that measuring may take before the first chat; a known table is only looked at."""
_KNOWN_BUDGET_S = 0.4
_TARGET_SIZES = (1, 4, 2, 8, 3, 6, 16, 5, 12, 24, 33)
"""The most telling first: a slow model has time for a few."""
_DRAFT_SIZES = (1, 2, 8)
_GROWTH = 0.1
"""What a further token adds to a pass, as a part of it, where only one size could be measured."""


def measure(target: Decoder, draft: Decoder | None, budget_s: float = BUDGET_S) -> CostTable:
    """Time passes on emptied caches, and empty them again. Raises NativeFailure."""
    end = perf_counter() + budget_s
    points: dict[str, dict[int, float]] = {"target": {}, "draft": {}}
    if draft is not None:
        points["draft"] = dict(_timed(draft, _DRAFT_SIZES, 1, min(end, perf_counter() + 0.3)))
    points["target"] = dict(_timed(target, _TARGET_SIZES, None, end))
    for known in points.values():
        if len(known) == 1:
            known[MAX_PASS] = known[1] * (1.0 + _GROWTH * (MAX_PASS - 1))
    return CostTable(points["target"], points["draft"], MAX_PASS)


def refresh(costs: CostTable, target: Decoder, draft: Decoder | None) -> None:
    """A look at a table from another day: the pace, and the sizes there is time for."""
    end = perf_counter() + _KNOWN_BUDGET_S
    decoders = {"target": (target, (1, 4), None)}
    if draft is not None and costs.has_draft:
        decoders["draft"] = (draft, (1,), 1)  # type: ignore[assignment]
    for model, (decoder, sizes, rows) in decoders.items():
        for size, seconds in _timed(decoder, sizes, rows, end):
            costs.observe(model, 0, size, seconds)


def _timed(
    decoder: Decoder, sizes: tuple[int, ...], rows: int | None, end: float
) -> Iterator[tuple[int, float]]:
    """(size, seconds) until the time is up, at least one; `rows` None: a row for every token."""
    ids = np.random.default_rng(0).integers(0, decoder.n_vocab, MAX_PASS).astype(np.int32)
    _pass(decoder, ids[:1], 1)
    last = 0.0
    for size in sizes:
        if size > min(decoder.max_batch, decoder.n_ctx):
            continue
        if last and perf_counter() + last > end:
            return
        # The first pass of a shape builds its graph; noise only ever adds.
        last = _pass(decoder, ids[:size], rows or size)
        if size == 1 or perf_counter() + last < end - 8 * last:
            last = min(last, _pass(decoder, ids[:size], rows or size))
        yield size, last


def _pass(decoder: Decoder, ids: Any, rows: int) -> float:
    start = perf_counter()
    if len(ids) > 1:
        decoder.mark()
    decoder.decode(ids, rows)
    seconds = perf_counter() - start
    decoder.rollback(0)
    return seconds


class CostStore:
    """Tables in the cache directory, a file for each pair, device and number of threads."""

    def __init__(self, key: dict[str, Any]) -> None:
        self._key = key
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:24]
        self._path = paths.cache_dir() / "costs" / f"{digest}.json"

    def load(self) -> CostTable | None:
        """None when there is none, or what lies there can't be used."""
        try:
            kept = json.loads(self._path.read_text("utf-8"))
            return CostTable.from_report(kept["costs"], MAX_PASS)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def save(self, costs: CostTable) -> None:
        """A table that can't be written is measured again the next time."""
        text = json.dumps({"key": self._key, "costs": costs.report()}, indent=1)
        part = self._path.with_suffix(".part")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(text, "utf-8")
            part.replace(self._path)


def cost_key(
    target: Path, draft: Path | None, placements: tuple[str, str], threads: int
) -> dict[str, Any]:
    """What the costs depend on; `placements` of target and draft."""
    return {
        "target": file_key(target),
        "draft": file_key(draft),
        "device": placements[0],
        "draft_device": placements[1],
        "threads": threads,
        "llama_cpp": library_version(),
    }


def file_key(path: Path | None) -> list[Any] | None:
    """What tells a file from another without reading it."""
    if path is None:
        return None
    status = path.stat()
    return [path.name, status.st_size, status.st_mtime_ns]
