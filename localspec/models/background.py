"""A call in a thread that can be given up on: looking up a host name can't be interrupted."""

import threading
import time
from collections.abc import Callable, Generator
from typing import Generic, TypeVar

T = TypeVar("T")
_POLL_S = 0.2


class TookTooLong(Exception):
    """The call didn't return in time; its thread is left to itself."""


class Background(Generic[T]):
    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._ended = threading.Event()
        self._value: list[T] = []
        self._failure: BaseException | None = None

    def wait(self, seconds: float) -> Generator[None, None, T]:
        """Yields a few times a second; returns what the call returned, raises what it raised."""
        threading.Thread(target=self._run, name="localspec-ask", daemon=True).start()
        deadline = time.monotonic() + seconds
        while not self._ended.wait(_POLL_S):
            if time.monotonic() > deadline:
                raise TookTooLong
            yield
        if self._failure is not None:
            raise self._failure
        return self._value[0]

    def _run(self) -> None:
        try:
            self._value.append(self._call())
        except BaseException as error:
            self._failure = error
        finally:
            self._ended.set()
