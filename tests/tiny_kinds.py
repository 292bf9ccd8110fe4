"""Tiny random models of every kind of cache: attention, window, recurrent, hybrid, experts.

All share their embedding and output weights, and what a block adds is small beside them: kinds
agree on many tokens and disagree on many, as a draft and its target do.
"""

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.tiny_gguf import CHATML, byte_vocab, write_vocab

WINDOW = 8
"""Tokens that the windowed kind sees."""
_EMBD, _HEADS, _KV_HEADS, _LAYERS = 64, 4, 2, 4
_HEAD = _EMBD // _HEADS
_FF, _EXPERTS, _EXPERTS_USED = 96, 4, 2
_CONV, _INNER, _STATE, _RANK = 4, 2 * _EMBD, 16, 8
_GROUPS, _VALUE_HEADS = 2, 4

Tensors = dict[str, np.ndarray]
Keys = dict[str, Any]


class Weights:
    """Random matrices, each drawn from its name and the seed; `noise` makes a likely draft."""

    def __init__(self, seed: int, noise: float, share: float) -> None:
        self.seed, self.noise, self.share = seed, noise, share

    def matrix(self, name: str, *shape: int, scale: float = 1.0) -> np.ndarray:
        key = zlib.crc32(name.encode())
        values = np.random.default_rng([self.seed, key]).standard_normal(shape)
        if self.noise:
            values += self.noise * np.random.default_rng([self.seed + 1, key]).standard_normal(
                shape
            )
        return (values * (scale / shape[-1] ** 0.5)).astype(np.float32)

    def added(self, name: str, *shape: int) -> np.ndarray:
        """A matrix whose product is added to what the block was given."""
        return self.matrix(name, *shape, scale=self.share)


def ones(size: int) -> np.ndarray:
    return np.ones(size, np.float32)


def _attention(weights: Weights, block: str, *, norms: bool = False, gate: bool = False) -> Tensors:
    wide = _EMBD * (2 if gate else 1)
    tensors = {
        f"{block}.attn_q.weight": weights.matrix(f"{block}.q", wide, _EMBD, scale=2.0),
        f"{block}.attn_k.weight": weights.matrix(f"{block}.k", _KV_HEADS * _HEAD, _EMBD, scale=2.0),
        f"{block}.attn_v.weight": weights.matrix(f"{block}.v", _KV_HEADS * _HEAD, _EMBD),
        f"{block}.attn_output.weight": weights.added(f"{block}.o", _EMBD, _EMBD),
    }
    if norms:
        tensors |= {f"{block}.attn_{part}_norm.weight": ones(_HEAD) for part in "qk"}
    return tensors


def _feed_forward(weights: Weights, block: str) -> Tensors:
    return {
        f"{block}.ffn_gate.weight": weights.matrix(f"{block}.gate", _FF, _EMBD),
        f"{block}.ffn_up.weight": weights.matrix(f"{block}.up", _FF, _EMBD),
        f"{block}.ffn_down.weight": weights.added(f"{block}.down", _EMBD, _FF),
    }


def _experts(weights: Weights, block: str) -> Tensors:
    return {
        f"{block}.ffn_gate_inp.weight": weights.matrix(
            f"{block}.router", _EXPERTS, _EMBD, scale=3.0
        ),
        f"{block}.ffn_gate_exps.weight": weights.matrix(f"{block}.gates", _EXPERTS, _FF, _EMBD),
        f"{block}.ffn_up_exps.weight": weights.matrix(f"{block}.ups", _EXPERTS, _FF, _EMBD),
        f"{block}.ffn_down_exps.weight": weights.added(f"{block}.downs", _EXPERTS, _EMBD, _FF),
    }


