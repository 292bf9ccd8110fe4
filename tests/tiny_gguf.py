"""Tiny GGUF files for tests: vocabulary-only headers, and a random model that llama.cpp loads."""

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def byte_tokens() -> list[str]:
    """The 256 tokens of a byte-level vocabulary, as GPT-2 spells them; id = byte value."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = iter(range(256, 512))
    return [chr(byte) if byte in visible else chr(next(hidden)) for byte in range(256)]


def byte_vocab(size: int | None = None) -> list[str]:
    """Bytes, the control tokens from id 256, one merged token, padded to `size` as Qwen does."""
    tokens = [*byte_tokens(), *CONTROL, "th"]
    return tokens + [f"[PAD{i}]" for i in range(len(tokens), size or 0)]


def write_vocab(
    path: Path,
    tokens: Sequence[str],
    *,
    type: str = "gpt2",
    bos: int | None = None,
    eos: int | None = None,
    add_bos: bool | None = None,
    add_eos: bool | None = None,
    pre: str | None = "default",
    arch: str = "llama",
    name: str = "tiny",
    chat_template: str | None = None,
    extra_kv: Mapping[str, Any] | None = None,
    tensors: Mapping[str, np.ndarray] | None = None,
) -> Path:
    """A header with a vocabulary; one small tensor unless `tensors` says otherwise ({} is none)."""
    writer = gguf.GGUFWriter(path, arch)
    writer.add_name(name)
    writer.add_tokenizer_model(type)
    if pre is not None:
        writer.add_tokenizer_pre(pre)
    writer.add_token_list(list(tokens))
    writer.add_token_types([_token_type(token) for token in tokens])
    _add_specials(writer, bos, eos, add_bos, add_eos)
    if chat_template is not None:
        writer.add_chat_template(chat_template)
    for key, value in (extra_kv or {}).items():
        _add_value(writer, key, value)
    default = {"token_embd.weight": np.zeros((4, 8), np.float32)}
    for tensor_name, array in (default if tensors is None else tensors).items():
        writer.add_tensor(tensor_name, array)
    return _written(writer, path)


def write_model(
    path: Path,
    *,
    n_vocab: int | None = None,
    n_layer: int = 2,
    n_embd: int = 64,
    n_ctx_train: int = 512,
    seed: int = 0,
    spread: float = 1.0,
    noise: float = 0.0,
    chat_template: str | None = CHATML,
    name: str = "tiny",
) -> Path:
    """A random llama model with a byte vocabulary. `spread` scales the logits: more is surer.

    It ends a reply at <|im_end|> and adds no BOS. Equal arguments give equal weights; a little
    `noise` on the same seed gives a draft that often agrees.
    """
    tokens = byte_vocab(n_vocab)
    model = {
        "llama.context_length": n_ctx_train,
        "llama.embedding_length": n_embd,
        "llama.block_count": n_layer,
        "llama.feed_forward_length": 2 * n_embd,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": n_embd // 4,
        "llama.vocab_size": len(tokens),
        "tokenizer.ggml.merges": ["t h"],
    }
    return write_vocab(
        path,
        tokens,
        bos=256,
        eos=258,
        add_bos=False,
        pre="qwen2",
        name=name,
        chat_template=chat_template,
        extra_kv=model,
        tensors=_weights(len(tokens), n_layer, n_embd, seed, spread, noise),
    )


def _weights(
    n_vocab: int, n_layer: int, n_embd: int, seed: int, spread: float, noise: float
) -> dict[str, np.ndarray]:
    def matrix(name: str, rows: int, columns: int, scale: float = 1.0) -> np.ndarray:
        # Drawn row by row for each name: models of one seed agree on the common vocabulary.
        key = zlib.crc32(name.encode())
        values = np.random.default_rng([seed, key]).standard_normal((rows, columns))
        if noise:
            values += noise * np.random.default_rng([seed + 1, key]).standard_normal(values.shape)
        return (values * (scale / columns**0.5)).astype(np.float32)

    def block(number: int) -> dict[str, np.ndarray]:
        shapes = {
            "attn_q": (n_embd, n_embd),
            "attn_k": (n_embd // 2, n_embd),
            "attn_v": (n_embd // 2, n_embd),
            "attn_output": (n_embd, n_embd),
            "ffn_gate": (2 * n_embd, n_embd),
            "ffn_up": (2 * n_embd, n_embd),
            "ffn_down": (n_embd, 2 * n_embd),
        }
        names = {part: f"blk.{number}.{part}.weight" for part in [*shapes, "attn_norm", "ffn_norm"]}
        norms = {names[part]: ones for part in ("attn_norm", "ffn_norm")}
        return norms | {names[part]: matrix(names[part], *shape) for part, shape in shapes.items()}

    ones = np.ones(n_embd, np.float32)
    tensors = {"output_norm.weight": ones}
    for number in range(n_layer):
        tensors |= block(number)
    tensors["token_embd.weight"] = matrix("token_embd", n_vocab, n_embd, n_embd**0.5)
    tensors["output.weight"] = matrix("output", n_vocab, n_embd, 2 * spread)
    return tensors


def _token_type(token: str) -> int:
    if token in CONTROL:
        return int(gguf.TokenType.CONTROL)
    unused = token.startswith("[PAD")
    return int(gguf.TokenType.UNUSED if unused else gguf.TokenType.NORMAL)


def _add_specials(
    writer: gguf.GGUFWriter,
    bos: int | None,
    eos: int | None,
    add_bos: bool | None,
    add_eos: bool | None,
) -> None:
    if bos is not None:
        writer.add_bos_token_id(bos)
    if eos is not None:
        writer.add_eos_token_id(eos)
    if add_bos is not None:
        writer.add_add_bos_token(add_bos)
    if add_eos is not None:
        writer.add_add_eos_token(add_eos)


def _add_value(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    add = {
        bool: writer.add_bool,
        int: writer.add_uint32,
        float: writer.add_float32,
        str: writer.add_string,
        list: writer.add_array,
    }
    add[type(value)](key, value)


def _written(writer: gguf.GGUFWriter, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
