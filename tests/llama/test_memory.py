"""Going back in every kind of memory: to the right place, and with the right state."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import llama_cpp
import numpy as np
import pytest

from localspec.errors import NativeFailure
from localspec.llama import memory_traits
from localspec.llama.context import LlamaDecoder
from tests.llama.conftest import MakeDecoder
from tests.tiny_kinds import KINDS, WINDOW

KIND_OF = {
    "attention": "cut",
    "window": "cut",
    "recurrent": "checkpoints",
    "hybrid": "checkpoints",
    "short-convolution": "snapshots",
    "delta-net": "snapshots",
    "experts": "cut",
}
UNCUTTABLE = [kind for kind in KINDS if KIND_OF[kind] != "cut"]
SNAPSHOTS = [kind for kind in KINDS if KIND_OF[kind] == "snapshots"]
TEXT = list(b"It was a bright cold day in April, and the clocks were striking thirteen. ") * 9


def read(decoder: LlamaDecoder, tokens: Sequence[int]) -> None:
    for start in range(0, len(tokens), decoder.max_batch):
        decoder.decode(tokens[start : start + decoder.max_batch], 0)


def check_state(decoder: LlamaDecoder, fresh: LlamaDecoder) -> None:
    """The next logits are those of a decoder that never held anything else."""
    fresh.clear()
    read(fresh, decoder.tokens.tolist())
    expected = fresh.decode([7], 1)[0].copy()
    assert np.abs(decoder.decode([7], 1)[0] - expected).max() < 0.05


def test_the_kinds_are_found_out_by_trying(make_decoder: MakeDecoder) -> None:
    targets = {kind: make_decoder(kind) for kind in KINDS}
    assert {kind: decoder.memory_kind for kind, decoder in targets.items()} == KIND_OF
    for decoder in targets.values():
        assert (decoder.cannot_cut_reason == "") == (decoder.memory_kind == "cut")
        assert len(decoder.tokens) == 0
    # A draft reads one token at a time, and of that no snapshot can be cut.
    assert make_decoder("delta-net", max_logits=1).memory_kind == "checkpoints"


@pytest.mark.parametrize("kind", KINDS)
def test_a_rollback_leads_to_the_mark_or_nearer(make_decoder: MakeDecoder, kind: str) -> None:
    decoder = make_decoder(kind)
    read(decoder, TEXT[:20])
    decoder.decode(TEXT[20:21], 1)
    decoder.mark()
    decoder.decode([*TEXT[21:24], 1, 2], 5)
    decoder.rollback(24)
    assert decoder.tokens.tolist() == TEXT[: 21 if decoder.memory_kind == "checkpoints" else 24]
    check_state(decoder, make_decoder(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_any_rollback_leaves_a_prefix_and_its_state(make_decoder: MakeDecoder, kind: str) -> None:
    decoder, fresh = make_decoder(kind), make_decoder(kind)
    rng = np.random.default_rng(0)
    for _ in range(60):
        if rng.random() < 0.3:
            decoder.mark()
        if rng.random() < 0.4:
            before = decoder.tokens.tolist()
            n_past = max(0, len(before) - int(rng.integers(0, rng.choice([4, 60]) + 1)))
            decoder.rollback(n_past)
            assert len(decoder.tokens) <= n_past
            assert decoder.tokens.tolist() == before[: len(decoder.tokens)]
            if rng.random() < 0.5:
                check_state(decoder, fresh)
        count = int(rng.integers(1, 9))
        decoder.decode(rng.integers(0, 256, count), int(rng.choice([0, 1, count])))
    check_state(decoder, fresh)


@pytest.mark.parametrize("kind", SNAPSHOTS)
def test_a_snapshot_of_an_earlier_decode_is_not_trusted(
    make_decoder: MakeDecoder, kind: str
) -> None:
    """llama.cpp cuts tokens that were decoded one by one, says yes, and the state is stale."""
    decoder, fresh = make_decoder(kind), make_decoder(kind)
    read(decoder, TEXT[:40])
    for token in TEXT[40:44]:
        decoder.decode([token], 1)
    memory = llama_cpp.llama_get_memory(decoder._context)
    assert llama_cpp.llama_memory_seq_rm(memory, 0, 41, -1)
    read(fresh, TEXT[:41])
    expected = fresh.decode([7], 1)[0].copy()
    batch = decoder._batch.fill(np.array([7]), 41, 1)
    assert llama_cpp.llama_decode(decoder._context, batch) == 0
    assert np.abs(decoder._rows(1)[0] - expected).max() > 0.1

    decoder.clear()
    read(decoder, TEXT[:40])
    for token in TEXT[40:44]:
        decoder.decode([token], 1)
    decoder.rollback(41)
    assert decoder.tokens.tolist() == TEXT[:40], "the end of the prompt"
    check_state(decoder, fresh)


@pytest.mark.parametrize("kind", SNAPSHOTS)
def test_two_cuts_of_one_batch_are_the_deeper_one(make_decoder: MakeDecoder, kind: str) -> None:
    """llama.cpp takes one cut a decode and refuses the second: a stop string after a rejection."""
    decoder = make_decoder(kind)
    read(decoder, TEXT[:30])
    decoder.decode(TEXT[30:37], 7)
    decoder.rollback(34)
    decoder.rollback(32)
    assert decoder.tokens.tolist() == TEXT[:32]
    check_state(decoder, make_decoder(kind))


@pytest.mark.parametrize("kind", SNAPSHOTS)
def test_no_more_is_drafted_than_can_be_cut(
    make_decoder: MakeDecoder, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = make_decoder(kind)._memory.traits.state_bytes
    monkeypatch.setattr("localspec.llama.context.SNAPSHOT_BYTES", 3 * state)
    decoder = make_decoder(kind)
    assert (decoder.memory_kind, decoder.max_logits) == ("snapshots", 4)
    monkeypatch.setattr("localspec.llama.context.SNAPSHOT_BYTES", state)
    decoder = make_decoder(kind)
    assert (decoder.memory_kind, decoder.max_logits) == ("checkpoints", 9)


def test_a_cut_behind_the_window_is_exact(make_decoder: MakeDecoder) -> None:
    """A windowed cache says yes to every cut, but the tokens that left the window are gone."""
    decoder = make_decoder("window")
    read(decoder, TEXT[:600])
    for n_past in (599, 600 - WINDOW, 330, 20, 3):
        decoder.rollback(n_past)
        check_state(decoder, make_decoder("window"))
        decoder.rollback(n_past)


def test_the_windows_memory_is_known(make_decoder: MakeDecoder) -> None:
    # Two layers of four are windowed; keys and values of 32 numbers of 2 bytes; 256 cells would do.
    assert make_decoder("window").rollback_bytes == 2 * 2 * 32 * 2 * (1024 - 256)
    assert "keep the whole context" in make_decoder("window").memory_notice
    assert make_decoder("attention").rollback_bytes == 0
    assert make_decoder("attention").memory_notice == ""


@pytest.mark.parametrize("kind", UNCUTTABLE)
def test_the_places_of_a_long_chat_are_few(make_decoder: MakeDecoder, kind: str) -> None:
    decoder = make_decoder(kind)
    places = decoder._memory.checkpoints
    ends = []
    for turn in range(8):
        read(decoder, TEXT[: 10 + turn])
        ends.append(len(decoder.tokens))
        for token in TEXT[:20]:
            decoder.mark()
            decoder.decode([token], 1)
        assert ends[-1] in places.lengths, "regenerate wants the end of its prompt"
        assert len(places.lengths) <= decoder._memory.traits.num_kept + 1
    assert decoder._memory.traits.num_kept == 4
    decoder.rollback(ends[-1])
    assert len(decoder.tokens) == ends[-1]
    check_state(decoder, make_decoder(kind))


@pytest.mark.parametrize("kind", ["attention", "window", "delta-net", "hybrid"])
def test_a_refused_removal_never_goes_on(
    make_decoder: MakeDecoder, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result of a removal was ignored, and the reply went on from rejected tokens."""
    decoder = make_decoder(kind)
    read(decoder, TEXT[:30])
    decoder.mark()
    decoder.decode(TEXT[30:35], 5)
    with monkeypatch.context() as refusing:
        refusing.setattr(llama_cpp, "llama_memory_seq_rm", lambda *_: False)
        decoder.rollback(33)
        if decoder.memory_kind == "snapshots":
            with pytest.raises(NativeFailure, match="refused to cut"):
                decoder.decode([1], 1)
    assert len(decoder.tokens) == 0
    check_state(decoder, make_decoder(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_decode_leaves_a_sound_state(
    make_decoder: MakeDecoder, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of a failed batch stays in the memory: cut where possible, else it is not trusted."""
    decoder = make_decoder(kind)
    read(decoder, TEXT[:30])
    decoder.decode(TEXT[30:33], 3)
    decode = llama_cpp.llama_decode
    with monkeypatch.context() as failing:
        failing.setattr(llama_cpp, "llama_decode", lambda *args: decode(*args) or -3)
        with pytest.raises(NativeFailure, match="code -3"):
            decoder.decode([1, 2, 3], 3)
    assert decoder.tokens.tolist() == TEXT[: 33 if KIND_OF[kind] == "cut" else 30]
    check_state(decoder, make_decoder(kind))


def broken(change: Callable[[Any], Any]) -> Callable[..., int]:
    original = llama_cpp.llama_state_seq_get_size_ext
    return lambda *args: int(change(original(*args)))


@pytest.mark.parametrize("kind", ["recurrent", "hybrid"])
def test_a_state_that_cannot_be_saved_is_said_so(
    make_decoder: MakeDecoder, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_cpp, "llama_state_seq_get_size_ext", broken(lambda _: 0))
    decoder = make_decoder(kind)
    assert decoder.memory_kind == "none"
    assert decoder.cannot_cut_reason.endswith("can't be cut back after a rejected draft")
    read(decoder, TEXT[:30])
    decoder.mark()
    decoder.decode(TEXT[30:35], 5)
    decoder.rollback(33)
    assert len(decoder.tokens) == 0
    check_state(decoder, make_decoder(kind))


def test_a_state_that_grows_is_not_copied(
    make_decoder: MakeDecoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain cache ignores the flag for partial states and writes all of itself."""
    monkeypatch.setattr(llama_cpp, "llama_memory_seq_rm", lambda *_: False)
    assert make_decoder("attention").memory_kind == "none"


def test_a_context_without_memory_is_said_so() -> None:
    def no_read(start: int, count: int) -> None:
        raise AssertionError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llama_cpp, "llama_get_memory", lambda _: None)
        traits = memory_traits.look(ctypes.c_void_p(), 0, no_read)
    assert (traits.kind, traits.reason) == ("none", "this kind of model has no memory of the text")