def _mamba(weights: Weights, block: str, *, norms: bool = False) -> Tensors:
    tensors = {
        f"{block}.ssm_in.weight": weights.matrix(f"{block}.in", 2 * _INNER, _EMBD),
        f"{block}.ssm_conv1d.weight": weights.matrix(f"{block}.conv", _INNER, _CONV),
        f"{block}.ssm_conv1d.bias": np.zeros(_INNER, np.float32),
        f"{block}.ssm_x.weight": weights.matrix(
            f"{block}.x", _RANK + 2 * _STATE, _INNER, scale=3.0
        ),
        f"{block}.ssm_dt.weight": weights.matrix(f"{block}.dt", _INNER, _RANK),
        f"{block}.ssm_dt.bias": np.zeros(_INNER, np.float32),
        f"{block}.ssm_a": -np.tile(np.linspace(0.05, 1.0, _STATE, dtype=np.float32), (_INNER, 1)),
        f"{block}.ssm_d": ones(_INNER),
        f"{block}.ssm_out.weight": 0.25 * weights.added(f"{block}.out", _EMBD, _INNER),
    }
    if norms:
        sizes = {"dt": _RANK, "b": _STATE, "c": _STATE}
        tensors |= {f"{block}.ssm_{part}_norm.weight": ones(n) for part, n in sizes.items()}
    return tensors


def _short_convolution(weights: Weights, block: str) -> Tensors:
    return {
        f"{block}.shortconv.conv.weight": weights.matrix(f"{block}.conv", _EMBD, 3),
        f"{block}.shortconv.in_proj.weight": weights.matrix(f"{block}.in", 3 * _EMBD, _EMBD),
        f"{block}.shortconv.out_proj.weight": weights.added(f"{block}.out", _EMBD, _EMBD),
    }


def _delta_net(weights: Weights, block: str) -> Tensors:
    values = _VALUE_HEADS * _STATE
    mixed = 2 * _GROUPS * _STATE + values
    return {
        f"{block}.attn_qkv.weight": weights.matrix(f"{block}.qkv", mixed, _EMBD),
        f"{block}.attn_gate.weight": weights.matrix(f"{block}.gate", values, _EMBD),
        f"{block}.ssm_conv1d.weight": weights.matrix(f"{block}.conv", mixed, _CONV),
        f"{block}.ssm_dt.bias": np.zeros(_VALUE_HEADS, np.float32),
        f"{block}.ssm_a": -0.1 * ones(_VALUE_HEADS),
        f"{block}.ssm_beta.weight": weights.matrix(f"{block}.beta", _VALUE_HEADS, _EMBD),
        f"{block}.ssm_alpha.weight": weights.matrix(f"{block}.alpha", _VALUE_HEADS, _EMBD),
        f"{block}.ssm_norm.weight": ones(_STATE),
        f"{block}.ssm_out.weight": weights.added(f"{block}.out", _EMBD, values),
    }


def _plain(weights: Weights, block: str, _index: int) -> Tensors:
    norms = {f"{block}.{part}_norm.weight": ones(_EMBD) for part in ("attn", "ffn")}
    return norms | _attention(weights, block) | _feed_forward(weights, block)


def _windowed(weights: Weights, block: str, _index: int) -> Tensors:
    parts = ("attn", "ffn", "post_attention", "post_ffw")
    norms = {f"{block}.{part}_norm.weight": ones(_EMBD) for part in parts}
    for part in parts[2:]:
        norms[f"{block}.{part}_norm.weight"] = weights.share * ones(_EMBD)
    return norms | _attention(weights, block, norms=True) | _feed_forward(weights, block)


def _recurrent(weights: Weights, block: str, _index: int) -> Tensors:
    return {f"{block}.attn_norm.weight": ones(_EMBD)} | _mamba(weights, block)


def _mixture(weights: Weights, block: str, _index: int) -> Tensors:
    norms = {f"{block}.{part}_norm.weight": ones(_EMBD) for part in ("attn", "ffn")}
    return norms | _attention(weights, block) | _experts(weights, block)


def _jamba(weights: Weights, block: str, index: int) -> Tensors:
    norms = {f"{block}.{part}_norm.weight": ones(_EMBD) for part in ("attn", "ffn")}
    mixer = _attention(weights, block) if index % 2 else _mamba(weights, block, norms=True)
    return norms | mixer | _feed_forward(weights, block)


