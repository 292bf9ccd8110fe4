"""How fast memory can be read: what bounds a model that writes one token after the other."""

from __future__ import annotations

import platform
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np
import psutil

from localspec import paths
from localspec.backends.kept_file import UNUSABLE, read, write

_BYTES = 512 * 2**20
"""Larger than what caches keep from one pass to the next."""
_LEAST_BYTES = 64 * 2**20
_BUDGET_S = 0.8
_MOST = 1e13


def memory_bandwidth(threads: int, anew: bool = False) -> float:
    """Bytes a second that all cores together read from the system's memory. Measured in a second
    and kept in the cache directory; what can't be read there is measured again."""
    key = {"cpu": _cpu_name(), "threads": threads, "memory": psutil.virtual_memory().total}
    file = paths.cache_dir() / "bandwidth.json"
    if not anew:
        try:
            kept = read(file)
            if kept["key"] == key and 1e8 < float(kept["bytes_per_second"]) < _MOST:
                return float(kept["bytes_per_second"])
        except UNUSABLE:
            pass
    found = measure(threads)
    write(file, {"key": key, "bytes_per_second": found})
    return found


def measure(
    threads: int,
    num_bytes: int | None = None,
    budget_s: float = _BUDGET_S,
    clock: Callable[[], float] = perf_counter,
) -> float:
    """The best of the passes that there is time for, at least two: noise only ever adds."""
    size = num_bytes or min(_BYTES, max(_LEAST_BYTES, psutil.virtual_memory().available // 8))
    data = np.ones(size // 8, np.int64)
    parts = np.array_split(data, max(1, threads))
    best, end, passes = 0.0, clock() + budget_s, 0
    with ThreadPoolExecutor(len(parts)) as pool:
        while passes < 2 or clock() < end:
            start = clock()
            # The largest of whole numbers takes the least work of all that reads everything, and
            # numpy gives the interpreter's lock back meanwhile.
            list(pool.map(np.maximum.reduce, parts))
            best = max(best, data.nbytes / max(clock() - start, 1e-9))
            passes += 1
    return best


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123
            names = (line.partition(":")[2].strip() for line in file if "model name" in line)
            return next(names, "")
    except OSError:
        return platform.processor()
