"""Where a model's layers go: which devices, how many layers, whose experts stay."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import llama_cpp

from localspec.errors import NativeFailure
from localspec.llama.devices import devices
from localspec.llama.ggml import ggml

CPU = "CPU"
"""What `describe` says when nothing is on a device."""
_EXPERTS = r"\.ffn_(up|down|gate|gate_up)_(ch|)exps"


@dataclass(frozen=True, slots=True)
class Offload:
    """Plain values: it can be compared, shown and kept. The default is all on the CPU."""

    devices: tuple[str, ...] = ()
    """Names of GPUs and RPC devices; layers are spread over them in order."""
    layers: int = 0
    """Of the model's last layers, of which the output is one more; -1 is all."""
    tensor_split: tuple[float, ...] = ()
    """Each device's share; empty leaves it to llama.cpp, by free memory."""
    cpu_experts: int = 0
    """Layers from the first whose experts stay in the system's memory; -1 is all."""

    @property
    def on_cpu(self) -> bool:
        return not self.devices or self.layers == 0

    def num_layers(self, n_layer: int) -> int:
        """How many of a model's `n_layer` layers and its output are on devices."""
        if self.on_cpu:
            return 0
        return n_layer + 1 if self.layers < 0 else min(n_layer + 1, self.layers)

    def describe(self, n_layer: int) -> str:
        """In words: `CPU`, or `CUDA0 · 24/29 layers`."""
        if self.on_cpu:
            return CPU
        words = f"{'+'.join(self.devices)} · {self.num_layers(n_layer)}/{n_layer + 1} layers"
        if not self.cpu_experts:
            return words
        num = "all" if self.cpu_experts < 0 else str(min(self.cpu_experts, n_layer))
        return f"{words} · experts of {num} on the CPU"


class _Override(ctypes.Structure):
    """llama_model_tensor_buft_override."""

    _fields_ = [("pattern", ctypes.c_char_p), ("buffer_type", ctypes.c_void_p)]


class OffloadParams:
    """An offload as `llama_model_params` want it; must live as long as they are used."""

    def __init__(self, offload: Offload, rpc: Sequence[str] = ()) -> None:
        """`rpc` are the servers that were connected. Raises NativeFailure when a device is gone."""
        self._on_cpu = offload.on_cpu
        self._layers = offload.layers
        handles = [] if offload.on_cpu else _handles(offload.devices, rpc)
        # An empty list is no GPU at all; no list would be every one.
        self._devices = (ctypes.c_void_p * (len(handles) + 1))(*handles, None)
        self._single = len(handles) < 2
        self._split: Any = None
        if offload.tensor_split and not self._single:
            size = max(int(llama_cpp.llama_max_devices()), len(handles))
            self._split = (ctypes.c_float * size)(*offload.tensor_split)
        experts = 0 if offload.on_cpu else offload.cpu_experts
        self._overrides = _expert_overrides(experts) if experts else None

    def apply(self, params: Any) -> None:
        params.n_gpu_layers = 0 if self._on_cpu else self._layers
        params.devices = ctypes.cast(self._devices, ctypes.c_void_p)
        params.main_gpu = 0
        params.split_mode = (
            llama_cpp.LLAMA_SPLIT_MODE_NONE
            if self._single and not self._on_cpu
            else llama_cpp.LLAMA_SPLIT_MODE_LAYER
        )
        if self._split is not None:
            params.tensor_split = self._split
        if self._overrides is not None:
            params.tensor_buft_overrides = ctypes.cast(self._overrides, ctypes.c_void_p)


def _handles(names: Sequence[str], rpc: Sequence[str]) -> list[int]:
    known = {device.name: device.handle for device in devices(rpc)}
    for name in names:
        if name not in known:
            raise NativeFailure(f"The device {name} is not there any more.")
    return [known[name] for name in names]


def _expert_overrides(num_layers: int) -> Any:
    """The patterns that llama.cpp's own tools use; ended by an empty one."""
    cpu = ggml("ggml_backend_cpu_buffer_type", ctypes.c_void_p)()
    patterns = [rf"blk\.{layer}{_EXPERTS}" for layer in range(num_layers)] or [_EXPERTS]
    entries = [_Override(pattern.encode(), cpu) for pattern in patterns]
    return (_Override * (len(entries) + 1))(*entries, _Override(None, None))
