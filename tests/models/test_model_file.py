"""What isn't a model is refused by a sentence of its own, before any weight is read."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from localspec.errors import BrokenModelFile
from localspec.models.model_file import read_model
from tests.tiny_gguf import byte_vocab, write_model, write_vocab


def test_a_model_tells_its_facts(tmp_path: Path) -> None:
    facts = read_model(write_model(tmp_path / "m.gguf", n_vocab=300, n_layer=3, n_ctx_train=256))
    assert (facts.architecture, facts.n_layer, facts.n_ctx_train) == ("llama", 3, 256)
    assert (facts.n_embd, facts.n_head_kv, len(facts.vocabulary)) == (64, 2, 300)
    assert facts.vocabulary.tokens.text(257) == "<|im_start|>"
    assert facts.chat_template
    assert facts.vocabulary.add_bos is False


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"arch": "clip"}, "projector"),
        ({"extra_kv": {"general.type": "mmproj"}}, "projector"),
        ({"extra_kv": {"general.type": "adapter", "adapter.type": "lora"}}, "adapter"),
        ({"extra_kv": {"general.type": "imatrix"}}, "importance matrix"),
        ({"arch": "eagle3"}, "draft head"),
        ({"arch": "dflash"}, "draft head"),
        ({"tensors": {"blk.9.nextn.eh_proj.weight": np.zeros((2, 2), np.float32)}}, "draft head"),
        ({"arch": "nomic-bert", "type": "bert"}, "embedding model"),
        ({"tensors": {}}, "without weights"),
        ({"tokens": []}, "no vocabulary"),
        ({"extra_kv": {"split.no": 1, "split.count": 2}}, "later part"),
    ],
)
def test_other_kinds(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    options = {"tokens": byte_vocab()} | options
    file = write_vocab(tmp_path / "f.gguf", **options)
    with pytest.raises(BrokenModelFile, match=words) as caught:
        read_model(file)
    assert str(file) in str(caught.value)


def test_no_file_and_no_gguf(tmp_path: Path) -> None:
    (tmp_path / "empty.gguf").touch()
    (tmp_path / "text.gguf").write_text("<html>not found</html>")
    (tmp_path / "big.gguf").write_bytes(b"GGUF" + struct.pack(">I", 3) + b"\0" * 32)
    (tmp_path / "old.gguf").write_bytes(b"GGUF" + struct.pack("<I", 1) + b"\0" * 32)
    sentences = {
        "missing.gguf": "does not exist",
        "": "is a directory",
        "empty.gguf": "is empty",
        "text.gguf": "not a GGUF file",
        "big.gguf": "big-endian",
        "old.gguf": "version 1",
    }
    for name, words in sentences.items():
        with pytest.raises(BrokenModelFile, match=words):
            read_model(tmp_path / name)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_truncated_file(tmp_path: Path, part: float) -> None:
    """B09: a short file was listed as ready and failed when it was loaded."""
    file = write_model(tmp_path / "m.gguf")
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(BrokenModelFile, match="truncated"):
        read_model(file)


def test_a_split_model_needs_all_its_parts(tmp_path: Path) -> None:
    first = write_model(tmp_path / "m-00001-of-00002.gguf")
    with pytest.raises(BrokenModelFile, match=r"00002-of-00002\.gguf does not exist"):
        read_model(first)
    (tmp_path / "m-00002-of-00002.gguf").write_bytes(first.read_bytes()[:-10])
    with pytest.raises(BrokenModelFile, match=r"00002-of-00002\.gguf is truncated"):
        read_model(first)
