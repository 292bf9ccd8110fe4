"""Prompt lookup: what followed the last time these tokens stood here (Saxena 2023)."""

from collections.abc import Iterator, Sequence

import numpy as np

from localspec.engine.interface import Proposal, Tokens
from localspec.engine.sampling import Sampler

MIN_MATCH = 3
"""A shorter match is chance more often than repetition."""
MAX_MATCH = 12


class NgramSource:
    """Copies the continuation of the longest, then latest, earlier match of the last tokens."""

    name = "suffix"
    num_evidence = 1
    off_reason = ""
    _guess: Tokens

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        return iter(())

    def propose(self, tokens: Tokens, ahead: Sequence[int], sampler: Sampler) -> Proposal | None:
        if not ahead:
            end = longest_match(tokens)
            self._guess = tokens[len(tokens) if end is None else end + 1 :]
        return Proposal(int(self._guess[len(ahead)]), 0) if len(self._guess) > len(ahead) else None

    def lag(self, tokens: Tokens, ahead: Sequence[int]) -> int:
        return 0

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
