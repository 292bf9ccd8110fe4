"""Headers of real size before tensors that take no disk: llama.cpp plans them as it would the
models, and nothing is read."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from tests.tiny_gguf import _add_value, _token_type, byte_vocab

Shapes = Mapping[str, tuple[int, ...]]
_ALIGNMENT = 32


def write_sparse(
    path: Path, arch: str, keys: Mapping[str, Any], shapes: Shapes, n_vocab: int
) -> Path:
    """Matrices in Q4_K, the rest in F32."""
    writer = gguf.GGUFWriter(path, arch)
    writer.add_name("sparse")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    tokens = byte_vocab(n_vocab)
    writer.add_token_list(tokens)
    writer.add_token_types([_token_type(token) for token in tokens])
    writer.add_array("tokenizer.ggml.merges", ["t h"])
    for key, value in keys.items():
        _add_value(writer, f"{arch}.{key}", value)
    for name, shape in shapes.items():
        _announce(writer, name, shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    assert writer.fout is not None
    end = _aligned(writer.fout[0].tell())
    end += sum(_aligned(info.nbytes) for part in writer.tensors for info in part.values())
    writer.close()
    os.truncate(path, end)
    return path


def _announce(writer: gguf.GGUFWriter, name: str, shape: tuple[int, ...]) -> None:
    plain = len(shape) == 1 or shape[-1] % 256 or "gate_inp" in name
    kind = GGMLQuantizationType.F32 if plain else GGMLQuantizationType.Q4_K
    elements, size = GGML_QUANT_SIZES[kind]
    num_bytes = int(np.prod(shape)) // elements * size
    stored = shape if plain else (*shape[:-1], shape[-1] // elements * size)
    dtype = np.dtype(np.float32 if plain else np.uint8)
    writer.add_tensor_info(name, stored, dtype, num_bytes, raw_dtype=kind)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def attention(
    path: Path,
    *,
    arch: str = "llama",
    embd: int = 4096,
    layers: int = 4,
    heads: int = 32,
    kv_heads: int = 8,
    head: int = 128,
    ff: int = 14336,
    n_vocab: int = 4096,
    tied: bool = False,
    experts: int = 0,
    used: int = 0,
    keys: Mapping[str, Any] | None = None,
) -> Path:
    """A model of plain attention, windowed for gemma3, with experts where there are any."""
    told = {
        "context_length": 131072,
        "embedding_length": embd,
        "block_count": layers,
        "feed_forward_length": ff,
        "attention.head_count": heads,
        "attention.head_count_kv": kv_heads,
        "attention.key_length": head,
        "attention.value_length": head,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "rope.dimension_count": head,
        "vocab_size": n_vocab,
    }
    if experts:
        told |= {"expert_count": experts, "expert_used_count": used}
        told |= {"expert_feed_forward_length": ff}
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (n_vocab, embd),
        "output_norm.weight": (embd,),
    }
    if not tied:
        shapes["output.weight"] = (n_vocab, embd)
    for index in range(layers):
        shapes |= _block(f"blk.{index}.", arch, embd, heads, kv_heads, head, ff, experts)
    return write_sparse(path, arch, told | dict(keys or {}), shapes, n_vocab)


def _block(
    block: str, arch: str, embd: int, heads: int, kv_heads: int, head: int, ff: int, experts: int
) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "attn_norm": (embd,),
        "ffn_norm": (embd,),
        "attn_q": (heads * head, embd),
        "attn_k": (kv_heads * head, embd),
        "attn_v": (kv_heads * head, embd),
        "attn_output": (embd, heads * head),
    }
    if arch in ("gemma3", "qwen3moe"):
        shapes |= {"attn_q_norm": (head,), "attn_k_norm": (head,)}
    if arch == "gemma3":
        shapes |= {"post_attention_norm": (embd,), "post_ffw_norm": (embd,)}
    if experts:
        shapes |= {
            "ffn_gate_inp": (experts, embd),
            "ffn_gate_exps": (experts, ff, embd),
            "ffn_up_exps": (experts, ff, embd),
            "ffn_down_exps": (experts, embd, ff),
        }
    else:
        shapes |= {"ffn_gate": (ff, embd), "ffn_up": (ff, embd), "ffn_down": (embd, ff)}
    return {f"{block}{name}.weight": shape for name, shape in shapes.items()}


def latent(path: Path) -> Path:
    """DeepSeek's attention over a compressed cache, with experts in all layers but the first."""
    embd, layers, heads, ff, expert_ff, experts = 2048, 3, 20, 10240, 1536, 16
    rank, rope, nope, value, q_rank, n_vocab = 512, 64, 192, 256, 768, 4096
    told = {
        "context_length": 131072,
        "embedding_length": embd,
        "block_count": layers,
        "feed_forward_length": ff,
        "attention.head_count": heads,
        "attention.head_count_kv": 1,
        "attention.key_length": rank + rope,
        "attention.value_length": rank,
        "attention.key_length_mla": nope + rope,
        "attention.value_length_mla": value,
        "attention.kv_lora_rank": rank,
        "attention.q_lora_rank": q_rank,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "rope.dimension_count": rope,
        "vocab_size": n_vocab,
        "expert_count": experts,
        "expert_used_count": 4,
        "expert_feed_forward_length": expert_ff,
        "expert_shared_count": 1,
        "leading_dense_block_count": 1,
        "expert_weights_scale": 1.0,
        "expert_gating_func": 2,
    }
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (n_vocab, embd),
        "output_norm.weight": (embd,),
        "output.weight": (n_vocab, embd),
    }
    for index in range(layers):
        block: dict[str, tuple[int, ...]] = {
            "attn_norm": (embd,),
            "ffn_norm": (embd,),
            "attn_q_a_norm": (q_rank,),
            "attn_kv_a_norm": (rank,),
            "attn_q_a": (q_rank, embd),
            "attn_q_b": (heads * (nope + rope), q_rank),
            "attn_kv_a_mqa": (rank + rope, embd),
            "attn_k_b": (heads, rank, nope),
            "attn_v_b": (heads, value, rank),
            "attn_output": (embd, heads * value),
        }
        if index == 0:
            block |= {"ffn_gate": (ff, embd), "ffn_up": (ff, embd), "ffn_down": (embd, ff)}
        else:
            for part, rows, columns in (
                ("gate", expert_ff, embd), ("up", expert_ff, embd), ("down", embd, expert_ff)
            ):  # fmt: skip
                block[f"ffn_{part}_exps"] = (experts, rows, columns)
                block[f"ffn_{part}_shexp"] = (rows, columns)
            block["ffn_gate_inp"] = (experts, embd)
        shapes |= {f"blk.{index}.{name}.weight": shape for name, shape in block.items()}
    return write_sparse(path, "deepseek2", told, shapes, n_vocab)
