"""A draft that fails is not the end, and never a secret (B31)."""

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import llama_cpp
import numpy as np
import pytest

from localspec.backends.descent import RETRY
from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.loading import LoadedPair
from localspec.backends.local import LocalBackend
from localspec.chat.events import Burst, Event, Failed, Finished, Message, Notice, Ready
from localspec.engine.sampling import SamplingParams
from localspec.errors import NativeFailure, OutOfMemory
from localspec.llama import model as llama_model
from localspec.llama import weights
from localspec.llama.context import LlamaDecoder
from localspec.llama.offload import Offload
from localspec.models.adding import add
from localspec.settings import SpecMode
from tests.conftest import TinyFiles, register
from tests.tiny_gguf import byte_vocab, write_vocab

HI = [Message("user", "Hi there")]


def request(spec: SpecMode = "draft") -> ReplyRequest:
    return ReplyRequest(SamplingParams(temperature=0.0, max_tokens=24), spec, 3)


def loaded(name: str) -> tuple[LoadedPair, list[Event]]:
    pair = LoadedPair(LoadRequest(name, ctx=512, threads=1))
    return pair, list(pair.load())


def plain_text(name: str) -> str:
    with closing(LocalBackend(LoadRequest(name, ctx=512, threads=1, load_draft=False))) as plain:
        list(plain.load())
        *_, end = plain.chat(HI, request("off"))
    return end.text


def truncated(files: TinyFiles, path: Path) -> None:
    whole = files.draft.read_bytes()
    path.write_bytes(whole[: len(whole) - 5000])


def garbage(files: TinyFiles, path: Path) -> None:
    path.write_bytes(b"\0" * 5000)


def unreadable(files: TinyFiles, path: Path) -> None:
    path.symlink_to("/proc/self/mem")


def unknown_architecture(files: TinyFiles, path: Path) -> None:
    write_vocab(
        path, byte_vocab(), bos=256, eos=258, add_bos=False, pre="qwen2", arch="marvin",
        extra_kv={"tokenizer.ggml.merges": ["t h"]},
        tensors={"token_embd.weight": np.zeros((260, 64), np.float32)},
    )  # fmt: skip


_NEEDS_PROC = pytest.mark.skipif(sys.platform != "linux", reason="needs a file that can't be read")


@pytest.mark.parametrize(
    "spoil",
    [truncated, garbage, pytest.param(unreadable, marks=_NEEDS_PROC), unknown_architecture],
)
def test_a_file_that_cannot_be_a_draft_leaves_the_target(
    spoil: Callable[[TinyFiles, Path], None], tiny_files: TinyFiles, tmp_path: Path
) -> None:
    """A broken draft took the whole chat with it."""
    draft = tmp_path / "spoiled.gguf"
    spoil(tiny_files, draft)
    register("pair", target=tiny_files.target, draft=draft)
    with closing(LocalBackend(LoadRequest("pair", ctx=512, threads=1))) as backend:
        events = list(backend.load())
        replies = {spec: list(backend.chat(HI, request(spec))) for spec in ("draft", "auto")}
    _is_off_and_said(events)
    for spec, reply in replies.items():
        assert isinstance(reply[-1], Finished), spec
        assert not any(isinstance(event, Notice) for event in reply)
        assert reply[-1].text == plain_text("pair")
    assert replies["draft"][-1].state == "off"
    assert replies["draft"][-1].state_reason.startswith("the draft could not be loaded: ")


