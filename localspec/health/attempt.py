"""A call that must not hold the command: it has until a deadline, and its thread is then left."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class NoAnswer(Exception):
    """The call was not done in time."""


class Attempt(Generic[T]):
    """Begins at once, so that others can be under way meanwhile."""

    def __init__(self, call: Callable[[], T], seconds: float) -> None:
        self.seconds = seconds
        self._call = call
        self._until = time.monotonic() + seconds
        self._value: list[T] = []
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="localspec-attempt", daemon=True)
        self._thread.start()

    def result(self) -> T:
        """What the call returned; raises what it raised, or NoAnswer."""
        self._thread.join(max(0.0, self._until - time.monotonic()))
        if self._failure is not None:
            raise self._failure
        if not self._value:
            raise NoAnswer
        return self._value[0]

    def _run(self) -> None:
        try:
            self._value.append(self._call())
        except Exception as error:
            self._failure = error
