"""What llama.cpp says that it allocated, by its own log."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

_LINE = re.compile(r"(\S+)\s+(model|KV|RS|compute|output) buffer size =\s*(\d+(?:\.\d+)?) MiB")
_FIELDS = {
    "model": "weights",
    "KV": "cache",
    "RS": "cache",
    "compute": "compute",
    "output": "output",
}
_MIB = 2**20
_CONTEXT = "constructing llama_context"


@dataclass(frozen=True, slots=True)
class Allocated:
    """Bytes on one device."""

    weights: int = 0
    cache: int = 0
    """KV cells and recurrent states."""
    compute: int = 0
    output: int = 0
    """One row of logits: the buffer grows with the rows that are asked for."""


def allocated(lines: Iterable[str]) -> dict[str, Allocated]:
    """By device, what these lines report of one model; where a context was made twice, the second
    counts."""
    found: dict[str, Allocated] = {}
    for line in lines:
        if _CONTEXT in line:
            found = {name: Allocated(weights=each.weights) for name, each in found.items()}
        elif match := _LINE.search(line):
            name, field = _device(match[1]), _FIELDS[match[2]]
            before = found.get(name, Allocated())
            size = getattr(before, field) + int(float(match[3]) * _MIB)
            found[name] = replace(before, **{field: size})
    return found


def _device(buffer: str) -> str:
    """Memory that the CPU lends to a GPU is the system's as well."""
    if buffer.startswith("CPU") or buffer.endswith("_Host"):
        return "CPU"
    return buffer.partition("[")[0]
