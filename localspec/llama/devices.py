"""What llama.cpp was built for, and the devices that it sees."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Literal

import llama_cpp
import psutil

from localspec import paths
from localspec.errors import UsageError
from localspec.llama import log
from localspec.llama.amx import amx_refused, broken_compiler

_KINDS = {0: "cpu", 1: "gpu", 2: "igpu", 3: "accel", 4: "meta"}

CPU = "CPU"
"""What `DeviceList.describe` says when nothing is on a GPU."""

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
    get = _ggml("ggml_backend_dev_get", pointer, ctypes.c_size_t)
    registry_of = _ggml("ggml_backend_dev_backend_reg", pointer, pointer)
    find = _ggml("ggml_backend_reg_get_proc_address", pointer, pointer, ctypes.c_char_p)
    for index in range(_ggml("ggml_backend_dev_count", ctypes.c_size_t)()):
        address = find(registry_of(get(index)), b"ggml_backend_dev_get_extra_bufts")
        if address:
            ctypes.CFUNCTYPE(pointer, pointer)(address)(get(index))


@dataclass(frozen=True, slots=True)
class Device:
    """One device of the build."""

    name: str
    description: str
    kind: str
    """cpu, gpu, igpu, accel or meta."""
    memory_free: int
    """Bytes."""
    memory_total: int
    handle: int


def _ggml(name: str, result: Any, *arguments: Any) -> Any:
    """A ggml function: the binding declares none, the shared library exports them."""
    function = getattr(_library(name), name)
    function.restype = result
    function.argtypes = arguments
    return function


def _library(name: str) -> Any:
    library = llama_cpp.llama_cpp._lib
    if hasattr(library, name):
        return library
    # Windows does not look a symbol up in the library's dependencies.
    from llama_cpp._ctypes_extensions import load_shared_library
    from llama_cpp._ggml import libggml, libggml_base_path

    return (
        libggml if hasattr(libggml, name) else load_shared_library("ggml-base", libggml_base_path)
    )


def devices() -> list[Device]:
    """Every device, GPUs and CPU alike."""
    start_backend()
    pointer = ctypes.c_void_p
    get = _ggml("ggml_backend_dev_get", pointer, ctypes.c_size_t)
    count = _ggml("ggml_backend_dev_count", ctypes.c_size_t)()
    return [_device(get(index)) for index in range(count)]


def _device(handle: int) -> Device:
    pointer = ctypes.c_void_p
    free, total = ctypes.c_size_t(0), ctypes.c_size_t(0)
    size = ctypes.POINTER(ctypes.c_size_t)
    memory = _ggml("ggml_backend_dev_memory", None, pointer, size, size)
    memory(handle, ctypes.byref(free), ctypes.byref(total))
    kind = _KINDS.get(_ggml("ggml_backend_dev_type", ctypes.c_int, pointer)(handle), "other")
    name = _ggml("ggml_backend_dev_name", ctypes.c_char_p, pointer)(handle)
    description = _ggml("ggml_backend_dev_description", ctypes.c_char_p, pointer)(handle)
    available, installed = free.value, total.value
    if kind == "cpu":
        # ggml reports all memory as free there.
        system = psutil.virtual_memory()
        available, installed = system.available, system.total
    return Device(name.decode(), description.decode(), kind, available, installed, handle)


def supports_gpu() -> bool:
    start_backend()
    return bool(llama_cpp.llama_supports_gpu_offload())


class DeviceList:
    """The devices that a model may use: all (`auto`), none (`cpu`), or one by name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._array: Any = None
        if name.lower() == "auto":
            return
        chosen: list[int | None] = [None]
        if name.lower() != "cpu":
            chosen = [_named(name).handle, None]
        self._array = (ctypes.c_void_p * len(chosen))(*chosen)

    @property
    def pointer(self) -> Any:
        """What `llama_model_params.devices` takes; it lives as long as this object."""
        return None if self._array is None else ctypes.cast(self._array, ctypes.c_void_p)

    def layers(self, wanted: int | Literal["auto"]) -> int:
        """`n_gpu_layers`: llama.cpp reads -1 as all."""
        if self.name.lower() == "cpu":
            return 0
        return -1 if wanted == "auto" else wanted

    def describe(self, wanted: int | Literal["auto"], n_layer: int) -> str:
        """Where layers go, in words: `CPU`, or `CUDA0 · 24/29 layers`."""
        gpus = [device.name for device in devices() if device.kind in ("gpu", "igpu")]
        # llama.cpp counts the output as one more layer.
        total = n_layer + 1
        on_gpu = total if self.layers(wanted) < 0 else min(total, self.layers(wanted))
        if not gpus or on_gpu == 0:
            return CPU
        name = "+".join(gpus) if self.name.lower() == "auto" else self.name
        return f"{name} · {on_gpu}/{total} layers"


def _named(name: str) -> Device:
    gpus = [device for device in devices() if device.kind != "cpu"]
    for device in gpus:
        if device.name.lower() == name.lower():
            return device
    known = ", ".join(["auto", "cpu", *(device.name for device in gpus)])
    raise UsageError(f"There is no device {name!r}.", f"Choose one of: {known}.")


def physical_cores() -> int:
    return psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
