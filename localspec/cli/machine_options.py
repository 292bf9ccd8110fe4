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


def machine(gpu: str | None, ram: str | None, rpc: tuple[str, ...] = ()) -> tuple[MemoryOf, ...]:
    """This machine's devices and those of `rpc` servers, or what was said instead. Raises
    UsageError, and NativeFailure for a server that doesn't answer."""
    from localspec.models.what_if import other_machine

    if gpu is not None and ram is not None:
        from localspec.models.placement import CPU, MemoryOf

        # Nothing of this machine is left to be asked.
        return other_machine((MemoryOf(CPU, "cpu", 1, 1),), gpu, ram)
    from localspec.backends.machine import machine_memory

    if rpc:
        from localspec.llama.rpc import connect

        connect(rpc)
    return other_machine(machine_memory(rpc), gpu, ram)
