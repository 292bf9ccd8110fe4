"""The memory of this machine's devices, as a plan needs it."""

from __future__ import annotations

from localspec.llama.devices import devices
from localspec.models.placement import CPU, MemoryOf

_UNIFIED = ("metal", "mtl")
"""Apple's GPUs share the system's memory, and llama.cpp calls them plain GPUs."""


def machine_memory(rpc: tuple[str, ...] = ()) -> tuple[MemoryOf, ...]:
    """GPUs and connected RPC devices in llama.cpp's order, the CPU last."""
    found = devices(rpc)
    gpus = [
        MemoryOf(each.name, _kind(each.name, each.kind), each.memory_free, each.memory_total)
        for each in found
        if each.holds_layers
    ]
    cpu = next(each for each in found if each.kind == "cpu")
    return (*gpus, MemoryOf(CPU, "cpu", cpu.memory_free, cpu.memory_total))


def _kind(name: str, kind: str) -> str:
    return "igpu" if name.lower().startswith(_UNIFIED) else kind
