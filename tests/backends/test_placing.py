"""Both placements are told to llama.cpp as they were asked for (B44)."""

from __future__ import annotations

import ctypes
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import llama_cpp
import pytest

from localspec.backends.interface import LoadRequest
from localspec.backends.local import LocalBackend
from localspec.chat.events import Event, Failed, Loading, Notice, Ready
from localspec.llama import device_choice, offload, rpc
from localspec.llama.devices import Device
from tests.conftest import TinyFiles, register
from tests.tiny_gguf import write_model
from tests.tiny_kinds import write_kind

REQUEST = LoadRequest("tiny", ctx=512)


class Told:
    """What llama.cpp was told, by the names of the files."""

    def __init__(self) -> None:
        self.devices: dict[str, list[int]] = {}
        self.model: dict[str, Any] = {}
        self.context: dict[str, Any] = {}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    told, names = Told(), {}
    load, make = llama_cpp.llama_model_load_from_file, llama_cpp.llama_init_from_model

    def load_model(path: bytes, params: Any) -> Any:
        name = Path(path.decode()).stem
        array = ctypes.cast(params.devices, ctypes.POINTER(ctypes.c_void_p))
        count = next(n for n in range(9) if array[n] is None)
        told.devices[name] = [array[n] for n in range(count)]
        told.model[name] = {
            "layers": params.n_gpu_layers,
            "alone": params.split_mode == llama_cpp.LLAMA_SPLIT_MODE_NONE,
            "experts": bool(params.tensor_buft_overrides),
        }
        # The devices are made up.
        params.devices = ctypes.cast((ctypes.c_void_p * 1)(None), ctypes.c_void_p)
        model = load(path, params)
        names[model] = name
        return model

    def make_context(model: Any, params: Any) -> Any:
        told.context[names[model]] = {
            "threads": (params.n_threads, params.n_threads_batch),
            "types": (params.type_k, params.type_v),
            "flash": params.flash_attn_type,
        }
        return make(model, params)

    monkeypatch.setattr(llama_cpp, "llama_model_load_from_file", load_model)
    monkeypatch.setattr(llama_cpp, "llama_init_from_model", make_context)
    return told


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    gb = 10**9
    found = [Device(f"CUDA{n}", "", "gpu", (10 - n) * gb, 20 * gb, 100 + n) for n in range(2)]
    monkeypatch.setattr(device_choice, "devices", lambda rpc: found)
    monkeypatch.setattr(offload, "devices", lambda rpc: found)


def load(request: LoadRequest) -> list[Event]:
    with closing(LocalBackend(request)) as backend:
        return list(backend.load())


def ready(request: LoadRequest) -> Ready:
    end = load(request)[-1]
    assert isinstance(end, Ready), end
    return end


@pytest.mark.parametrize("device", ["cpu", "CPU", "auto"])
def test_cpu_is_both(tiny_pair: str, told: Told, device: str) -> None:
    """Choosing the CPU moved only the target."""
    assert ready(replace(REQUEST, device=device)).placement == "CPU; draft: CPU"
    assert told.devices == {"target": [], "draft": []}
    assert {name: params["layers"] for name, params in told.model.items()} == {
        "target": 0,
        "draft": 0,
    }


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_are_for_both(tiny_pair: str, told: Told, threads: int) -> None:
    """The draft's threads were llama.cpp's default, whatever was set."""
    ready(replace(REQUEST, threads=threads))
    assert [told.context[name]["threads"] for name in ("target", "draft")] == [
        (threads, threads),
        (threads, threads),
    ]


