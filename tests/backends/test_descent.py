"""Memory runs out at load: each rung is climbed down on purpose, said and remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import llama_cpp
import pytest

from localspec.backends import attempt_store
from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.local import LocalBackend
from localspec.chat.events import Event, Failed, Finished, Message, Notice, Ready
from localspec.engine.sampling import SamplingParams
from localspec.llama import device_choice, log, offload
from localspec.llama.devices import Device

HI = [Message("user", "Hi there")]
REQUEST = LoadRequest("tiny", ctx=8192, threads=1)


class Memory:
    """What has room; by default everything."""

    def __init__(self) -> None:
        self.weights: Callable[[str, int], bool] = lambda name, layers: True
        self.context: Callable[[str, int], bool] = lambda name, n_ctx: True
        self.models: dict[int, str] = {}
        self.contexts: dict[int, str] = {}


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """Native calls fail where `memory` says so; at the end nothing is left."""
    memory = Memory()
    load, make = llama_cpp.llama_model_load_from_file, llama_cpp.llama_init_from_model
    free_model, free = llama_cpp.llama_model_free, llama_cpp.llama_free

    def load_model(path: bytes, params: Any) -> Any:
        name = Path(path.decode()).stem
        assert name not in memory.models.values(), "the old one is still there"
        if not memory.weights(name, params.n_gpu_layers):
            log._errors.append(
                "alloc_tensor_range: failed to allocate FAKE0[x] buffer of size 9000000"
            )
            return None
        model = load(path, params)
        memory.models[model] = name
        return model

    def make_context(model: int, params: Any) -> Any:
        name = memory.models[model]
        assert name not in memory.contexts.values(), "the old one is still there"
        context = make(model, params) if memory.context(name, params.n_ctx) else None
        if context:
            memory.contexts[context] = name
        return context

    def free_weights(model: int) -> None:
        name = memory.models.pop(model)
        assert name not in memory.contexts.values(), "its context is still there"
        free_model(model)

    def free_context(context: int) -> None:
        del memory.contexts[context]
        free(context)

    monkeypatch.setattr(llama_cpp, "llama_model_load_from_file", load_model)
    monkeypatch.setattr(llama_cpp, "llama_init_from_model", make_context)
    monkeypatch.setattr(llama_cpp, "llama_model_free", free_weights)
    monkeypatch.setattr(llama_cpp, "llama_free", free_context)
    yield memory
    assert (memory.models, memory.contexts) == ({}, {})


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that holds layers by name; the weights really go to the CPU."""
    fake = Device("FAKE0", "a GPU", "gpu", 10**9, 10**9, 1)
    monkeypatch.setattr(device_choice, "devices", lambda rpc: [fake])
    monkeypatch.setattr(offload, "_handles", lambda names, rpc: [])


def load(request: LoadRequest = REQUEST, reply: bool = True) -> tuple[list[str], Event]:
    """The notices of a load, and its last event; the pair answers, and is closed."""
    with closing(LocalBackend(request)) as backend:
        events = list(backend.load())
        if reply and isinstance(events[-1], Ready):
            sampling = SamplingParams(temperature=0.0, max_tokens=8)
            *_, end = backend.chat(HI, ReplyRequest(sampling))
            assert isinstance(end, Finished)
    return [event.text for event in events if isinstance(event, Notice)], events[-1]


def ready(request: LoadRequest = REQUEST) -> tuple[list[str], Ready]:
    notices, end = load(request)
    assert isinstance(end, Ready)
    return notices, end


def test_with_room_nothing_is_said_or_kept(tiny_pair: str, memory: Memory) -> None:
    notices, end = ready()
    assert (notices, end.n_ctx, end.placement) == ([], 8192, "CPU; draft: CPU")
    assert not attempt_store.folder().exists()


