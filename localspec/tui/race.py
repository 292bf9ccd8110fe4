"""Two measured replies beside each other: where each of them is at a time. Plain values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from localspec.chat.events import Burst
from localspec.tui.ink import Ink
from localspec.tui.meter import Clock
from localspec.tui.untrusted import displayable

SPEEDS = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Moment:
    """How far one side is."""

    num_tokens: int
    num_inked: int
    """Characters that are there, without the white space between them."""
    seconds: float
    """Its own clock, which stands still when it is done."""
    is_over: bool

    @property
    def rate(self) -> float | None:
        """Tokens per second so far; None before the first."""
        return self.num_tokens / self.seconds if self.num_tokens and self.seconds > 0 else None


class Track:
    """One side: what it wrote, and when. The prompt was read before its clock runs."""

    def __init__(self, bursts: Sequence[Burst]) -> None:
        ink, inked = Ink(), [0]
        for burst in bursts:
            ink.put(burst.pieces)
            inked.append(inked[-1] + num_inked(displayable(burst.text)))
        self.strokes = ink.dry_all()
        self.text = "".join(stroke.text for stroke in self.strokes)
        self._inked = inked
        self._ends = list(accumulate(burst.elapsed_s for burst in bursts))
        self._tokens = [0, *accumulate(len(burst.round.tokens) for burst in bursts)]

    @property
    def num_tokens(self) -> int:
        return self._tokens[-1]

    @property
    def seconds(self) -> float:
        return self._ends[-1] if self._ends else 0.0

    def at(self, seconds: float) -> Moment:
        """What a pass wrote is there when the pass has ended."""
        passes = bisect_right(self._ends, seconds)
        over = passes == len(self._ends)
        clock = self.seconds if over else max(0.0, seconds)
        return Moment(self._tokens[passes], self._inked[passes], clock, over)


class RaceClock:
    """The time in the race: it may run faster than the wall's, and begin again."""

    def __init__(self, clock: Clock, length: float) -> None:
        self._clock = clock
        self._length = length
        self._since = clock()
        self._before = 0.0
        self._speed = 0

    @property
    def speed(self) -> int:
        return SPEEDS[self._speed]

    @property
    def seconds(self) -> float:
        return min(self._length, self._before + (self._clock() - self._since) * self.speed)

    @property
    def is_over(self) -> bool:
        return self.seconds >= self._length

    def replay(self) -> None:
        self._before, self._since = 0.0, self._clock()

    def faster(self) -> None:
        """From here on; behind the fastest comes the real time again."""
        self._before, self._since = self.seconds, self._clock()
        self._speed = (self._speed + 1) % len(SPEEDS)


def num_inked(text: str) -> int:
    """Characters that leave something on the screen."""
    return sum(not char.isspace() for char in text)


def parting(one: str, other: str) -> int | None:
    """Where two texts part, in characters; None where they don't."""
    if one == other:
        return None
    length = min(len(one), len(other))
    return next((at for at in range(length) if one[at] != other[at]), length)