def test_a_broken_target_is_still_an_error(tiny_files: TinyFiles, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    garbage(tiny_files, broken)
    register("pair", target=broken, draft=tiny_files.draft)
    with closing(LocalBackend(LoadRequest("pair", ctx=512))) as backend:
        assert [type(event) for event in backend.load()] == [Failed]


def test_no_context_for_the_draft_unloads_it_whole(
    tiny_pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weights of a draft that could never draft stayed in memory."""
    make, free = llama_cpp.llama_init_from_model, llama_cpp.llama_model_free
    made: list[object] = []
    freed: list[object] = []

    def only_the_first(model: object, params: object) -> object:
        made.append(model)
        return make(model, params) if model == made[0] else None

    monkeypatch.setattr(llama_cpp, "llama_init_from_model", only_the_first)
    monkeypatch.setattr(llama_cpp, "llama_model_free", lambda m: (freed.append(m), free(m)))
    pair, events = loaded(tiny_pair)
    with closing(pair):
        assert freed == [made[-1]]
        assert made[-1] != made[0]
        _is_off_and_said(events)
        assert not pair.has_draft
    assert len(freed) == 2


def test_a_context_that_does_not_fit_is_named(
    tiny_pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache_bytes = llama_model.LlamaModel.cache_bytes

    def huge(model: llama_model.LlamaModel, n_ctx: int, element_bytes: float) -> int:
        is_draft = model.path.name == "draft.gguf"
        return 10**15 if is_draft else cache_bytes(model, n_ctx, element_bytes)

    monkeypatch.setattr(llama_model.LlamaModel, "cache_bytes", huge)
    pair, events = loaded(tiny_pair)
    with closing(pair):
        assert "A context of 512 tokens needs 1000000.0 GB" in _is_off_and_said(events)


def test_weights_that_do_not_fit_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory was only noticed when it had run out."""

    class Memory:
        available = 10

    monkeypatch.setattr(weights.psutil, "virtual_memory", lambda: Memory)
    with pytest.raises(OutOfMemory, match=r"has 0\.0 GB, and 0\.0 GB of memory are free"):
        weights.check_room("draft.gguf", 11, Offload())
    weights.check_room("draft.gguf", 11, Offload(("CUDA0",), -1))


def _fails_on(monkeypatch: pytest.MonkeyPatch, passes: Callable[[LlamaDecoder], bool]) -> None:
    decode = LlamaDecoder.decode

    def maybe(self: LlamaDecoder, tokens: object, num_logits: int) -> object:
        if self.max_logits == 1 and not passes(self):
            raise NativeFailure("Decoding failed (code -3): out of memory.")
        return decode(self, tokens, num_logits)  # type: ignore[arg-type]

    monkeypatch.setattr(LlamaDecoder, "decode", maybe)


def test_a_failure_at_the_first_use_is_one_of_loading(
    tiny_pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Timing the draft's first pass failed, and the target was lost with it."""
    _fails_on(monkeypatch, lambda decoder: False)
    pair, events = loaded(tiny_pair)
    with closing(pair):
        told = _is_off_and_said(events)
        assert "the draft model failed: Decoding failed (code -3): out of memory." in told
        assert pair.draft_decoder is None


@pytest.mark.parametrize("spec", ["draft", "auto"])
def test_a_failure_in_a_reply_is_said_once_and_frees_the_draft(
    tiny_pair: str, spec: SpecMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No token was drafted any more, nothing said why, and the draft kept its memory."""
    expected = plain_text(tiny_pair)
    with closing(LocalBackend(LoadRequest(tiny_pair, ctx=512, threads=1))) as backend:
        list(backend.load())
        pair = backend._pair
        assert pair is not None
        assert pair.has_draft
        left = iter(range(4))
        _fails_on(monkeypatch, lambda decoder: next(left, None) is not None)
        first = list(backend.chat(HI, request(spec)))
        second = list(backend.chat(HI, request(spec)))
        assert pair.draft_decoder is None
    reason = "the draft model failed: Decoding failed (code -3): out of memory"
    notices = [event for event in first if isinstance(event, Notice)]
    assert notices == [Notice(f"speculation: off ({reason}). {RETRY}", reason)]
    assert first[-1].text == expected
    assert (first[-1].state, first[-1].state_reason) == ("off", reason)
    assert any(isinstance(event, Burst) and event.round.num_drafted for event in first)
    # The next reply goes on with what there is, and need not say it again.
    assert not any(isinstance(event, Notice) for event in second)
    assert second[-1].text == expected
    assert second[-1].state == ("off" if spec == "draft" else second[-1].state)
    assert 0 < first[-1].stats["native_s"] <= first[-1].stats["decode_s"]


def test_loading_again_tries_again(tiny_pair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(LocalBackend(LoadRequest(tiny_pair, ctx=512, threads=1))) as backend:
        with monkeypatch.context() as patch:
            _fails_on(patch, lambda decoder: False)
            list(backend.load())
            assert backend._pair is not None
            assert not backend._pair.has_draft
        events = list(backend.load())
        assert isinstance(events[-1], Ready)
        assert events[-1].spec_off_reason == ""
        *_, end = backend.chat(HI, request())
        assert end.state == "active"


def test_the_target_drafts_for_itself_only_where_that_was_asked_for(
    tiny_files: TinyFiles, own_home: object
) -> None:
    """`add --force` took the target as its own draft, and the pair could never be loaded."""
    add("own", tiny_files.target, tiny_files.target, force=True)
    pair, events = loaded("own")
    with closing(pair):
        assert isinstance(events[-1], Ready)
        assert pair.has_draft


def _is_off_and_said(events: list[Event]) -> str:
    """One sentence before Ready, which has the same reason; returns the sentence."""
    ready = events[-1]
    assert isinstance(ready, Ready)
    assert ready.spec_off_reason
    assert ready.draft == ""
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert notice.text == f"No draft model: {ready.spec_off_reason}. {RETRY}"
    return notice.text
