"""What keys and values are kept as, and which kinds a model can take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from localspec.errors import UsageError
from localspec.settings import CACHE_TYPES, FlashAttention

TYPES = {
    "f32": (0, 1, 4),
    "f16": (1, 1, 2),
    "bf16": (30, 1, 2),
    "q8_0": (8, 32, 34),
    "q5_1": (7, 32, 24),
    "q5_0": (6, 32, 22),
    "q4_1": (3, 32, 20),
    "q4_0": (2, 32, 18),
    "iq4_nl": (20, 32, 18),
}
"""Name -> ggml type, numbers in a block, bytes of a block."""


@dataclass(frozen=True, slots=True)
class CacheFormat:
    """How attention keeps what it has read."""

    keys: str = "f16"
    values: str = "f16"
    flash_attention: FlashAttention = "auto"
    coarse: bool = False
    """8-bit instead where that is faster: for a draft, whose every guess is checked, never for a
    target."""

    @property
    def element_bytes(self) -> float:
        """Bytes of a key's and a value's number together."""
        return sum(size / count for _, count, size in (TYPES[self.keys], TYPES[self.values]))

    def __str__(self) -> str:
        types = self.keys if self.keys == self.values else f"{self.keys}/{self.values}"
        coarse = "+" if self.coarse else ""
        return f"{types}{coarse}, flash attention {self.flash_attention}"


def refuse_unfit(
    cache: CacheFormat, name: str, head_dims: Iterable[int], equal_types: bool, prefix: str = ""
) -> None:
    """Raise UsageError for what llama.cpp refuses or ends the process on.

    `head_dims` are all sizes of a head in the model `name`, `equal_types` says whether keys and
    values must be of one type, `prefix` is `draft-` for a draft's options.
    """
    option = f"--{prefix}cache-type"
    for kind in (cache.keys, cache.values):
        if kind not in TYPES:
            names = ", ".join(CACHE_TYPES)
            raise UsageError(f"There is no cache type {kind!r}.", f"Choose one of: {names}.")
        block = TYPES[kind][1]
        odd = [size for size in head_dims if size % block]
        if odd:
            raise UsageError(
                f"{option} {kind}: it takes {block} numbers at a time, and {name} has heads of"
                f" {odd[0]}.",
                f"Use {option} f16.",
            )
    if TYPES[cache.values][1] > 1 and cache.flash_attention == "off":
        raise UsageError(
            f"{option} {cache.values}: values of fewer than 16 bits need flash attention.",
            "Leave --flash-attention off out, or give values 16 bits (q8_0/f16, say).",
        )
    if equal_types and cache.keys != cache.values:
        raise UsageError(
            f"{option} {cache.keys}/{cache.values}: {name} keeps keys and values together.",
            "Give one type for both.",
        )