@pytest.mark.usefixtures("gpus")
@pytest.mark.parametrize(
    ("change", "devices", "placement"),
    [
        # All of it fits on one.
        ({}, ([100], [100]), "CUDA0 · 3/3 layers; draft: CUDA0 · 3/3 layers"),
        ({"gpu_layers": 3}, ([100, 101], [100]),
         "CUDA0+CUDA1 · 3/3 layers; draft: CUDA0 · 3/3 layers"),
        ({"device": "cpu"}, ([], []), "CPU; draft: CPU"),
        ({"device": "cpu", "draft_device": "cuda1"}, ([], [101]),
         "CPU; draft: CUDA1 · 3/3 layers"),
        ({"draft_device": "cpu"}, ([100], []), "CUDA0 · 3/3 layers; draft: CPU"),
        ({"device": "CUDA1", "gpu_layers": 2}, ([101], [101]),
         "CUDA1 · 2/3 layers; draft: CUDA1 · 3/3 layers"),
        ({"gpu_layers": 0}, ([], [100]), "CPU; draft: CUDA0 · 3/3 layers"),
        ({"draft_gpu_layers": 0}, ([100], []), "CUDA0 · 3/3 layers; draft: CPU"),
        ({"device": "CUDA1,CUDA0", "tensor_split": (3.0, 1.0)}, ([101, 100], [100]),
         "CUDA1+CUDA0 · 3/3 layers; draft: CUDA0 · 3/3 layers"),
    ],
)  # fmt: skip
def test_each_model_goes_where_it_was_told_to(
    tiny_pair: str,
    told: Told,
    change: dict[str, Any],
    devices: tuple[list[int], list[int]],
    placement: str,
) -> None:
    """Several GPUs broke the draft's default split; one setting was for both or neither."""
    events = load(replace(REQUEST, **change))
    assert isinstance(events[-1], Ready)
    assert events[-1].placement == placement
    assert (told.devices["target"], told.devices["draft"]) == devices
    assert told.model["draft"]["alone"] == bool(devices[1])
    # It is said before the weights are read, too.
    shown = {event.model: event.device for event in events if isinstance(event, Loading)}
    assert f"{shown['target']}; draft: {shown['draft']}" == placement


def test_cache_types_and_flash_attention_are_each_models_own(
    tiny_files: TinyFiles, tmp_path: Path, told: Told
) -> None:
    wide = write_model(tmp_path / "target.gguf", n_embd=128, n_ctx_train=512)
    register("wide", target=wide, draft=tiny_files.draft)
    ready(replace(REQUEST, name="wide", cache_type="q8_0/f16", flash_attention="on"))
    assert told.context["target"]["types"] == (8, 1)
    assert told.context["draft"]["types"] == (1, 1)
    assert {context["flash"] for context in told.context.values()} == {1}
    ready(replace(REQUEST, name="wide", draft_cache_type="bf16", flash_attention="off"))
    assert told.context["draft"]["types"] == (30, 30)
    assert {context["flash"] for context in told.context.values()} == {0}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"cache_type": "q8_0"}, "--cache-type q8_0: it takes 32 numbers at a time"),
        ({"draft_cache_type": "q4_0"}, "--draft-cache-type q4_0: it takes 32"),
        ({"device": "CUDA7"}, "There is no device 'CUDA7'."),
        ({"draft_device": "CUDA7"}, "There is no device 'CUDA7'."),
        ({"tensor_split": (1.0,)}, "--tensor-split has 1 shares for 0 devices"),
        ({"rpc": ("nowhere",)}, "no RPC server|has none"),
    ],
)
def test_a_bad_value_is_refused_before_any_native_call(
    tiny_pair: str, told: Told, change: dict[str, Any], sentence: str
) -> None:
    (end,) = load(replace(REQUEST, **change))
    assert isinstance(end, Failed)
    assert end.exit_code == 2
    assert any(part in end.message for part in sentence.split("|"))
    assert told.model == {}


@pytest.mark.usefixtures("gpus")
def test_experts_stay_on_the_cpu(own_home: Path, tmp_path: Path, told: Told) -> None:
    register("mixture", target=write_kind(tmp_path / "target.gguf", "experts"))
    request = replace(REQUEST, name="mixture", cpu_experts="all")
    assert ready(request).placement.endswith("layers · experts of all on the CPU")
    assert told.model["target"]["experts"]
    assert ready(replace(request, cpu_experts=2)).placement.endswith("experts of 2 on the CPU")
    assert "experts" not in ready(replace(request, device="cpu")).placement
    assert not told.model["target"]["experts"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"cpu_experts": 3}, "target.gguf is no mixture: it has no experts to keep on the CPU."),
        ({"gpu_layers": 9}, "--gpu-layers 9: the target has no device to put layers on."),
        ({"draft_gpu_layers": 9}, "--draft-gpu-layers 9: the draft has no device."),
    ],
)
def test_an_option_without_a_meaning_is_said(
    tiny_pair: str, change: dict[str, Any], sentence: str
) -> None:
    assert Notice(sentence) in load(replace(REQUEST, **change))


def test_a_server_is_greeted_before_devices_are_looked_up(
    tiny_pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """llama.cpp ends the process when a server that it asks for its memory is gone."""
    greeted: list[tuple[str, ...]] = []
    monkeypatch.setattr(rpc, "connect", greeted.append)
    ready(replace(REQUEST, rpc=("here:1",)))
    assert greeted == [("here:1",)]
