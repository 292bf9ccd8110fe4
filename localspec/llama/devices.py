"""The devices that llama.cpp sees, and their memory."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import llama_cpp
import psutil

from localspec import paths
from localspec.llama import log
from localspec.llama.amx import amx_refused, broken_compiler
from localspec.llama.ggml import ggml

_KINDS = {0: "cpu", 1: "gpu", 2: "igpu", 3: "accel", 4: "meta"}
_UNIFIED = ("metal", "mtl")
"""Apple's GPUs share the system's memory, and llama.cpp calls them plain GPUs."""

_started = False


def start_backend() -> None:
    """Load llama.cpp's backends once, with its log already routed to the file."""
    global _started
    log.route_to_file()
    if _started:
        return
    llama_cpp.llama_backend_init()
    if broken_compiler():
        with amx_refused(paths.log_file()):
            _choose_cpu_buffers()
    _started = True


def _choose_cpu_buffers() -> None:
    """Make llama.cpp decide now which CPU buffers it has; it decides once."""
    pointer = ctypes.c_void_p
    find = ggml("ggml_backend_reg_get_proc_address", pointer, pointer, ctypes.c_char_p)
    for handle in _handles():
        address = find(_registry(handle), b"ggml_backend_dev_get_extra_bufts")
        if address:
            ctypes.CFUNCTYPE(pointer, pointer)(address)(handle)


@dataclass(frozen=True, slots=True)
class Device:
    """One device of the build, or of another machine's RPC server."""

    name: str
    description: str
    """Of an RPC device: its server, as host:port."""
    kind: str
    """cpu, gpu, igpu, rpc, accel or meta; an igpu takes its memory from the system's."""
    memory_free: int
    """Bytes."""
    memory_total: int
    handle: int

    @property
    def holds_layers(self) -> bool:
        return self.kind in ("gpu", "igpu", "rpc")


def devices(rpc: Sequence[str] = ()) -> list[Device]:
    """Every device of this machine, GPUs and CPU alike, and those of the RPC servers in `rpc`,
    which must answer: llama.cpp ends the process when one that it asks does not."""
    start_backend()
    return [
        _device(handle)
        for handle in _handles()
        if not is_remote(handle) or _description(handle) in rpc
    ]


def _handles() -> list[int]:
    get = ggml("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
    return [get(index) for index in range(ggml("ggml_backend_dev_count", ctypes.c_size_t)())]


def _registry(handle: int) -> int:
    pointer = ctypes.c_void_p
    found: int = ggml("ggml_backend_dev_backend_reg", pointer, pointer)(handle)
    return found


def is_remote(handle: int) -> bool:
    name = ggml("ggml_backend_reg_name", ctypes.c_char_p, ctypes.c_void_p)
    return bool(name(_registry(handle)).startswith(b"RPC"))


def _description(handle: int) -> str:
    text = ggml("ggml_backend_dev_description", ctypes.c_char_p, ctypes.c_void_p)(handle)
    return str(text.decode("utf-8", "replace"))


def _device(handle: int) -> Device:
    pointer = ctypes.c_void_p
    free, total = ctypes.c_size_t(0), ctypes.c_size_t(0)
    size = ctypes.POINTER(ctypes.c_size_t)
    memory = ggml("ggml_backend_dev_memory", None, pointer, size, size)
    memory(handle, ctypes.byref(free), ctypes.byref(total))
    name = ggml("ggml_backend_dev_name", ctypes.c_char_p, pointer)(handle).decode()
    told = _KINDS.get(ggml("ggml_backend_dev_type", ctypes.c_int, pointer)(handle), "other")
    kind = "rpc" if is_remote(handle) else kind_of(name, told)
    available, installed = free.value, total.value
    if kind == "cpu":
        # ggml reports all memory as free there.
        system = psutil.virtual_memory()
        available, installed = system.available, system.total
    return Device(name, _description(handle), kind, available, installed, handle)


def kind_of(name: str, told: str) -> str:
    """By what llama.cpp told, and by what it doesn't tell."""
    return "igpu" if told == "gpu" and name.lower().startswith(_UNIFIED) else told


def supports_gpu() -> bool:
    """Whether this machine has a GPU that the build can use."""
    return any(device.kind in ("gpu", "igpu") for device in devices())


def physical_cores() -> int:
    return psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
