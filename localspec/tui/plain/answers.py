"""The events of a load or a reply, made in a thread, with the signals that come meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from signal import Signals as Number
from threading import Thread

from localspec.chat.events import Event, Failed
from localspec.errors import LocalspecError
from localspec.tui.plain.signals import Signals

_Item = Event | Number | None
_LONGEST_WAIT_S = 0.1


def follow(events: Callable[[], Iterator[Event]], signals: Signals) -> Iterator[Event | Number]:
    """Ends with the events; an exception is a Failed event."""
    queue: SimpleQueue[_Item] = SimpleQueue()
    Thread(target=_pump, args=(events, queue), daemon=True).start()
    with signals.into(queue):
        while (item := _next(queue)) is not None:
            yield item


def _next(queue: SimpleQueue[_Item]) -> _Item:
    """A signal that another thread has got doesn't end a wait: it counts when that is over."""
    while True:
        with suppress(Empty):
            return queue.get(timeout=_LONGEST_WAIT_S)


def _pump(events: Callable[[], Iterator[Event]], queue: SimpleQueue[_Item]) -> None:
    try:
        for event in events():
            queue.put(event)
    except LocalspecError as error:
        queue.put(Failed(error.message, error.hint, error.exit_code))
    except Exception as error:
        queue.put(Failed(f"The engine failed: {type(error).__name__}: {error}", fatal=True))
    finally:
        queue.put(None)
