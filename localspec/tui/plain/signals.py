"""Ctrl+C and the other signals: an interruption at the prompt, an item of the queue elsewhere."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import Any

from localspec.tui.plain.nudge import nudged

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Signals:
    """Nothing is interrupted in the middle but waiting for the user."""

    def __init__(self) -> None:
        self._entering = False
        self._missed: list[int] = []
        """Those that came between two things that listen."""
        self._queue: SimpleQueue[Any] | None = None

    @contextmanager
    def handled(self) -> Iterator[None]:
        before = {}
        for name in NAMES:
            # Windows has no SIGHUP.
            if (number := getattr(signal, name, None)) is not None:
                before[number] = signal.signal(number, self._handle)
        try:
            with nudged(lambda: self._entering):
                yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def ask(self, enter: Callable[[], str]) -> str:
        """Raises KeyboardInterrupt for Ctrl+C, EOFError at the end and for the other signals."""
        try:
            self._entering = True
            self._take_missed()
            text = enter()
        finally:
            self._entering = False
        if any(number != signal.SIGINT for number in self._missed):
            raise EOFError
        return text

    @contextmanager
    def into(self, queue: SimpleQueue[Any]) -> Iterator[None]:
        """Their numbers are put there."""
        self._queue = queue
        while self._missed:
            queue.put(signal.Signals(self._missed.pop(0)))
        try:
            yield
        finally:
            self._queue = None

    def _take_missed(self) -> None:
        missed, self._missed = self._missed, []
        if missed:
            raise KeyboardInterrupt if set(missed) == {signal.SIGINT} else EOFError

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._entering and number == signal.SIGINT:
            raise KeyboardInterrupt
        if self._queue is not None:
            # Its `put` may be called in the middle of another one.
            self._queue.put(signal.Signals(number))
            return
        self._missed.append(number)
        if self._entering:
            raise EOFError
