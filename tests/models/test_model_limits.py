"""Numbers of a header that would end llama.cpp are refused before it sees them."""

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from localspec.errors import BrokenModelFile
from localspec.models.model_file import read_model
from tests.tiny_gguf import byte_vocab, write_model, write_vocab
from tests.tiny_kinds import write_kind

LAYERS = {f"blk.{number}.attn_norm.weight": np.ones(4, np.float32) for number in range(3)}
HEADS = {"embedding_length": 64, "attention__head_count": 4}
MIXTURE = {"expert_count": 8, "expert_used_count": 2}


def model(tmp_path: Path, **values: Any) -> Path:
    keys = {f"llama.{key.replace('__', '.')}": value for key, value in values.items()}
    return write_vocab(tmp_path / "m.gguf", byte_vocab(), extra_kv=keys, tensors=LAYERS)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"block_count": 0xFFFFFFFF}, "block_count is 4294967295, outside 1 to 512"),
        ({"block_count": 0}, "block_count is 0"),
        ({"block_count": 4}, "announces 4 layers and holds 3"),
        ({"context_length": 0}, "context_length is 0"),
        ({"context_length": 1}, "context_length is 1, outside 32 to"),
        ({"context_length": 2**31}, "context_length is 2147483648"),
        ({"embedding_length": 0}, "embedding_length is 0"),
        ({"embedding_length": 2**21}, "embedding_length is 2097152"),
        ({"attention__head_count": 0}, "head_count is 0"),
        ({"expert_count": 4, "expert_used_count": 5}, "5 of 4 experts are used"),
        ({"expert_count": 4, "expert_used_count": 0}, "0 of 4 experts are used"),
        ({"expert_used_count": 2}, "2 of 0 experts are used"),
        ({"expert_count": 4}, "0 of 4 experts are used"),
        ({"expert_count": 1025, "expert_used_count": 2}, "expert_count is 1025"),
        ({**MIXTURE, "expert_group_count": 3}, "8 experts are in 3 groups"),
        ({**MIXTURE, "expert_group_count": 4}, "0 of 4 groups of experts are used"),
        ({"full_attention_interval": 0}, "full_attention_interval is 0"),
        ({"rope__dimension_count": 0}, "dimension_count is 0"),
        ({"rope__dimension_count_swa": 15}, "dimension_count_swa is 15"),
        ({"attention__head_count_kv": [2**21, 2]}, "head_count_kv is 2097152"),
        ({**HEADS, "rope__dimension_count": 18}, "dimension_count is 18, and a head is 16 wide"),
        (
            {"attention__key_length_swa": 8, "rope__dimension_count_swa": 10},
            "dimension_count_swa is 10, and a head is 8 wide",
        ),
        ({**HEADS, "rope__dimension_sections": [8, 8, 2]}, "sections is 18 in all"),
        ({"attention__layer_norm_rms_epsilon": float("nan")}, "epsilon is nan"),
        ({"attention__layer_norm_epsilon": -1e-5}, "epsilon is -9.9"),
    ],
)
def test_refused(tmp_path: Path, values: dict[str, Any], words: str) -> None:
    """A header's absurd number was accepted, and llama.cpp ended the process over it."""
    with pytest.raises(BrokenModelFile, match=words):
        read_model(model(tmp_path, **values))


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"block_count": 3},
        {"block_count": 4, "nextn_predict_layers": 1},
        {"attention__head_count_kv": [0, 2, 0]},
        MIXTURE,
        {**MIXTURE, "expert_used_count": [2, 0, 2]},
        {**MIXTURE, "expert_group_count": 4, "expert_group_used_count": 2},
        {**MIXTURE, "expert_group_count": 1},
        {"expert_count": 0, "expert_used_count": 0},
        {"attention__head_count": 0, "ssm__conv_kernel": 4},
        {**HEADS, "rope__dimension_count": 16, "rope__dimension_sections": [8, 8]},
        {**HEADS, "attention__key_length": 32, "rope__dimension_count": 32},
        {"embedding_length": 64, "attention__head_count": [4, 2], "rope__dimension_count": 64},
    ],
)
def test_accepted(tmp_path: Path, values: dict[str, Any]) -> None:
    """Prediction layers, hybrid and attention-free models are no damage."""
    assert read_model(model(tmp_path, **values)).architecture == "llama"


def test_a_state_of_another_width_is_refused(tmp_path: Path) -> None:
    """llama.cpp asserts it for Jamba, and ended the process."""
    good = write_kind(tmp_path / "m.gguf", "hybrid")
    assert read_model(good).architecture == "jamba"
    data = bytearray(good.read_bytes())
    place = data.index(b"jamba.ssm.inner_size") + len(b"jamba.ssm.inner_size") + 4
    data[place : place + 4] = (64).to_bytes(4, "little")
    good.write_bytes(data)
    with pytest.raises(BrokenModelFile, match="inner_size is 64, not 128"):
        read_model(good)


def test_the_layers_of_a_split_model_are_in_all_its_parts(tmp_path: Path) -> None:
    """The first part alone would seem to miss the later layers."""
    keys = {"llama.block_count": 3}
    first = tmp_path / "m-00001-of-00002.gguf"
    write_vocab(first, byte_vocab(), extra_kv=keys)
    write_model(tmp_path / "m-00002-of-00002.gguf", n_layer=3)
    assert read_model(first).n_layer == 3


def test_two_tokens_of_one_text_are_refused(tmp_path: Path) -> None:
    """llama.cpp asserts that there are none, and ended the process."""
    tokens = byte_vocab()
    for twin in (tokens[40], tokens[40] + "\0rest"):
        file = write_vocab(tmp_path / "m.gguf", [*tokens, twin], tensors=LAYERS)
        with pytest.raises(BrokenModelFile, match=f"tokens 40 and {len(tokens)} are the same text"):
            read_model(file)


def test_empty_tokens_are_no_twins(tmp_path: Path) -> None:
    """llama.cpp gives each a name of its own."""
    file = write_vocab(tmp_path / "m.gguf", [*byte_vocab(), "", "", "\0a"], tensors=LAYERS)
    assert len(read_model(file).vocabulary) == len(byte_vocab()) + 3


@pytest.mark.parametrize("kind", [gguf.GGMLQuantizationType.Q8_1, gguf.GGMLQuantizationType.Q8_K])
def test_weights_of_a_type_that_only_passes_have_are_refused(
    tmp_path: Path, kind: gguf.GGMLQuantizationType
) -> None:
    """llama.cpp loaded them and called a function that isn't there: a segmentation fault."""
    file = write_model(tmp_path / "m.gguf", n_embd=512, n_layer=1)
    data = bytearray(file.read_bytes())
    place = data.index(name := b"blk.0.ffn_down.weight") + len(name) + 4 + 2 * 8
    data[place : place + 4] = int(kind).to_bytes(4, "little")
    file.write_bytes(data)
    with pytest.raises(BrokenModelFile, match=f"type {kind.name}, which no model has"):
        read_model(file)
