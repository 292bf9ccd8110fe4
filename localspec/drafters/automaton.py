"""A suffix automaton of token ids that grows at its end (Blumer et al. 1985).

A state stands for all strings that end at the same places. Its link leads to the longest suffix
that ends at more places, so the link of the whole text's state is the longest suffix of the text
that occurred before: no search is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MAX_COUNTED = 16
"""Suffixes of the text, longest first, that a new token is counted for. The exact number of
occurrences needs all of them, which in a text like "aaaa" are as many as it has tokens; ordinary
text has fewer than this."""


class Match(NamedTuple):
    """A string that occurs in the text: the last `length` tokens of what was followed."""

    state: int
    length: int


class Continuation(NamedTuple):
    """What followed a matched string."""

    token: int
    length: int
    """Of the string."""
    frequency: int
    """How often this token followed it."""
    total: int
    """How often any token did."""


class SuffixAutomaton:
    """O(1) amortised per token, with at most two states and three transitions for each.

    Ids below 0 separate texts: each may be added once, and none is ever a continuation.
    """

    def __init__(self) -> None:
        self.num_steps = 0
        """Links and transitions followed or changed while the text grew."""
        self._next: list[dict[int, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        self._count = [0]
        self._seen = [0]
        self._size = 0
        self._last = 0

    @property
    def num_states(self) -> int:
        return len(self._link)

    def extend(self, tokens: Iterable[int]) -> None:
        """Add tokens at the end."""
        for token in tokens:
            self._add(token)

    def _add(self, token: int) -> None:
        transitions, links, lengths = self._next, self._link, self._length
        self._size += 1
        new = self._state({}, self._size, 0, 0, 0)
        state = self._last
        self._last = new
        steps = 0
        while state >= 0 and token not in transitions[state]:
            transitions[state][token] = new
            state = links[state]
            steps += 1
        if state >= 0:
            target = transitions[state][token]
            if lengths[target] != lengths[state] + 1:
                target, moved = self._split(state, token, target)
                steps += moved
            links[new] = target
        self.num_steps += steps + self._observe(new)

    def _split(self, state: int, token: int, target: int) -> tuple[int, int]:
        """Part the shorter strings, which now end at one place more, from `target`'s longer ones.

        Returns their state and the number of transitions that lead to it now.
        """
        transitions, links = self._next, self._link
        clone = self._state(
            transitions[target].copy(),
            self._length[state] + 1,
            links[target],
            self._count[target],
            self._seen[target],
        )
        links[target] = clone
        moved = 0
        while state >= 0 and transitions[state].get(token) == target:
            transitions[state][token] = clone
            state = links[state]
            moved += 1
        return clone, moved

    def _state(
        self, transitions: dict[int, int], length: int, link: int, count: int, seen: int
    ) -> int:
        self._next.append(transitions)
        self._length.append(length)
        self._link.append(link)
        self._count.append(count)
        self._seen.append(seen)
        return len(self._link) - 1

    def _observe(self, state: int) -> int:
        """Count the place where the text ends now; returns the number of suffixes counted."""
        counts, seen, links, size = self._count, self._seen, self._link, self._size
        steps = 0
        while state > 0 and steps < MAX_COUNTED:
            counts[state] += 1
            seen[state] = size
            state = links[state]
            steps += 1
        return steps

    def match(self) -> Match:
        """The longest suffix of the text that also ends earlier; length 0 without one."""
        state = max(self._link[self._last], 0)
        return Match(state, self._length[state])

    def follow(self, match: Match, token: int) -> Match:
        """The longest suffix of the matched string and `token` that occurs in the text."""
        state, length = match
        while state >= 0 and token not in self._next[state]:
            state = self._link[state]
            length = self._length[state] if state >= 0 else 0
        return Match(self._next[state][token], length + 1) if state >= 0 else Match(0, 0)

    def continuation(self, match: Match) -> Continuation | None:
        """What followed the match most often, of equals the latest; None at length 0.

        A match that only ends texts gives way to its next shorter suffix.
        """
        counts, seen = self._count, self._seen
        state, length = match
        while state > 0:
            best = total = best_count = best_seen = 0
            for token, target in self._next[state].items():
                if token < 0:
                    continue
                count = counts[target]
                total += count
                if count > best_count or (count == best_count and seen[target] > best_seen):
                    best, best_count, best_seen = token, count, seen[target]
            if total:
                return Continuation(best, length, best_count, total)
            state = self._link[state]
            length = self._length[state]
        return None
