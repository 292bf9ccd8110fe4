"""The header reader holds against headers that lie, and is quick with large ones."""

import os
import struct
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from localspec.errors import BrokenModelFile
from localspec.models.gguf_header import read_header
from localspec.models.vocabulary import read_vocabulary
from tests.tiny_gguf import byte_vocab, write_vocab

HEAD = b"GGUF" + struct.pack("<I", 3)


def lie(path: Path, *parts: bytes) -> Path:
    path.write_bytes(HEAD + b"".join(parts) + b"\0" * 64)
    return path


def key(name: str, kind: int) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind)


@pytest.mark.parametrize(
    "parts",
    [
        [struct.pack("<QQ", 2**63, 0)],
        [struct.pack("<QQ", 0, 2**63)],
        [struct.pack("<QQ", 0, 1), struct.pack("<Q", 2**60)],
        [struct.pack("<QQ", 0, 1), key("k", 8), struct.pack("<Q", 2**62)],
        [struct.pack("<QQ", 0, 1), key("k", 9), struct.pack("<IQ", 8, 2**61)],
        [struct.pack("<QQ", 0, 1), key("k", 9), struct.pack("<IQ", 0, 2**64 - 1)],
        [struct.pack("<QQ", 0, 1), key("k", 9), struct.pack("<IQ", 9, 2)],
        [struct.pack("<QQ", 0, 1), key("k", 77)],
        [struct.pack("<QQ", 1, 0), struct.pack("<Q", 1), b"t", struct.pack("<I", 2**31)],
    ],
)
def test_a_count_is_never_believed(tmp_path: Path, parts: list[bytes]) -> None:
    """A length in a header made the reader allocate what it named."""
    file = lie(tmp_path / "f.gguf", *parts)
    tracemalloc.start()
    with pytest.raises(BrokenModelFile, match=r"truncated|damaged"):
        read_header(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**20


def test_a_large_vocabulary_takes_a_moment(tmp_path: Path) -> None:
    """The usual reader takes eleven seconds for 151,936 tokens; a pull must stay light."""
    texts = [f"token{i}" for i in range(151_936)]
    merges = {"tokenizer.ggml.merges": [f"a{i} b" for i in range(151_000)]}
    file = write_vocab(tmp_path / "f.gguf", texts, extra_kv=merges)
    start = time.process_time()
    vocabulary = read_vocabulary(read_header(file))
    assert time.process_time() - start < 1.0
    assert vocabulary is not None
    assert vocabulary.tokens.text(151_935) == "token151935"


@pytest.mark.parametrize(
    ("kind", "pre", "expected"),
    [
        ("llama", "default", (1, 2, True, False)),
        ("gpt2", "qwen2", (11, 11, False, False)),
        ("gpt2", "llama-bpe", (11, 11, True, False)),
        ("gpt2", "glm4", (None, 11, False, False)),
        ("t5", "default", (None, 1, False, True)),
        ("rwkv", "default", (None, None, False, False)),
        ("gemma4", "default", (None, None, True, False)),
    ],
)
def test_what_a_file_leaves_out(
    tmp_path: Path, kind: str, pre: str, expected: tuple[int | None, int | None, bool, bool]
) -> None:
    """llama.cpp's own defaults, which the pair check must use too."""
    file = write_vocab(tmp_path / "f.gguf", byte_vocab(), type=kind, pre=pre)
    found = read_vocabulary(read_header(file))
    assert found is not None
    assert (found.bos, found.eos, found.add_bos, found.add_eos) == expected


def test_an_id_outside_the_vocabulary_counts_as_not_given(tmp_path: Path) -> None:
    file = write_vocab(tmp_path / "f.gguf", byte_vocab(), bos=99_999, eos=3)
    found = read_vocabulary(read_header(file))
    assert found is not None
    assert (found.bos, found.eos) == (11, 3)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2.0, [1.0, float("nan")]])
def test_a_float_is_no_integer(tmp_path: Path, value: object) -> None:
    """NaN in a key of whole numbers ended the reader with a ValueError."""
    file = write_vocab(tmp_path / "f.gguf", byte_vocab(), extra_kv={"llama.block_count": value})
    assert read_header(file).integer("llama.block_count") is None


def test_the_parameters_are_counted(tmp_path: Path) -> None:
    tensors = {"a": np.ones((4, 8), np.float32), "b": np.ones(5, np.float32)}
    assert read_header(write_vocab(tmp_path / "f.gguf", [], tensors=tensors)).num_parameters == 37


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    """A named pipe as a model file made every command wait forever."""
    os.mkfifo(tmp_path / "pipe.gguf")
    for path in (tmp_path / "pipe.gguf", Path(os.devnull)):
        with pytest.raises(BrokenModelFile, match="pipe, socket or device"):
            read_header(path)
