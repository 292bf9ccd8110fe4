"""What llama.cpp is told about a model's place (B44)."""

import ctypes
import re

import llama_cpp
import pytest

from localspec.errors import NativeFailure
from localspec.llama import offload as offload_module
from localspec.llama.devices import Device
from localspec.llama.offload import Offload, OffloadParams, _Override


@pytest.fixture(autouse=True)
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Device(f"CUDA{n}", "", "gpu", 1, 1, 100 + n) for n in range(2)]
    monkeypatch.setattr(offload_module, "devices", lambda rpc: found)


def applied(offload: Offload) -> tuple[OffloadParams, "llama_cpp.llama_model_params"]:
    params = llama_cpp.llama_model_default_params()
    kept = OffloadParams(offload)
    kept.apply(params)
    return kept, params


def handles(params: "llama_cpp.llama_model_params") -> list[int]:
    array = ctypes.cast(params.devices, ctypes.POINTER(ctypes.c_void_p))
    found = []
    while array[len(found)] is not None:
        found.append(array[len(found)])
    return found


@pytest.mark.parametrize("offload", [Offload(), Offload(("CUDA0",), 0), Offload((), -1)])
def test_the_cpu_is_an_empty_list_of_devices(offload: Offload) -> None:
    """No list at all is every GPU: its compute buffers were made though no layer was there."""
    _kept, params = applied(offload)
    assert params.devices is not None
    assert handles(params) == []
    assert params.n_gpu_layers == 0
    assert offload.describe(28) == "CPU"


def test_one_device_holds_all_of_it() -> None:
    offload = Offload(("CUDA1",), -1)
    _kept, params = applied(offload)
    assert handles(params) == [101]
    assert params.split_mode == llama_cpp.LLAMA_SPLIT_MODE_NONE
    assert params.n_gpu_layers == -1
    assert offload.describe(28) == "CUDA1 · 29/29 layers"


def test_two_devices_share_layers_as_told() -> None:
    offload = Offload(("CUDA1", "CUDA0"), 20, (3.0, 1.0))
    _kept, params = applied(offload)
    assert handles(params) == [101, 100]
    assert params.split_mode == llama_cpp.LLAMA_SPLIT_MODE_LAYER
    assert params.n_gpu_layers == 20
    assert params.tensor_split[:3] == [3.0, 1.0, 0.0]
    # llama.cpp reads so many, whatever devices there are.
    assert len(params.tensor_split[: llama_cpp.llama_max_devices()]) >= 2
    assert offload.describe(28) == "CUDA1+CUDA0 · 20/29 layers"


@pytest.mark.parametrize(
    ("cpu_experts", "on_cpu", "words"),
    [(2, {0, 1}, "experts of 2 on the CPU"), (-1, {0, 1, 2, 11}, "experts of all on the CPU")],
)
def test_experts_stay_behind(cpu_experts: int, on_cpu: set[int], words: str) -> None:
    offload = Offload(("CUDA0",), -1, cpu_experts=cpu_experts)
    _kept, params = applied(offload)
    entries = ctypes.cast(params.tensor_buft_overrides, ctypes.POINTER(_Override))
    patterns = []
    while entries[len(patterns)].pattern is not None:
        assert entries[len(patterns)].buffer_type
        patterns.append(entries[len(patterns)].pattern.decode())

    def stays(name: str) -> bool:
        return any(re.search(pattern, name) for pattern in patterns)

    kept = {n for n in (0, 1, 2, 11) if stays(f"blk.{n}.ffn_down_exps.weight")}
    assert kept == on_cpu
    assert not stays("blk.0.ffn_down.weight")
    assert not stays("blk.0.attn_q.weight")
    assert offload.describe(12) == f"CUDA0 · 13/13 layers · {words}"


def test_a_device_that_is_gone_is_a_sentence() -> None:
    with pytest.raises(NativeFailure, match="CUDA7 is not there any more"):
        OffloadParams(Offload(("CUDA7",), -1))
