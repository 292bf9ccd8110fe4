"""A placement in words."""

from localspec.models.placement import CPU, DeviceUse, Placement
from localspec.models.selection import size_text


def where(placement: Placement, num_layers: int) -> str:
    """A few words for a table's cell: `all on GPU`, `20/33 layers on GPU`, `CPU`."""
    if not placement.fits:
        return "doesn't fit"
    if not placement.devices:
        return "CPU, draft on GPU" if placement.draft_layers else CPU
    several = f"{len(placement.devices)} GPUs" if len(placement.devices) > 1 else "GPU"
    draft = ", draft on CPU" if placement.draft_device == CPU else ""
    if placement.target_layers < num_layers:
        return f"{placement.target_layers}/{num_layers} layers on {several}{draft}"
    experts = f", experts of {placement.cpu_experts} layers on CPU" if placement.cpu_experts else ""
    return f"all on {several}{experts}{draft}"


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
    tightest = max(placement.uses, key=_missing)
    needed = size_text(tightest.needed + tightest.head_room)
    of = "the system's memory" if tightest.name == CPU else tightest.name
    return (
        f"It needs {needed} of {of} with {size_text(tightest.head_room)} to spare,"
        f" and {size_text(tightest.free)} are free."
    )


def _missing(use: DeviceUse) -> int:
    return use.needed + use.head_room - use.free
