"""Prompt lookup: what followed the last time these tokens stood here (Saxena 2023)."""

from collections.abc import Iterator

import numpy as np

from localspec.engine.interface import Draft, Tokens
from localspec.engine.sampling import Sampler

MIN_MATCH = 3
"""A shorter match is chance more often than repetition."""
MAX_MATCH = 12


class NgramDrafter:
    """Copies the continuation of the longest, then latest, earlier match of the last tokens."""

    name = "ngram"
    off_reason = ""

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        return iter(())

    def draft(self, tokens: Tokens, max_tokens: int, sampler: Sampler) -> Draft:
        end = longest_match(tokens)
        if end is None:
            return Draft()
        guess = tokens[end + 1 : end + 1 + max_tokens]
        return Draft(tuple(guess.tolist()), source=self.name)

    def commit(self, tokens: Tokens) -> None:
        return None


def longest_match(tokens: Tokens) -> int | None:
    """Where the best earlier match of the last tokens ends; None when none is long enough."""
    ends = np.flatnonzero(tokens[:-1] == tokens[-1])
    matched = 1
    for length in range(2, min(MAX_MATCH, len(tokens) - 1) + 1):
        longer = ends[ends >= length - 1]
        longer = longer[tokens[longer - length + 1] == tokens[-length]]
        if len(longer) == 0:
            break
        ends, matched = longer, length
    return int(ends[-1]) if matched >= MIN_MATCH else None