def test_a_smaller_context_for_the_target(tiny_pair: str, memory: Memory) -> None:
    memory.context = lambda name, n_ctx: n_ctx <= 2048
    notices, end = ready()
    assert [text.partition("Trying ")[2] for text in notices] == [
        "a context of 4096 tokens.",
        "a context of 2048 tokens.",
    ]
    assert notices[0].startswith("Too little memory: No context of 8192 tokens could be made")
    assert (end.n_ctx, end.draft) == (2048, "draft.gguf")


def test_a_smaller_context_for_the_draft_is_one_for_both(tiny_pair: str, memory: Memory) -> None:
    memory.context = lambda name, n_ctx: name == "target" or n_ctx <= 4096
    notices, end = ready()
    assert len(notices) == 1
    assert "draft.gguf" in notices[0]
    assert (end.n_ctx, end.draft) == (4096, "draft.gguf")


def test_the_draft_on_the_cpu(tiny_pair: str, memory: Memory, gpu: None) -> None:
    memory.weights = lambda name, layers: name == "target" or layers == 0
    notices, end = ready(replace(REQUEST, ctx=2048))
    (notice,) = notices
    assert notice == (
        "Too little memory: draft.gguf could not be loaded: FAKE0 has no room for 9 MB."
        " Trying the draft on the CPU."
    )
    assert end.placement == "FAKE0 · 3/3 layers; draft: CPU"


def test_a_context_that_made_no_room_is_given_back(
    tiny_pair: str, memory: Memory, gpu: None
) -> None:
    """The draft went on the CPU in the end, and the context stayed small for nothing."""
    memory.weights = lambda name, layers: name == "target" or layers == 0
    notices, end = ready()
    assert [text.partition("Trying ")[2] for text in notices] == [
        "a context of 4096 tokens.",
        "a context of 2048 tokens.",
        "the draft on the CPU.",
    ]
    assert (end.n_ctx, end.draft_device) == (8192, "CPU")


def test_no_draft_when_it_fits_nowhere(tiny_pair: str, memory: Memory, gpu: None) -> None:
    memory.weights = lambda name, layers: name == "target"
    notices, end = ready(replace(REQUEST, ctx=2048))
    assert [text.partition(":")[0] for text in notices] == ["Too little memory", "No draft model"]
    assert end.spec_off_reason.startswith("the draft could not be loaded: draft.gguf could not")
    assert end.placement == "FAKE0 · 3/3 layers"


def test_fewer_layers(tiny_pair: str, memory: Memory, gpu: None) -> None:
    memory.weights = lambda name, layers: name == "draft" or 0 <= layers <= 1
    notices, end = ready()
    assert [text.partition("Trying ")[2] for text in notices] == [
        "2 of 3 layers on FAKE0.",
        "1 of 3 layers on FAKE0.",
    ]
    assert end.placement == "FAKE0 · 1/3 layers; draft: FAKE0 · 3/3 layers"


def test_the_weights_are_read_once_for_smaller_contexts(tiny_pair: str, memory: Memory) -> None:
    """40 GB were read again for every context that was tried."""
    read: list[str] = []
    memory.weights = lambda name, layers: not read.append(name)
    memory.context = lambda name, n_ctx: n_ctx <= 2048
    ready()
    assert read == ["target", "draft"]


def test_at_the_end_it_is_one_error_and_nothing_is_left(tiny_pair: str, memory: Memory) -> None:
    memory.context = lambda name, n_ctx: False
    notices, end = load()
    assert len(notices) == 2
    assert isinstance(end, Failed)
    assert end.message.startswith("No context of 2048 tokens could be made for target.gguf")
    assert end.message.endswith("A context of 2048 tokens did not help.")
    assert "smaller quantisation" in end.hint
    assert not attempt_store.folder().exists()


def test_what_was_chosen_is_said_when_it_is_given_up(tiny_pair: str, memory: Memory) -> None:
    """A context that the user had asked for was halved silently."""
    memory.context = lambda name, n_ctx: n_ctx <= 4096
    notices, _ = ready(replace(REQUEST, chosen=frozenset({"ctx", "threads"})))
    assert notices[0].endswith("Trying a context of 4096 tokens, although ctx was set.")


