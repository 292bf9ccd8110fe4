"""Options that stand another machine in for this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from localspec.models.placement import MemoryOf

Gpu = Annotated[
    str | None,
    typer.Option(
        "--gpu", metavar="24GB[,24GB]", help="Reckon with these GPUs instead; none is no GPU."
    ),
]
Ram = Annotated[
    str | None,
    typer.Option("--ram", metavar="64GB", help="Reckon with this much memory instead."),
]


def machine(gpu: str | None, ram: str | None) -> tuple[MemoryOf, ...]:
    """This machine's devices, or what was said instead. Raises UsageError."""
    from localspec.models.what_if import other_machine

    if gpu is not None and ram is not None:
        from localspec.models.placement import CPU, MemoryOf

        # Nothing of this machine is left to be asked.
        return other_machine((MemoryOf(CPU, "cpu", 1, 1),), gpu, ram)
    from localspec.backends.machine import machine_memory

    return other_machine(machine_memory(), gpu, ram)


def machine_words(devices: tuple[MemoryOf, ...]) -> str:
    """`CUDA0 23.1 of 24.0 GB free, memory 50.2 of 64.0 GB free`."""
    words = [
        f"{'memory' if each.kind == 'cpu' else each.name}"
        f" {each.free / 1e9:.1f} of {each.total / 1e9:.1f} GB free"
        for each in devices
    ]
    return ", ".join(words) + ("" if len(devices) > 1 else "; no GPU that this build can use")
