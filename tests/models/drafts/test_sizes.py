"""What of a model's weights a pass reads."""

from pathlib import Path

import numpy as np
import pytest

from localspec.models.catalog.entries import ModelFile
from localspec.models.drafts import sizes
from localspec.models.model_file import read_model
from tests.tiny_gguf import byte_vocab, write_model, write_vocab


def test_an_embedding_beside_an_output_is_only_looked_up(tmp_path: Path) -> None:
    facts = read_model(write_model(tmp_path / "m.gguf"))
    tensors = facts.parts[0].tensors
    size = sizes.of_facts(facts)
    whole = sum(tensor.bytes for tensor in tensors.values())
    assert size.pass_bytes == whole - tensors["token_embd.weight"].bytes
    assert size.parameters == facts.parts[0].num_parameters


def test_idle_experts_are_not_read(tmp_path: Path) -> None:
    """A mixture was ranked as if a token used every expert, so all drafts looked small."""
    tensors = {
        "token_embd.weight": np.zeros((4, 8), np.float32),
        "blk.0.ffn_up_exps.weight": np.zeros((8, 4, 8), np.float32),
    }
    counts = {"llama.expert_count": 8, "llama.expert_used_count": 2, "llama.block_count": 1}
    path = write_vocab(tmp_path / "moe.gguf", byte_vocab(), extra_kv=counts, tensors=tensors)
    assert sizes.of_facts(read_model(path)).pass_bytes == 4 * 8 * 4 + 8 * 4 * 8 * 4 / 4


@pytest.mark.parametrize(
    ("changes", "pass_bytes"),
    [
        ({"bytes": 1000}, 1000),
        ({"bytes": None, "params_b": 2.0}, 2e9 * 4.85 / 8),
        ({"bytes": None, "params_b": 2.0, "quant": "F16"}, 4e9),
        ({"bytes": 15 * 10**9, "params_b": 30.0, "file": "Qwen3-30B-A3B.gguf"}, 1.5e9),
        ({"bytes": None}, None),
    ],
)
def test_the_catalogs_sizes(changes: dict[str, object], pass_bytes: float | None) -> None:
    plain = {"repo": "maker/r", "file": "m.gguf", "quant": "Q4_K_M", "bytes": None, "sha256": None}
    size = sizes.of_file(ModelFile.model_validate(plain | changes))
    assert size.pass_bytes == (None if pass_bytes is None else pytest.approx(pass_bytes))