def test_a_chosen_context_stays_when_the_draft_can_go(tiny_pair: str, memory: Memory) -> None:
    memory.context = lambda name, n_ctx: name == "target"
    notices, end = ready(replace(REQUEST, chosen=frozenset({"ctx"})))
    assert len(notices) == 1
    assert (end.n_ctx, end.draft) == (8192, "")


def test_what_worked_is_where_the_next_load_begins(tiny_pair: str, memory: Memory) -> None:
    """Every start tried and failed all over again."""
    tried: list[int] = []
    memory.context = lambda name, n_ctx: not tried.append(n_ctx) and n_ctx <= 2048
    ready()
    assert tried[:3] == [8192, 4096, 2048]
    tried.clear()
    notices, end = ready()
    assert set(tried) == {2048}
    assert notices == [
        "As at an earlier load, for want of memory: a context of 2048 tokens."
        " --fresh tries everything again."
    ]
    assert end.n_ctx == 2048


def test_fresh_tries_everything_and_forgets(tiny_pair: str, memory: Memory) -> None:
    memory.context = lambda name, n_ctx: n_ctx <= 2048
    ready()
    memory.context = lambda name, n_ctx: True
    notices, end = ready(replace(REQUEST, fresh=True))
    assert (notices, end.n_ctx) == ([], 8192)
    assert list(attempt_store.folder().iterdir()) == []


def test_a_kept_attempt_that_fails_goes_on_down(tiny_pair: str, memory: Memory) -> None:
    memory.context = lambda name, n_ctx: n_ctx <= 4096
    ready()
    memory.context = lambda name, n_ctx: n_ctx <= 2048
    notices, end = ready()
    assert len(notices) == 2
    assert end.n_ctx == 2048
    notices, end = ready()
    assert len(notices) == 1
    assert "2048" in notices[0]


def test_a_draft_that_had_no_room_is_off_for_that_reason(tiny_pair: str, memory: Memory) -> None:
    memory.weights = lambda name, layers: name == "target"
    ready(replace(REQUEST, ctx=2048))
    notices, end = ready(replace(REQUEST, ctx=2048))
    assert len(notices) == 1
    assert "no draft model" in notices[0]
    assert end.spec_off_reason == "there was too little memory for it at an earlier load"


def test_a_kept_attempt_puts_no_more_layers_than_fit_now(
    tiny_pair: str, memory: Memory, gpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Less was free than at the earlier load, and its layers were tried all the same."""
    alone = replace(REQUEST, load_draft=False)
    memory.weights = lambda name, layers: 0 <= layers <= 2
    memory.context = lambda name, n_ctx: n_ctx <= 4096
    assert ready(alone)[1].device == "FAKE0 · 2/3 layers"
    full = Device("FAKE0", "a GPU", "gpu", 1000, 10**9, 1)
    monkeypatch.setattr(device_choice, "devices", lambda rpc: [full])
    notices, end = ready(alone)
    assert (end.device, end.n_ctx) == ("CPU", 4096)
    assert len(notices) == 1


def test_a_kept_attempt_takes_no_device_that_was_not_asked_for(
    tiny_pair: str, memory: Memory, gpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file's devices had gone, and the pair could not be loaded any more."""
    memory.context = lambda name, n_ctx: n_ctx <= 2048
    ready()
    monkeypatch.setattr(device_choice, "devices", lambda rpc: [])
    _, end = ready()
    assert end.placement == "CPU; draft: CPU"


def test_a_file_that_llama_cpp_refuses_is_no_want_of_memory(
    tiny_pair: str, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: bytes, params: object) -> None:
        log._errors.append("llama_model_load: unknown model architecture: 'marvin'")

    monkeypatch.setattr(llama_cpp, "llama_model_load_from_file", refuse)
    notices, end = load()
    assert notices == []
    assert isinstance(end, Failed)
    assert "unknown model architecture" in end.message
