"""The rate that a draft must beat, and the tries while nothing seems to pay."""

from __future__ import annotations

_PRIOR_ROUNDS = 16.0
_DECAY = 0.97


class Pace:
    """Tokens per second of the recent rounds, by the cost table, starting from what is expected."""

    def __init__(self, expected_rate: float) -> None:
        self._tokens = _PRIOR_ROUNDS
        self._seconds = _PRIOR_ROUNDS / expected_rate

    @property
    def rate(self) -> float:
        return self._tokens / self._seconds

    def observe(self, num_tokens: int, seconds: float) -> None:
        self._tokens = self._tokens * _DECAY + num_tokens
        self._seconds = self._seconds * _DECAY + seconds


class Allowance:
    """What drafts may cost a reply against plain decoding, in tokens: a little at first, then what
    they have gained. Estimates can be wrong; this bounds what that costs."""

    GRANT, FREE_GRANT = 5.0, 1.8
    """Of all drafts, and of free ones alone, which know less of what they say."""
    SHARE = 0.01

    def __init__(self, grant: float) -> None:
        self.left = grant

    def observe(self, num_tokens: int, gained: int, cost: float) -> None:
        """A round committed `num_tokens`, `gained` of them drafted; drafting took `cost` tokens."""
        # A probe may cost more than is left; what is good again needn't pay for that first.
        self.left = max(0.0, self.left + gained - cost) + self.SHARE * num_tokens


class Probes:
    """When to ask the draft model although it doesn't seem to pay: after ever longer pauses, and
    only when what it has to read by then costs a small part of the pause."""

    FIRST, LONGEST = 12, 768
    COST_SHARE = 0.02

    def __init__(self) -> None:
        self._pause = self.FIRST
        self._quiet = 0

    def due(self, cost: float) -> bool:
        """Counts the rounds without the model; `cost` in rounds. True ends a pause, and the next
        one is twice as long."""
        self._quiet += 1
        if self._quiet <= self._pause or cost > self.COST_SHARE * self._quiet:
            return False
        self._quiet = 0
        self._pause = min(self._pause * 2, self.LONGEST)
        return True

    def observe(self, chosen: bool) -> None:
        """The model was asked because that pays."""
        if chosen:
            self._quiet, self._pause = 0, self.FIRST
