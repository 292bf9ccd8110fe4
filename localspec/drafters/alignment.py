"""Where a reply stands in a text that it mostly repeats.

The place is followed by pointer. After a difference it is found again by the last tokens of the
reply: first near the pointer, so that replaced, deleted and inserted stretches are bridged, then
anywhere in the text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

NEAR_BEFORE, NEAR_AFTER = 64, 256
"""How far from the difference two matching tokens are enough."""
ONE_AFTER = 24
"""How far after the difference one matching token is enough."""
FAR = 3
"""Tokens that must match to go on anywhere in the text."""
FIRM = 3
"""From so many matching tokens on, the next difference is a new one."""
MAX_GUESSES = 8
"""Tokens after a difference for which a replacement of equal length is assumed."""
_MAX_MATCH = 8
_MAX_CANDIDATES = 16
"""Places looked at on each side of the difference."""


class How(IntEnum):
    """How a place was found."""

    GUESSED = 0
    """Not at all: the text is assumed to go on where as many tokens were replaced."""
    FOLLOWED = 1
    """The pointer, or such a guess, was right."""
    NEAR = 2
    FAR = 3


class Place(NamedTuple):
    """Where the reply is in the text."""

    pointer: int
    """Index of the next token; -1 where there is no guess."""
    run: int
    """Tokens matched since the last difference."""
    how: How
    anchor: int
    """Where the text was left at the last difference."""
    gap: int
    """Tokens of the reply since then."""
    last: tuple[int, ...]
    """The reply's last tokens, as many as a search compares."""


class Alignment:
    """Finds places in texts, each a sequence of ids. O(1) a token: candidates are bounded."""

    def __init__(self, texts: Sequence[Sequence[int]]) -> None:
        self.tokens: list[int] = []
        """The texts in a row, each ended by an id below 0 of its own."""
        self.starts: list[int] = []
        for index, text in enumerate(texts):
            self.starts.append(len(self.tokens))
            self.tokens += [*text, -1 - index]
        self._ends: dict[int, list[int]] = {}
        self._far_ends: dict[tuple[int, ...], list[int]] = {}
        for end, token in enumerate(self.tokens, start=1):
            self._ends.setdefault(token, []).append(end)
        for end in range(FAR, len(self.tokens) + 1):
            self._far_ends.setdefault(tuple(self.tokens[end - FAR : end]), []).append(end)

    def token(self, place: Place) -> int | None:
        """What the text says next."""
        if not 0 <= place.pointer < len(self.tokens) or self.tokens[place.pointer] < 0:
            return None
        return self.tokens[place.pointer]

    def begin(self) -> Place:
        """The place of an empty reply."""
        return Place(0, 0, How.GUESSED, 0, 0, ())

    def step(self, place: Place, token: int) -> Place:
        """The place after one more token of the reply."""
        last = (*place.last, token)[-_MAX_MATCH:]
        if self.token(place) == token:
            how = How.FOLLOWED if place.how is How.GUESSED else place.how
            return Place(place.pointer + 1, place.run + 1, how, place.anchor, place.gap + 1, last)
        # A short run was perhaps chance: then the difference before it is still the one to bridge.
        anchor, gap = place.anchor, place.gap + 1
        if place.run >= FIRM:
            anchor, gap = place.pointer, 1
        return self._found(anchor, gap, last) or self._guessed(anchor, gap, last)

    def _guessed(self, anchor: int, gap: int, last: tuple[int, ...]) -> Place:
        inside = anchor > 0 and gap <= MAX_GUESSES and min(self.tokens[anchor : anchor + gap]) >= 0
        return Place(anchor + gap if inside else -1, 0, How.GUESSED, anchor, gap, last)

    def _found(self, anchor: int, gap: int, last: tuple[int, ...]) -> Place | None:
        best: tuple[int, int, int] | None = None
        for end in _around(self._ends.get(last[-1], ()), anchor, NEAR_BEFORE, NEAR_AFTER):
            matched = self._matched(end, last)
            if matched == 1 and not self._is_enough(end, anchor, gap):
                continue
            # What was skipped may have been deleted; what comes again is rarer.
            distance = end - anchor if end >= anchor else 2 * (anchor - end)
            best = max(best or (0, 0, 0), (min(matched, 4), -distance, end))
        if best is not None:
            return Place(best[2], best[0], How.NEAR, anchor, gap, last)
        far = self._far_ends.get(last[-FAR:], ())
        ends = _around(far, anchor, len(self.tokens), len(self.tokens))
        if not ends:
            return None
        matched, _, end = max((self._matched(end, last), -abs(end - anchor), end) for end in ends)
        return Place(end, matched, How.FAR, anchor, gap, last)

    def _is_enough(self, end: int, anchor: int, gap: int) -> bool:
        """Whether one matching token is a place to go on from."""
        if anchor == 0 or self.tokens[anchor - 1] < 0:
            return end - 1 in self.starts
        return 0 <= end - anchor <= ONE_AFTER

    def _matched(self, end: int, last: tuple[int, ...]) -> int:
        """How many of the last tokens stand before `end`."""
        matched = 0
        while (
            matched < min(len(last), end) and self.tokens[end - 1 - matched] == last[-1 - matched]
        ):
            matched += 1
        return matched


def _around(ends: Sequence[int], anchor: int, before: int, after: int) -> Sequence[int]:
    """The nearest of ascending places on both sides."""
    middle = bisect_left(ends, anchor)
    low = max(bisect_left(ends, anchor - before), middle - _MAX_CANDIDATES)
    high = min(bisect_left(ends, anchor + after + 1), middle + _MAX_CANDIDATES)
    return ends[low:high]
