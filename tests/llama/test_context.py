"""The decoder over llama.cpp: sound after every call, and never an abort."""

import os
from collections.abc import Iterator
from pathlib import Path

import llama_cpp
import numpy as np
import pytest

from localspec import paths
from localspec.errors import NativeFailure, UsageError
from localspec.llama.context import LlamaDecoder
from localspec.llama.model import LlamaModel
from localspec.llama.weights import load_model
from tests.conftest import TinyFiles
from tests.llama.conftest import load


@pytest.fixture
def model(tiny_files: TinyFiles) -> Iterator[LlamaModel]:
    loaded = load(tiny_files.target)
    yield loaded
    loaded.close()


@pytest.fixture
def decoder(model: LlamaModel) -> Iterator[LlamaDecoder]:
    context = LlamaDecoder(model, 300, 9, threads=1)
    yield context
    context.close()


def test_rows_are_those_of_one_token_at_a_time(model: LlamaModel, decoder: LlamaDecoder) -> None:
    tokens = list(b"the cat sat on")
    rows = decoder.decode(tokens, 5).copy()
    assert rows.shape == (5, model.n_vocab)
    decoder.rollback(0)
    single = [decoder.decode([token], 1)[0].copy() for token in tokens][-5:]
    assert np.allclose(rows, single, atol=1e-2)


def test_a_rollback_leaves_the_cache_as_it_was(decoder: LlamaDecoder) -> None:
    decoder.decode(list(b"some words"), 0)
    first = decoder.decode([7], 1)[0].copy()
    decoder.decode(list(b"wrong"), 2)
    decoder.rollback(10)
    assert decoder.tokens.tolist() == list(b"some words")
    assert np.array_equal(decoder.decode([7], 1)[0], first)


@pytest.mark.parametrize(
    ("tokens", "num_logits"),
    [([], 0), ([1], 2), ([1] * 10, 10), ([1] * 65, 0), ([-1], 1), ([99_999], 1), ([1], -1)],
)
def test_a_bad_argument_is_an_error_not_an_abort(
    decoder: LlamaDecoder, tokens: list[int], num_logits: int
) -> None:
    """llama.cpp ends the process on a batch or row count beyond its limits."""
    with pytest.raises((UsageError, ValueError)):
        decoder.decode(tokens, num_logits)
    assert len(decoder.tokens) == 0
    decoder.decode([1], 1)


def test_the_context_is_never_overrun(decoder: LlamaDecoder) -> None:
    """A draft past the end of the context ended the process (B08)."""
    for _ in range(6):
        decoder.decode([1] * 50, 0)
    with pytest.raises(UsageError, match="301 tokens in 300"):
        decoder.decode([1], 1)
    with pytest.raises(UsageError, match="rollback"):
        decoder.rollback(301)


def test_native_lines_go_to_the_log_and_descriptors_stay(
    tiny_files: TinyFiles, capfd: pytest.CaptureFixture[str]
) -> None:
    """Load messages wrecked a full-screen app, silencing them blanked it (B07)."""
    before = [(os.fstat(fd).st_dev, os.fstat(fd).st_ino) for fd in (1, 2)]
    model = load(tiny_files.target)
    LlamaDecoder(model, 64, 2, threads=1).close()
    model.close()
    assert [(os.fstat(fd).st_dev, os.fstat(fd).st_ino) for fd in (1, 2)] == before
    assert capfd.readouterr() == ("", "")


def test_a_file_that_llama_cpp_refuses_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + b"\0" * 40)
    with pytest.raises(NativeFailure, match=r"broken\.gguf could not be loaded: ") as caught:
        load(path)
    assert str(paths.log_file()) in caught.value.hint


def test_a_load_can_be_broken_off(tiny_files: TinyFiles) -> None:
    loading = load_model(tiny_files.target)
    next(loading)
    loading.close()


def test_a_cache_beyond_the_memory_is_refused_before_it_is_made(model: LlamaModel) -> None:
    with pytest.raises(NativeFailure, match=r"A context of 4294967040 tokens needs \d+\.\d GB"):
        LlamaDecoder(model, 2**32 - 256, 9, threads=1)


def test_a_context_that_llama_cpp_cannot_make_is_a_sentence(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_cpp, "llama_init_from_model", lambda *_: None)
    with pytest.raises(NativeFailure, match="No context of 300 tokens could be made"):
        LlamaDecoder(model, 300, 9, threads=1)


def test_text_becomes_ids_and_bytes_again(model: LlamaModel) -> None:
    text = "größer <|im_end|> 🙂\n"
    plain = model.tokenize(text, special=False)
    assert b"".join(model.token_bytes(t) for t in plain).decode() == text
    special = model.tokenize(text, special=True)
    (control,) = set(special) & model.end_tokens - set(plain)
    assert model.token_bytes(control) == b""
    assert model.tokenize("", special=True) == []
