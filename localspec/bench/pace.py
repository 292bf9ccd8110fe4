"""How far a measurement is, and how long the rest will take."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic


class Pace:
    """Every run counts the same: arms alternate, so a mean over all of them is soon fair."""

    def __init__(self, num_runs: int, clock: Callable[[], float] = monotonic) -> None:
        self.num_runs = num_runs
        self.num_done = 0
        self._clock = clock
        self._began = self._first = self._last = clock()

    def start(self) -> None:
        """The first run begins: what came before was warming up."""
        self._first = self._last = self._clock()

    def finish(self) -> None:
        """A run has ended."""
        self.num_done += 1
        self._last = self._clock()

    @property
    def elapsed_s(self) -> float:
        return self._clock() - self._began

    @property
    def left_s(self) -> float | None:
        """None before the first run has ended."""
        if self.num_done == 0:
            return None
        each = (self._last - self._first) / self.num_done
        rest = each * (self.num_runs - self.num_done)
        return max(0.0, rest - (self._clock() - self._last))


def clock_text(seconds: float) -> str:
    """`0:07`, `12:40`, `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
