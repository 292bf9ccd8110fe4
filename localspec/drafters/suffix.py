"""What followed the last time these tokens stood here: in the prompt, the reply, or other texts.

Prompt lookup (Saxena 2023) by a suffix automaton (Hu et al. 2024; Oliaro et al. 2024): the longest
match first, and of its continuations the most frequent one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np

from localspec.drafters.automaton import SuffixAutomaton
from localspec.engine.arrays import Tokens
from localspec.engine.interface import Proposal
from localspec.engine.reading import common_prefix
from localspec.engine.sampling import Sampler

LENGTH_EDGES = (1, 2, 3, 5, 8, 16, 32)
"""The longest match of each bucket but the last."""
NUM_CERTAINTIES = 4
NUM_EVIDENCE = (len(LENGTH_EDGES) + 1) * NUM_CERTAINTIES


def evidence(length: int, frequency: int, total: int) -> int:
    """The row of a match of `length` tokens that `frequency` of `total` times went on this way.

    Eight lengths by four certainties: always, and more than once; always, but once; mostly; else.
    """
    row = bisect_left(LENGTH_EDGES, length) * NUM_CERTAINTIES
    if frequency == total:
        return row + (0 if frequency > 1 else 1)
    return row + (2 if 2 * frequency > total else 3)


class SuffixSource:
    """Has an idea wherever the last token stood before. Reads `texts` too, each by itself.

    It may be kept from reply to reply: what a prompt shares with the one before is read once.
    """

    name = "suffix"
    num_evidence = NUM_EVIDENCE
    off_reason = ""

    def __init__(self, texts: Sequence[Sequence[int]] = ()) -> None:
        self._texts = tuple(tuple(text) for text in texts)
        self.clear()

    def clear(self) -> None:
        """Forget all but the texts."""
        self._automaton = SuffixAutomaton()
        for index, text in enumerate(self._texts):
            self._automaton.extend(text)
            self._automaton.extend((-1 - index,))
        self._read = np.empty(0, np.int32)
        self._walked: list[int] = []
        self._match = self._automaton.match()

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        self._catch_up(tokens)
        return iter(())

    def propose(self, tokens: Tokens, ahead: Sequence[int], sampler: Sampler) -> Proposal | None:
        if not ahead or len(tokens) != len(self._read):
            self._catch_up(tokens)
        self._walk(list(ahead))
        found = self._automaton.continuation(self._match)
        if found is None:
            return None
        return Proposal(found.token, evidence(found.length, found.frequency, found.total))

    def lag(self, tokens: Tokens, ahead: Sequence[int]) -> int:
        return 0

    def commit(self, tokens: Tokens) -> None:
        """Guesses are never read, so there are none to forget."""

    def _catch_up(self, tokens: Tokens) -> None:
        keep = common_prefix(self._read, tokens)
        if keep < len(self._read):
            # An automaton can't shrink: after an edit all is read again.
            self.clear()
            keep = 0
        self._automaton.extend(tokens[keep:].tolist())
        self._read = tokens.copy()
        self._walked = []
        self._match = self._automaton.match()

    def _walk(self, ahead: list[int]) -> None:
        """Follow the guesses that have come since the last call."""
        num_walked = len(self._walked)
        if ahead[:num_walked] != self._walked:
            num_walked = 0
            self._match = self._automaton.match()
        for token in ahead[num_walked:]:
            self._match = self._automaton.follow(self._match, token)
        self._walked = ahead
