"""What llama.cpp says that it allocated, by its own log."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from localspec.llama.devices import Device

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
    """Bytes in one device's buffers."""

    weights: int = 0
    cache: int = 0
    """KV cells and recurrent states."""
    compute: int = 0
    output: int = 0
    """One row of logits: the buffer grows with the rows that are asked for."""
    mapped: bool = False
    """The weights are pages of the file, of which only those that are used take memory."""


def allocated(lines: Iterable[str]) -> dict[str, Allocated]:
    """By buffers' names (see `buffer_names`), what these lines report of one model; where a context
    was made twice, the second counts."""
    found: dict[str, Allocated] = {}
    for line in lines:
        if _CONTEXT in line:
            found = {
                name: Allocated(weights=each.weights, mapped=each.mapped)
                for name, each in found.items()
            }
        elif match := _LINE.search(line):
            name, field = _device(match[1]), _FIELDS[match[2]]
            before = found.get(name, Allocated())
            size = getattr(before, field) + int(float(match[3]) * _MIB)
            mapped = before.mapped or match[1].endswith("_Mapped")
            found[name] = replace(before, **{field: size}, mapped=mapped)
    return found


def _device(buffer: str) -> str:
    """Memory that the CPU lends to a GPU is the system's as well."""
    return "CPU" if buffer.startswith("CPU") or buffer.endswith("_Host") else buffer


def buffer_names(devices: Iterable[Device]) -> dict[str, str]:
    """What llama.cpp calls the buffers of each device: those of a server are numbered anew."""
    names: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    for device in devices:
        if device.kind == "rpc":
            server = device.description
            names[f"RPC{numbers[server]}[{server}]"] = device.name
            numbers[server] += 1
        else:
            names[device.name] = device.name
    return names