def _lfm2(weights: Weights, block: str, index: int) -> Tensors:
    norms = {f"{block}.{part}_norm.weight": ones(_EMBD) for part in ("attn", "ffn")}
    if index % 2:
        mixer = _attention(weights, block, norms=True)
    else:
        mixer = _short_convolution(weights, block)
    return norms | mixer | _feed_forward(weights, block)


def _qwen35(weights: Weights, block: str, index: int) -> Tensors:
    norms = {f"{block}.{part}_norm.weight": ones(_EMBD) for part in ("attn", "post_attention")}
    if (index + 1) % 4 == 0:
        mixer = _attention(weights, block, norms=True, gate=True)
    else:
        mixer = _delta_net(weights, block)
    return norms | mixer | _feed_forward(weights, block)


_SSM: Keys = {
    "ssm.conv_kernel": _CONV,
    "ssm.inner_size": _INNER,
    "ssm.state_size": _STATE,
    "ssm.time_step_rank": _RANK,
}
_MIXED: Keys = {"attention.head_count_kv": [0, _KV_HEADS] * (_LAYERS // 2)}
_DELTA = {
    "ssm.time_step_rank": _VALUE_HEADS,
    "ssm.group_count": _GROUPS,
    "ssm.inner_size": _VALUE_HEADS * _STATE,
    "rope.dimension_sections": [2, 2, 2, 2],
    "full_attention_interval": 4,
}
_KINDS: dict[str, tuple[str, Callable[[Weights, str, int], Tensors], Keys]] = {
    "attention": ("llama", _plain, {}),
    "window": (
        "gemma3",
        _windowed,
        {"attention.sliding_window": WINDOW, "attention.sliding_window_pattern": 2},
    ),
    "recurrent": ("mamba", _recurrent, _SSM | {"feed_forward_length": 0}),
    "hybrid": ("jamba", _jamba, _SSM | _MIXED),
    "short-convolution": ("lfm2", _lfm2, _MIXED | {"shortconv.l_cache": 3}),
    "delta-net": ("qwen35", _qwen35, _SSM | _DELTA),
    "experts": (
        "llama",
        _mixture,
        {"expert_count": _EXPERTS, "expert_used_count": _EXPERTS_USED},
    ),
}
KINDS: Sequence[str] = tuple(_KINDS)


def write_kind(
    path: Path, kind: str, *, seed: int = 0, noise: float = 0.0, share: float = 0.3
) -> Path:
    """A random model of one of KINDS with a byte vocabulary; it ends a reply at <|im_end|>.

    `share` is how much a block's output counts beside its input.
    """
    arch, block, extra = _KINDS[kind]
    weights = Weights(seed, noise, share)
    tokens = byte_vocab()
    scale = 1.0 if kind == "window" else _EMBD**0.5
    tensors = {
        "token_embd.weight": weights.matrix("token_embd", len(tokens), _EMBD, scale=scale),
        "output.weight": weights.matrix("output", len(tokens), _EMBD, scale=4.0),
        "token_embd_norm.weight" if arch == "lfm2" else "output_norm.weight": ones(_EMBD),
    }
    for index in range(_LAYERS):
        tensors |= block(weights, f"blk.{index}", index)
    keys: Keys = {
        "context_length": 4096,
        "embedding_length": _EMBD,
        "block_count": _LAYERS,
        "feed_forward_length": _FF,
        "attention.head_count": _HEADS,
        "attention.head_count_kv": _KV_HEADS,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "rope.dimension_count": _HEAD,
        "vocab_size": len(tokens),
    } | extra
    return write_vocab(
        path,
        tokens,
        bos=256,
        eos=258,
        add_bos=False,
        pre="qwen2",
        arch=arch,
        name=kind,
        chat_template=CHATML,
        extra_kv={f"{arch}.{key}": value for key, value in keys.items()}
        | {"tokenizer.ggml.merges": ["t h"]},
        tensors=tensors,
    )
