"""The memory of this machine's devices, as a plan needs it."""

from __future__ import annotations

from localspec.llama.devices import devices
from localspec.models.placement import MemoryOf, in_order


def machine_memory(rpc: tuple[str, ...] = ()) -> tuple[MemoryOf, ...]:
    """GPUs and connected RPC devices in llama.cpp's order, the CPU last."""
    return in_order(
        MemoryOf(each.name, each.kind, each.memory_free, each.memory_total) for each in devices(rpc)
    )
