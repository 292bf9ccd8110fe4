"""Numbers of a header that llama.cpp would abort on, or that no model has: refused by sentence."""

import re
from collections.abc import Iterable

from localspec.errors import BrokenModelFile
from localspec.models.gguf_cursor import StringArray
from localspec.models.gguf_header import GgufHeader
from localspec.models.rotation_limits import refuse_odd_rotation

_MAX_LAYERS = 512
"""llama.cpp asserts this one, which ends the process."""
_MIN_CONTEXT, _MAX_CONTEXT = 32, 2**31 - 1
"""Less holds no question; llama.cpp asserts that a batch, of the context's size at most, holds two
tokens."""
_MAX_WIDTH = 2**20
_MAX_EXPERTS = 1024
_PASSING = {9: "Q8_1", 15: "Q8_K"}
"""What a pass makes of its own numbers."""
_BLOCK = re.compile(r"(?:^|\.)blk\.(\d{1,6})\.")
_ROTATED = ("rope.dimension_count", "rope.dimension_count_swa")
_EPSILONS = (
    "attention.layer_norm_rms_epsilon",
    "attention.layer_norm_epsilon",
    "attention.group_norm_epsilon",
)
_HEADS = ("attention.head_count", "attention.head_count_kv")


def refuse_absurd(header: GgufHeader, tensor_names: Iterable[str]) -> None:
    """`tensor_names` are those of every part. A number that the header leaves out is no fault."""
    architecture = header.text("general.architecture")
    _refuse_outside(header, f"{architecture}.block_count", 1, _MAX_LAYERS)
    _refuse_outside(header, f"{architecture}.context_length", _MIN_CONTEXT, _MAX_CONTEXT)
    _refuse_outside(header, f"{architecture}.embedding_length", 1, _MAX_WIDTH)
    # Files of models without attention (Mamba, RWKV) say 0 heads.
    least = 0 if _is_recurrent(header, architecture) else 1
    for key in _HEADS:
        _refuse_outside(header, f"{architecture}.{key}", least, _MAX_WIDTH)
    _refuse_missing_layers(header, architecture, tensor_names)
    # llama.cpp divides by it.
    _refuse_outside(header, f"{architecture}.full_attention_interval", 1, _MAX_CONTEXT)
    _refuse_odd_mixture(header, architecture)
    for key in _ROTATED:
        _refuse_half_pairs(header, f"{architecture}.{key}")
    refuse_odd_rotation(header, architecture)
    for key in _EPSILONS:
        _refuse_odd_epsilon(header, f"{architecture}.{key}")
    if architecture == "jamba":
        _refuse_other_jamba(header)


def refuse_odd_kinds(header: GgufHeader) -> None:
    """llama.cpp loads weights of these types, and then calls what isn't there."""
    for tensor in header.tensors.values():
        if tensor.kind in _PASSING:
            told = f"{header.path} is damaged: a tensor has type {_PASSING[tensor.kind]}"
            raise BrokenModelFile(f"{told}, which no model has.", "Pull or copy it again.")


def refuse_repeated_tokens(header: GgufHeader, tokens: StringArray) -> None:
    """llama.cpp asserts that no two tokens read alike, which ends the process."""
    import numpy as np

    # As llama.cpp reads them: up to a NUL, and none twice that are empty.
    texts = (tokens.raw(index).partition(b"\0")[0] for index in range(len(tokens)))
    hashes = np.fromiter(
        (hash(text) if text else index for index, text in enumerate(texts)), np.int64
    )
    ordered = np.sort(hashes)
    for alike in ordered[1:][ordered[1:] == ordered[:-1]][:100]:
        one, other = np.flatnonzero(hashes == alike)[:2].tolist()
        if tokens.raw(one).partition(b"\0")[0] == tokens.raw(other).partition(b"\0")[0]:
            told = f"{header.path} is damaged: tokens {one} and {other} are the same text."
            raise BrokenModelFile(told, "Pull or copy it again.")


def _refuse_outside(header: GgufHeader, key: str, least: int, most: int) -> None:
    value = header.integer(key)
    if value is not None and not least <= value <= most:
        told = f"{header.path} is damaged: {key} is {value}, outside {least} to {most}."
        raise BrokenModelFile(told, "Pull or copy it again.")


def _refuse_odd_mixture(header: GgufHeader, architecture: str) -> None:
    """llama.cpp asserts each of these, whatever the architecture."""

    def number(key: str) -> int:
        return header.integer(f"{architecture}.{key}") or 0

    experts, used = number("expert_count"), number("expert_used_count")
    groups, groups_used = number("expert_group_count"), number("expert_group_used_count")
    if not 0 <= experts <= _MAX_EXPERTS:
        fault = f"expert_count is {experts}, outside 0 to {_MAX_EXPERTS}"
    elif used > experts or (experts and used < 1):
        fault = f"{used} of {experts} experts are used"
    elif experts and groups > 1 and (groups >= experts or experts % groups):
        fault = f"{experts} experts are in {groups} groups"
    elif experts and groups > 1 and not 0 < groups_used < groups:
        fault = f"{groups_used} of {groups} groups of experts are used"
    else:
        return
    raise BrokenModelFile(f"{header.path} is damaged: {fault}.", "Pull or copy it again.")


def _refuse_half_pairs(header: GgufHeader, key: str) -> None:
    """Positions turn pairs of numbers: llama.cpp asserts that none is halved, and never comes to an
    end over none at all."""
    count = header.integer(key)
    if count is not None and (count == 0 or count % 2):
        told = f"{header.path} is damaged: {key} is {count}, no number of pairs."
        raise BrokenModelFile(told, "Pull or copy it again.")


def _refuse_odd_epsilon(header: GgufHeader, key: str) -> None:
    """llama.cpp asserts that it isn't negative; NaN is no number at all."""
    value = header.values.get(key)
    if isinstance(value, float) and not 0 <= value < 1:
        told = f"{header.path} is damaged: {key} is {value}."
        raise BrokenModelFile(told, "Pull or copy it again.")


def _refuse_missing_layers(header: GgufHeader, architecture: str, names: Iterable[str]) -> None:
    announced = header.integer(f"{architecture}.block_count") or 0
    held = max((int(match[1]) + 1 for name in names if (match := _BLOCK.search(name))), default=0)
    # Some files count prediction layers that were stripped from them.
    if announced > held + (header.integer(f"{architecture}.nextn_predict_layers") or 0):
        told = f"{header.path} is damaged: it announces {announced} layers and holds {held}."
        raise BrokenModelFile(told, "Pull or copy it again.")


def _refuse_other_jamba(header: GgufHeader) -> None:
    """llama.cpp asserts that a state is twice as wide as the model, which ends the process."""
    inner, width = (
        header.integer(f"jamba.{key}") or 0 for key in ("ssm.inner_size", "embedding_length")
    )
    if inner != 2 * width:
        told = f"{header.path} is damaged: jamba.ssm.inner_size is {inner}, not {2 * width}."
        raise BrokenModelFile(told, "Pull or copy it again.")


def _is_recurrent(header: GgufHeader, architecture: str) -> bool:
    prefixes = (f"{architecture}.ssm.", f"{architecture}.wkv.")
    return any(key.startswith(prefixes) for key in header.values)
