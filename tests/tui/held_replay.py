"""A recording that is replayed at once up to a moment, and stands still there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from localspec.backends.replay import ReplayBackend
from localspec.chat.events import Burst, Event
from localspec.chat.recording import Recorded
from tests.tui.conftest import Clock


class HeldReplay(ReplayBackend):
    """Moves the screen's clock as the recording has it, so that a moment always looks the same.

    The last reply is held `after_s` seconds behind its first token; without that it ends.
    """

    def __init__(self, path: Path, clock: Clock, after_s: float | None = None) -> None:
        super().__init__(path, speed=0)
        self.is_held = False
        self._clock = clock
        self._after_s = after_s

    @property
    def num_asked(self) -> int:
        return self._next_reply

    def _paced(self, stream: list[Recorded]) -> Iterator[Event]:
        began, end = self._clock.now, self._end_of(stream)
        for recorded in stream:
            if recorded.at > end:
                self._clock.now = began + end
                self.is_held = True
                self._stopped.wait()
                return
            self._clock.now = began + recorded.at
            yield recorded.event

    def _end_of(self, stream: list[Recorded]) -> float:
        if self._after_s is None or not self._replies or stream is not self._replies[-1]:
            return float("inf")
        firsts = (recorded.at for recorded in stream if isinstance(recorded.event, Burst))
        return next(firsts) + self._after_s
