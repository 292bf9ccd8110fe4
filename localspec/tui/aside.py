"""Work beside the screen: a generator in a thread of its own, which nobody has to wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Generic, TypeVar

from textual.message import Message
from textual.message_pump import MessagePump

T = TypeVar("T")


class Aside(Generic[T]):
    """Textual waits for its own threads at the end, however long a driver or a server hangs."""

    def __init__(
        self,
        events: Callable[[], Iterator[T]],
        each: Callable[[T], None],
        end: Callable[[Exception | None], None],
    ) -> None:
        """`each` and `end` are called in the thread. `end` comes last, with what was raised."""
        self._events = events
        self._each = each
        self._end = end
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="localspec-aside", daemon=True)
        self._thread.start()

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """Close the generator before its next event counts."""
        self._stop.set()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _run(self) -> None:
        failure: Exception | None = None
        try:
            with closing(self._events()) as events:  # type: ignore[type-var]
                for event in events:
                    if self._stop.is_set():
                        break
                    self._each(event)
        except Exception as error:
            failure = error
        self._end(failure)


def post(listener: MessagePump, message: Message) -> None:
    """From a thread; after the screen's end nobody is left to tell."""
    try:
        listener.post_message(message)
    except RuntimeError:
        pass
