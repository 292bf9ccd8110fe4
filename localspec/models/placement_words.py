"""A placement in words."""

import re
from collections.abc import Sequence

from localspec.models.placement import CPU, DeviceUse, MemoryOf, Placement, shared
from localspec.models.selection import size_text

_MEANINGS = {
    "/": "20/33: so many layers on the GPU, the others on the CPU",
    "x": "12x: experts of so many layers in the system's memory",
    "*": "*: the draft on the CPU",
    "no": "no: doesn't fit",
}
"""What may stand in a cell, by what gives it away."""


def short(placement: Placement, num_layers: int) -> str:
    """For a table's cell: `GPU`, `20/33`, `GPU+12x`, `CPU`, `no`; `*` says that a GPU takes none of
    the draft."""
    if not placement.fits:
        return "no"
    if not placement.devices:
        return CPU
    where = f"{len(placement.devices)} GPUs" if len(placement.devices) > 1 else "GPU"
    if placement.target_layers < num_layers:
        where = f"{placement.target_layers}/{num_layers}"
    experts = f"+{placement.cpu_experts}x" if placement.cpu_experts else ""
    return where + experts + ("*" if placement.draft_device == CPU else "")


def legend(cells: str) -> list[str]:
    """What these cells mean, in one line; nothing where they explain themselves."""
    words = set(re.findall(r"no\b|\d/\d|\dx|\*", cells))
    keys = {re.sub(r"\d", "", word) for word in words}
    told = [meaning for key, meaning in _MEANINGS.items() if key in keys]
    return ["; ".join(told) + "."] if told else []


def reason(placement: Placement, num_layers: int) -> str:
    """One sentence: what goes where, or why it doesn't fit."""
    if not placement.fits:
        return _short_of(placement)
    names = " and ".join(placement.devices)
    layers = f"{placement.target_layers} of {num_layers} layers"
    all_layers = placement.target_layers == num_layers
    if not placement.devices:
        told = "All layers go on the CPU"
    elif all_layers:
        told = f"All layers go on {names}"
    else:
        told = f"{layers} go on {names}, the others on the CPU"
    if placement.cpu_experts and placement.devices:
        told += f", with the experts of the first {placement.cpu_experts} in the system's memory"
    if placement.draft_device:
        told += f"; the draft on {'the CPU' if placement.draft_device == CPU else 'the GPU'}"
        if len(placement.devices) > 1 and placement.draft_device != CPU:
            told = told.removesuffix("the GPU") + placement.draft_device
    return told + "."


def _short_of(placement: Placement) -> str:
    tightest = max((*placement.uses, *shared(placement.uses)), key=_missing)
    needed = size_text(tightest.needed + tightest.head_room)
    of = "the system's memory" if tightest.name == CPU else tightest.name
    return (
        f"It needs {needed} of {of} with {size_text(tightest.head_room)} to spare,"
        f" and {size_text(tightest.free)} are free."
    )


def _missing(use: DeviceUse) -> int:
    return use.needed + use.head_room - use.free


def machine_words(devices: Sequence[MemoryOf]) -> str:
    """`CUDA0 23.1 of 24.0 GB free, memory 50.2 of 64.0 GB free`."""
    words = [
        f"{'memory' if each.kind == 'cpu' else each.name}"
        f" {each.free / 1e9:.1f} of {each.total / 1e9:.1f} GB free"
        for each in devices
    ]
    return ", ".join(words) + ("" if len(devices) > 1 else "; no GPU that this build can use")
