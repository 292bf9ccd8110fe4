"""Reads a model's weights to where they belong."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import llama_cpp
import psutil

from localspec import paths
from localspec.errors import NativeFailure, OutOfMemory
from localspec.llama import log
from localspec.llama.devices import start_backend
from localspec.llama.huge_pages import HugePages
from localspec.llama.model import LlamaModel
from localspec.llama.offload import Offload, OffloadParams

Progress = Generator[float, None, LlamaModel]

ON_CPU = Offload()
_POLL_S = 0.01
"""Short enough to see the weights' memory before it is filled."""


def check_room(name: str, file_bytes: int, offload: Offload) -> None:
    """For a model that is not needed: without a GPU its weights must fit beside what is loaded.

    Raises OutOfMemory.
    """
    free = psutil.virtual_memory().available
    if offload.on_cpu and file_bytes > free:
        raise OutOfMemory(
            f"{name} has {file_bytes / 1e9:.1f} GB, and {free / 1e9:.1f} GB of memory are free."
        )


def load_model(
    path: Path,
    offload: Offload = ON_CPU,
    file_bytes: int | None = None,
    rpc: Sequence[str] = (),
) -> Progress:
    """Yield progress from 0 to 1 and return the model; closing the generator stops the load.

    The file must have passed the header check: llama.cpp aborts on some broken ones. `file_bytes`
    are of all parts, where there are more, and `rpc` the servers that were connected. Raises
    OutOfMemory, or NativeFailure with the first error of llama.cpp's log.
    """
    start_backend()
    offloading = OffloadParams(offload, rpc)
    reports: SimpleQueue[float] = SimpleQueue()
    stopped = threading.Event()
    loaded: list[Any] = []
    params = llama_cpp.llama_model_default_params()
    offloading.apply(params)
    on_cpu = offload.on_cpu or offload.cpu_experts != 0
    if on_cpu and (file_bytes or path.stat().st_size) < psutil.virtual_memory().available:
        # CPU kernels repack most tensors: mapped pages would hold a second copy of them.
        params.load_mode = llama_cpp.LLAMA_LOAD_MODE_NONE

    def report(progress: float, _data: Any) -> bool:
        reports.put(progress)
        return not stopped.is_set()

    params.progress_callback = llama_cpp.llama_progress_callback(report)
    # The load blocks in native code; its own thread lets progress out and a stop in.
    thread = threading.Thread(
        target=lambda: loaded.append(
            llama_cpp.llama_model_load_from_file(os.fsencode(path), params)
        )
    )
    log.take_errors()
    memory = HugePages()
    # A small file is read before anything could be reported: there is always a first progress.
    reports.put(0.0)
    thread.start()
    whole = False
    try:
        while not whole:
            ended = not thread.is_alive()
            memory.advise_new()
            try:
                progress = reports.get(timeout=0.0 if ended else _POLL_S)
            except Empty:
                whole = ended
            else:
                yield progress
    finally:
        if not whole:
            stopped.set()
            thread.join()
            if loaded and loaded[0]:
                llama_cpp.llama_model_free(loaded[0])
    if not loaded or not loaded[0]:
        raise _failure(path)
    return LlamaModel(loaded[0], path, offload)


def _failure(path: Path) -> NativeFailure:
    errors = log.take_errors()
    kind = OutOfMemory if log.for_want_of_memory(errors) else NativeFailure
    told = f"{path.name} could not be loaded: {log.reason_of(errors)}."
    return kind(told, f"The log is {paths.log_file()}.")
