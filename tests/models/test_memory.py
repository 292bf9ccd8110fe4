"""The numbers of a header, turned into what a model takes."""

import random
from array import array
from pathlib import Path
from typing import Any

import pytest

from localspec.models.gguf_cursor import StringArray
from localspec.models.gguf_header import GgufHeader, Tensor
from localspec.models.header_memory import memory_of
from localspec.models.memory import Cache, GraphWidths, Layer, ModelMemory, padded, row_bytes
from localspec.models.model_file import ModelFacts, read_model
from localspec.models.placement import CPU, MemoryOf
from localspec.models.placing import plan
from localspec.models.text_keeping import TextKeeping
from localspec.models.vocabulary import read_vocabulary
from tests import sparse_gguf
from tests.tiny_gguf import write_model

WIDTHS = GraphWidths(n_embd=64, n_ff=128, n_head=4, q_width=64, attention_width=64)


def keeping(arch: str, **keys: Any) -> TextKeeping:
    values = {f"{arch}.{key.replace('__', '.')}": value for key, value in keys.items()}
    return TextKeeping(GgufHeader(Path("x.gguf"), values, {}, 0, 0), arch)


def a_model(*layers: Layer, **changes: Any) -> ModelMemory:
    told: dict[str, Any] = {
        "layers": layers,
        "embeddings": 10,
        "output": 5,
        "tied": 0,
        "tied_copied_on_cpu": False,
        "n_vocab": 100,
        "n_ctx_train": 4096,
        "widths": WIDTHS,
    }
    return ModelMemory(**(told | changes))


def test_a_context_is_rounded_up_as_llama_cpp_does() -> None:
    assert [padded(n) for n in (1, 256, 257, 8192)] == [256, 256, 512, 8192]
    assert row_bytes("q8_0", 64) == 68
    assert row_bytes("f16", 64) == 128


def test_every_layer_has_its_own_heads() -> None:
    """A list of KV heads counted for all layers as its largest entry."""
    kept = keeping(
        "deci",
        block_count=4,
        embedding_length=256,
        attention__head_count=4,
        attention__head_count_kv=(2, 0, 1, 4),
    )
    assert [kept.cell_widths(index) for index in range(4)] == [
        (128, 128), (0, 0), (64, 64), (256, 256)
    ]  # fmt: skip


def test_layers_that_share_their_cells_keep_none() -> None:
    """Gemma's last layers reuse the cells of earlier ones, and were counted anew."""
    kept = keeping(
        "gemma4",
        block_count=6,
        embedding_length=256,
        attention__head_count=4,
        attention__head_count_kv=1,
        attention__key_length=512,
        attention__value_length=512,
        attention__key_length_swa=256,
        attention__value_length_swa=256,
        attention__sliding_window=1024,
        attention__sliding_window_pattern=(True, True, False, True, True, False),
        attention__shared_kv_layers=2,
    )
    widths = [kept.cell_widths(index)[0] for index in range(6)]
    assert widths == [256, 256, 512, 256, 0, 0]
    assert [kept.window(index) for index in range(6)] == [1024, 1024, 0, 1024, 0, 0]


@pytest.mark.parametrize(
    ("arch", "keys", "recurrent"),
    [
        ("mamba", {}, [0, 1, 2, 3]),
        ("jamba", {"attention__head_count_kv": (0, 2, 0, 2)}, [0, 2]),
        ("qwen35", {"full_attention_interval": 2}, [0, 2]),
        ("qwen35", {"attention__recurrent_layers": (True, False, False, False)}, [0]),
        (
            "nemotron_h",
            {"attention__head_count_kv": (0, 0, 2, 0), "feed_forward_length": (0, 9, 0, 0)},
            [0, 3],
        ),
    ],
)
def test_recurrent_layers_have_a_state_and_no_cells(
    arch: str, keys: dict[str, Any], recurrent: list[int]
) -> None:
    state = {"ssm__conv_kernel": 4, "ssm__inner_size": 128, "ssm__state_size": 16}
    heads = {"attention__head_count": 4, "attention__head_count_kv": 2}
    kept = keeping(arch, block_count=4, embedding_length=64, **(heads | state | keys))
    assert [index for index in range(4) if kept.state_bytes(index)] == recurrent
    assert kept.state_bytes(0) == 4 * (3 * 128 + 16 * 128)
    assert all(kept.cell_widths(index) == (0, 0) for index in recurrent)


def test_only_layers_with_cells_grow() -> None:
    cells, state = Layer(0, k_width=8, v_width=8), Layer(0, state=1000)
    short, long = Cache(1024), Cache(2048)
    assert long.of(cells, 64) == 2 * short.of(cells, 64)
    assert long.of(state, 64) == short.of(state, 64) == 1000
    assert long.of(state, 64, snapshots=3) == 4000


