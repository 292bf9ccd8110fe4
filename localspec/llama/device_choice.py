"""Which devices a target and its draft may use, by what the user named."""

from __future__ import annotations

from collections.abc import Sequence

from localspec.errors import UsageError
from localspec.llama.devices import Device, devices


def usable(rpc: Sequence[str] = ()) -> list[Device]:
    """Those that may hold layers, by llama.cpp's rule: servers first, then GPUs; integrated ones
    only where there is no other GPU. `rpc` are the servers that were connected."""
    found = devices(rpc)
    remote = [device for device in found if device.kind == "rpc"]
    gpus = [device for device in found if device.kind == "gpu"]
    return remote + (gpus or [device for device in found if device.kind == "igpu"])


def chosen(text: str, rpc: Sequence[str] = ()) -> tuple[Device, ...]:
    """The devices of `auto`, `cpu`, or names with commas between; none is the CPU. Raises
    UsageError for a name that isn't there, or is there twice."""
    names = [name.strip() for name in text.split(",")]
    if text.strip().lower() == "auto":
        return tuple(usable(rpc))
    if text.strip().lower() == "cpu":
        return ()
    known = {device.name.lower(): device for device in devices(rpc) if device.holds_layers}
    for name in names:
        if name.lower() not in known:
            choices = ", ".join(["auto", "cpu", *(device.name for device in known.values())])
            raise UsageError(f"There is no device {name!r}.", f"Choose one of: {choices}.")
    lowered = [name.lower() for name in names]
    if len(set(lowered)) < len(lowered):
        raise UsageError(f"{text!r} names a device twice.")
    return tuple(known[name] for name in lowered)


def for_draft(text: str, target: Sequence[Device], rpc: Sequence[str] = ()) -> tuple[Device, ...]:
    """One device at most: a draft is never split. `auto` takes one of the target's: of this
    machine's before a server's, since each guess would cross the network; of equals the one with
    the most free memory. Raises UsageError."""
    if text.strip().lower() == "auto":
        nearest = [device for device in target if device.kind != "rpc"] or list(target)
        return tuple(sorted(nearest, key=lambda device: -device.memory_free)[:1])
    found = chosen(text, rpc)
    if len(found) > 1:
        raise UsageError("A draft runs on one device.", "Name one: --draft-device NAME.")
    return found


def check_split(shares: Sequence[float], target: Sequence[Device]) -> None:
    """Raises UsageError unless there is a share for each device, and layers to share."""
    if not shares:
        return
    if len(shares) != len(target):
        names = ", ".join(device.name for device in target) or "none"
        raise UsageError(
            f"--tensor-split has {len(shares)} shares for {len(target)} devices ({names}).",
            "Give one for each device, in that order, as 3,1.",
        )
