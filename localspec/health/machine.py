"""The memory of this machine's devices, without llama.cpp in this process."""

from collections.abc import Sequence

from localspec.health import native
from localspec.models.placement import MemoryOf, in_order


def machine_memory() -> Sequence[MemoryOf]:
    """GPUs first, the CPU last; nothing where llama.cpp can't be asked: no pull needs it."""
    try:
        found = native.ask()["devices"]
    except native.NativeProbeFailed:
        return ()
    return in_order(
        MemoryOf(each["name"], each["kind"], each["memory_free"], each["memory_total"])
        for each in found
    )