def test_a_window_counts_whole_only_where_it_is_kept_whole() -> None:
    layer = Layer(0, k_width=8, v_width=8, window=512)
    assert Cache(8192).of(layer, 64) == Cache(8192).of(Layer(0, k_width=8, v_width=8), 64)
    assert Cache(8192, whole_windows=False).of(layer, 64) == 768 * 32


def test_snapshots_stay_below_their_limit() -> None:
    small = a_model(Layer(0, state=1_000_000), keeps_snapshots=True)
    large = a_model(Layer(0, state=20_000_000), keeps_snapshots=True)
    huge = a_model(Layer(0, state=200_000_000), keeps_snapshots=True)
    assert [model.snapshots(33, 64) for model in (small, large, huge)] == [32, 12, 0]
    assert small.snapshots(1, 64) == 0


def test_weights_by_layer_are_all_that_the_file_holds(tmp_path: Path) -> None:
    facts = read_model(write_model(tmp_path / "m.gguf", n_layer=3))
    model = memory_of(facts)
    tensors = sum(tensor.bytes for tensor in facts.parts[0].tensors.values())
    assert model.weights == tensors
    assert model.num_layers == 4
    assert model.read_per_token == tensors - model.embeddings


def test_the_output_that_is_the_embeddings_is_there_twice_only_where_it_must(
    tmp_path: Path,
) -> None:
    """Embeddings in Q4_K serve as the output in another order, and took twice their memory."""
    facts = read_model(sparse_gguf.attention(tmp_path / "m.gguf", layers=1, tied=True))
    model = memory_of(facts, machine="x86_64")
    assert (model.tied, model.tied_copied_on_cpu) == (model.embeddings, True)
    assert model.weights == sum(t.bytes for t in facts.parts[0].tensors.values()) + model.tied


def test_of_experts_only_those_chosen_are_read(tmp_path: Path) -> None:
    path = sparse_gguf.attention(tmp_path / "m.gguf", layers=2, experts=8, used=2)
    model = memory_of(read_model(path))
    experts = sum(layer.experts for layer in model.layers)
    assert experts > 0
    everything = model.weights - model.embeddings
    assert model.read_per_token == everything - experts + experts // 4


def test_no_header_is_too_strange_to_be_reckoned() -> None:
    """Numbers of a damaged header divided by zero or had no largest."""
    rng = random.Random(4)
    numbers = [0, 1, 3, 7, 256, 2**16, (0, 4), (), (2,) * 600]
    machine = [MemoryOf("CUDA0", "gpu", 2 * 10**9, 2 * 10**9), MemoryOf(CPU, "cpu", 1, 1)]
    for _ in range(300):
        arch = rng.choice(["llama", "gemma3", "gemma4", "jamba", "qwen35", "lfm2", "rwkv7", "x"])
        values: dict[str, Any] = {
            f"{arch}.{key}": rng.choice(numbers) for key in _KEYS if rng.random() < 0.7
        }
        # More layers are refused before.
        values[f"{arch}.block_count"] = rng.choice([0, 1, 3, 40, 512])
        model = memory_of(facts_of(arch, values))
        for flash_attention in (True, False):
            placed = plan(model, model, machine, 4096, flash_attention=flash_attention)
            assert all(use.needed >= 0 for use in placed.uses)


_KEYS = (
    "embedding_length",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
    "attention.key_length_mla",
    "attention.value_length_mla",
    "attention.sliding_window",
    "attention.sliding_window_pattern",
    "attention.shared_kv_layers",
    "full_attention_interval",
    "nextn_predict_layers",
    "feed_forward_length",
    "expert_count",
    "expert_used_count",
    "ssm.inner_size",
    "ssm.state_size",
    "ssm.conv_kernel",
    "shortconv.l_cache",
    "wkv.head_size",
    "kda.head_dim",
)


def facts_of(arch: str, values: dict[str, Any]) -> ModelFacts:
    vocabulary = read_vocabulary(_VOCABULARY)
    assert vocabulary is not None
    tensors = {"token_embd.weight": Tensor(64, 256, 0), "blk.0.attn_q.weight": Tensor(64, 256, 0)}
    header = GgufHeader(Path("x.gguf"), values, tensors, 0, 0)
    return ModelFacts(
        path=header.path,
        parts=(header,),
        file_bytes=0,
        architecture=arch,
        name="",
        quant="F32",
        n_ctx_train=None,
        n_layer=header.integer(f"{arch}.block_count"),
        n_embd=header.integer(f"{arch}.embedding_length"),
        n_head_kv=None,
        vocabulary=vocabulary,
        chat_template=None,
        license="",
    )


_VOCABULARY = GgufHeader(
    Path("x.gguf"),
    {
        "tokenizer.ggml.tokens": StringArray(
            bytearray(b"\x01" + bytes(7) + b"a"), 0, array("Q", [9])
        )
    },
    {},
    0,
    0,
)
