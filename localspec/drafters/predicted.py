"""Text that most of the reply will be, handed over by the user or found in the question."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np

from localspec.drafters.alignment import Alignment, How, Place
from localspec.engine.arrays import Tokens
from localspec.engine.interface import Proposal
from localspec.engine.reading import common_prefix
from localspec.engine.sampling import Sampler

RUN_EDGES = (1, 2, 4, 8, 16, 32)
"""The longest run of each bucket but the last."""
_NUM_RUNS = len(RUN_EDGES) + 1
_NUM_GUESSES = 3
NUM_EVIDENCE = _NUM_GUESSES + 3 * _NUM_RUNS


def evidence(place: Place) -> int:
    """The row of a guess: how its place was found, by how many tokens have matched since.

    The first three are guesses with nothing matched: at the reply's start, right after a
    difference, and further behind one.
    """
    if place.how is How.GUESSED:
        return min(place.gap, _NUM_GUESSES - 1)
    return _NUM_GUESSES + (place.how - 1) * _NUM_RUNS + bisect_left(RUN_EDGES, place.run)


class PredictedSource:
    """Follows texts, each a sequence of ids, for one reply at a time.

    `prepare` says where the reply begins; without it, all tokens are the reply's.
    """

    name = "predicted"
    num_evidence = NUM_EVIDENCE
    off_reason = ""

    def __init__(self, texts: Sequence[Sequence[int]]) -> None:
        self._alignment = Alignment(texts)
        self._begin(np.empty(0, np.int32))

    def prepare(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        self._begin(tokens)
        return iter(())

    def propose(self, tokens: Tokens, ahead: Sequence[int], sampler: Sampler) -> Proposal | None:
        if not ahead or len(tokens) != len(self._read):
            self._catch_up(tokens)
        self._walk(list(ahead))
        token = self._alignment.token(self._place)
        return None if token is None else Proposal(token, evidence(self._place))

    def lag(self, tokens: Tokens, ahead: Sequence[int]) -> int:
        return 0

    def commit(self, tokens: Tokens) -> None:
        """Guesses only move a place that is forgotten with the round."""

    def _begin(self, prompt: Tokens) -> None:
        self._num_prompt = len(prompt)
        self._read = prompt.copy()
        self._committed = self._place = self._alignment.begin()
        self._walked: list[int] = []

    def _catch_up(self, tokens: Tokens) -> None:
        keep = common_prefix(self._read, tokens)
        if keep < len(self._read):
            # Not what was read before: follow the reply from its start again.
            keep = min(self._num_prompt, len(tokens))
            self._begin(tokens[:keep])
        for token in tokens[keep:].tolist():
            self._committed = self._alignment.step(self._committed, token)
        self._read = tokens.copy()
        self._place, self._walked = self._committed, []

    def _walk(self, ahead: list[int]) -> None:
        """Follow the guesses that have come since the last call."""
        num_walked = len(self._walked)
        if ahead[:num_walked] != self._walked:
            num_walked, self._place = 0, self._committed
        for token in ahead[num_walked:]:
            self._place = self._alignment.step(self._place, token)
        self._walked = ahead
