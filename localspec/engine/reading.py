"""A cache brought to the tokens that it is to hold: what they share with it is kept."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from localspec.engine.arrays import Tokens
from localspec.engine.interface import Decoder


def common_prefix(first: Tokens, second: Tokens) -> int:
    """How many leading ids two sequences share."""
    length = min(len(first), len(second))
    differs = np.flatnonzero(first[:length] != second[:length])
    return int(differs[0]) if len(differs) else length


def read_in_chunks(decoder: Decoder, tokens: Tokens) -> Generator[tuple[int, int], None, None]:
    """Bring a cache to `tokens`, yielding (read, total) after each chunk."""
    keep = common_prefix(decoder.tokens, tokens)
    if keep < len(decoder.tokens):
        decoder.rollback(keep)
    while (start := len(decoder.tokens)) < len(tokens):
        decoder.decode(tokens[start : start + decoder.max_batch], 0)
        yield len(decoder.tokens), len(tokens)


def read_whole(decoder: Decoder, tokens: Tokens) -> None:
    """Bring a cache to `tokens` where nobody watches."""
    for _ in read_in_chunks(decoder, tokens):
        continue
