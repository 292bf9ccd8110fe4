"""The memory of this machine's devices, as a plan needs it."""

from __future__ import annotations

from localspec.llama.devices import devices
from localspec.models.placement import MemoryOf, in_order


def machine_memory(rpc: tuple[str, ...] = ()) -> tuple[MemoryOf, ...]:
    """GPUs and connected RPC devices in llama.cpp's order, the CPU last."""
    return in_order(
        MemoryOf(each.name, each.kind, each.memory_free, each.memory_total) for each in devices(rpc)
    )


class FreeMemory:
    """What was free of each of this machine's devices when this was made."""

    def __init__(self) -> None:
        self._bytes = _free()

    def less_now(self) -> dict[str, int]:
        now = _free()
        return {name: max(0, size - now.get(name, size)) for name, size in self._bytes.items()}


def _free() -> dict[str, int]:
    return {device.name: device.free for device in machine_memory()}
