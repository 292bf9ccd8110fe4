"""What a header says about heads and experts."""

from pathlib import Path

import numpy as np
import pytest

from localspec.models.attention import head_dims, is_mixture, keeps_together
from localspec.models.model_file import ModelFacts, read_model
from tests.tiny_gguf import byte_vocab, write_model, write_vocab
from tests.tiny_kinds import write_kind


def facts(path: Path, arch: str, **keys: object) -> ModelFacts:
    """A header with these keys of its architecture; `__` stands for a dot."""
    named = {f"{arch}.{key.replace('__', '.')}": value for key, value in keys.items()}
    return read_model(write_vocab(path / "m.gguf", byte_vocab(), arch=arch, extra_kv=named))


def test_heads_are_the_embedding_shared_out(tmp_path: Path) -> None:
    model = read_model(write_model(tmp_path / "m.gguf", n_embd=64))
    assert head_dims(model) == {16}
    assert not keeps_together(model)
    assert not is_mixture(model)


def test_a_size_that_is_named_counts_for_each_of_keys_and_values(tmp_path: Path) -> None:
    model = facts(
        tmp_path, "gemma4", embedding_length=64, attention__head_count=4,
        attention__key_length=512, attention__value_length=256, attention__key_length_swa=80,
    )  # fmt: skip
    assert head_dims(model) == {512, 256, 80}


def test_keys_and_values_in_one_cache(tmp_path: Path) -> None:
    model = facts(
        tmp_path, "deepseek2", attention__key_length=576, attention__value_length=512,
        attention__key_length_mla=192, attention__value_length_mla=128,
    )  # fmt: skip
    assert keeps_together(model)


@pytest.mark.parametrize(("kind", "mixture"), [("experts", True), ("attention", False)])
def test_a_mixture_is_known_by_its_tensors(tmp_path: Path, kind: str, mixture: bool) -> None:
    assert is_mixture(read_model(write_kind(tmp_path / "m.gguf", kind))) is mixture


def test_a_model_without_attention_has_no_heads(tmp_path: Path) -> None:
    model = read_model(
        write_vocab(tmp_path / "m.gguf", byte_vocab(), arch="mamba",
                    tensors={"token_embd.weight": np.zeros((260, 8), np.float32)})
    )  # fmt: skip
    assert head_dims(model) == frozenset()
