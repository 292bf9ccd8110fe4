"""Rotary positions wider than the heads they turn: llama.cpp ends the process over them."""

from localspec.errors import BrokenModelFile
from localspec.models.gguf_header import GgufHeader

_AGAIN = "Pull or copy it again."


def refuse_odd_rotation(header: GgufHeader, architecture: str) -> None:
    """Where the header tells how wide a head is."""
    for suffix in ("", "_swa"):
        width = _width(header, architecture, suffix)
        key = f"{architecture}.rope.dimension_count{suffix}"
        if width and (header.integer(key) or 0) > width:
            told = f"{key} is {header.integer(key)}, and a head is {width} wide"
            raise BrokenModelFile(f"{header.path} is damaged: {told}.", _AGAIN)
    key = f"{architecture}.rope.dimension_sections"
    sections, width = header.values.get(key), _width(header, architecture, "")
    if isinstance(sections, tuple) and width and any(isinstance(each, int) for each in sections):
        parts = [each for each in sections if isinstance(each, int)]
        if min(parts) < 0 or sum(parts) > width:
            told = f"{key} is {sum(parts)} in all, and a head is {width} wide"
            raise BrokenModelFile(f"{header.path} is damaged: {told}.", _AGAIN)


def _width(header: GgufHeader, architecture: str, suffix: str) -> int:
    """0 where it isn't told: with another number of heads in each layer, say."""
    told = header.integer(f"{architecture}.attention.key_length{suffix}")
    told = told or header.integer(f"{architecture}.attention.key_length")
    heads = header.values.get(f"{architecture}.attention.head_count")
    if told or not isinstance(heads, int) or heads <= 0:
        return told or 0
    return (header.integer(f"{architecture}.embedding_length") or 0) // heads
