"""How fast each device of a machine reads its memory."""

from __future__ import annotations

from collections.abc import Sequence

from localspec.bench.bandwidth import memory_bandwidth
from localspec.bench.gpu_speeds import gpu_bandwidth
from localspec.llama.devices import devices as native_devices
from localspec.llama.devices import physical_cores
from localspec.models.placement import CPU, MemoryOf


def bandwidths(devices: Sequence[MemoryOf], anew: bool = False) -> dict[str, float]:
    """Bytes a second by device: the system's memory is measured, GPUs go by their names."""
    system = memory_bandwidth(physical_cores(), anew)
    described = {each.name: each.description for each in native_devices()}
    found = {
        device.name: gpu_bandwidth(device, described.get(device.name, ""), system)
        for device in devices
        if device.kind != "cpu"
    }
    return found | {CPU: system}
