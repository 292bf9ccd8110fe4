"""What goes where: the layers of a target and its draft on the devices of one machine."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

CPU = "CPU"
_TOGETHER = "the memory that CPU and GPU share"


@dataclass(frozen=True, slots=True)
class MemoryOf:
    """One device's memory, in bytes."""

    name: str
    """As llama.cpp calls it; `CPU` is the system's memory."""
    kind: str
    """cpu, gpu, igpu or rpc; an igpu takes its memory from the system's."""
    free: int
    total: int


Devices = Callable[[], Sequence[MemoryOf]]
"""Asks the machine, when it must be known; empty where it can't be asked."""


def in_order(found: Iterable[MemoryOf]) -> tuple[MemoryOf, ...]:
    """Those that hold layers, named and sorted as plans have them: the CPU last."""
    devices = list(found)
    gpus = [each for each in devices if each.kind in ("gpu", "igpu", "rpc")]
    return (*gpus, *(replace(each, name=CPU) for each in devices if each.kind == "cpu"))


def apart(devices: Sequence[MemoryOf]) -> tuple[list[MemoryOf], MemoryOf]:
    """The GPUs, and the CPU."""
    gpus = [device for device in devices if device.kind != "cpu"]
    return gpus, next(device for device in devices if device.kind == "cpu")


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """What a placement takes of one device, in bytes."""

    name: str
    weights: int
    cache: int
    """KV cells and recurrent states."""
    compute: int
    """Compute buffers, and on the CPU the logits."""
    head_room: int
    """Left free for what isn't reckoned."""
    free: int
    """Before anything is loaded."""
    shared: bool = False
    """It is the system's memory: an integrated GPU has none of its own."""

    @property
    def needed(self) -> int:
        return self.weights + self.cache + self.compute

    @property
    def fits(self) -> bool:
        return self.needed + self.head_room <= self.free


def shared(uses: Sequence[DeviceUse]) -> tuple[DeviceUse, ...]:
    """What the CPU and integrated GPUs take together, where there are such."""
    parts = [use for use in uses if use.shared or use.name == CPU]
    if len(parts) < 2:
        return ()
    system = parts[-1]
    weights, cache, compute = (
        sum(each)
        for each in zip(*((use.weights, use.cache, use.compute) for use in parts), strict=True)
    )
    return (DeviceUse(_TOGETHER, weights, cache, compute, system.head_room, system.free),)


@dataclass(frozen=True, slots=True)
class Placement:
    """A plan that can be given to llama.cpp as it is; 0 layers are all on the CPU."""

    target_layers: int
    """Layers of the target on `devices`, its last ones; llama.cpp counts the output as one more."""
    draft_layers: int
    """All or none: a draft is never split."""
    devices: tuple[str, ...]
    """GPUs that hold target layers, in order; empty is none."""
    tensor_split: tuple[float, ...]
    """Each device's share of the target's layers; empty with less than two devices."""
    draft_device: str
    """The one GPU that holds the draft, or CPU; empty without a draft."""
    cpu_experts: int
    """The first layers of a mixture whose experts stay in the system's memory."""
    n_ctx: int
    """Tokens of context, of both."""
    cache_type_k: str
    cache_type_v: str
    """Of the target's cache: f16, q8_0..."""
    flash_attention: bool
    uses: tuple[DeviceUse, ...]
    """Of every device that takes a part, the CPU last."""
    fits: bool
    reason: str
    """What goes where, or why it doesn't fit, in one sentence."""
