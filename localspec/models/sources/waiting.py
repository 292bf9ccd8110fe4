"""Waits for a server's answer while whoever watches stays in control.

A server that falters is asked once more; for the bytes of a file it is as well.
"""

import time
from collections.abc import Callable, Generator
from functools import partial
from typing import TypeVar

from localspec.models.background import Background, TookTooLong
from localspec.models.events import Event, Notice
from localspec.models.sources.hub_errors import HubFaltered, unreachable

T = TypeVar("T")
_PAUSE_S = 1.0


def answer_of(call: Callable[[], T], seconds: float, meanwhile: Event) -> Generator[Event, None, T]:
    """Yields `meanwhile` until the call returns. Raises what it raises, and SourceUnreachable when
    it takes longer than `seconds`."""
    try:
        return (yield from _waited(call, seconds, meanwhile))
    except HubFaltered as error:
        yield Notice(f"{error.message} Asking once more.")
    yield from _waited(partial(time.sleep, _PAUSE_S), 2 * _PAUSE_S, meanwhile)
    return (yield from _waited(call, seconds, meanwhile))


def _waited(call: Callable[[], T], seconds: float, meanwhile: Event) -> Generator[Event, None, T]:
    answer = Background(call).wait(seconds)
    while True:
        try:
            next(answer)
        except StopIteration as end:
            value: T = end.value
            return value
        except TookTooLong:
            raise unreachable(f"no answer within {seconds:.0f} seconds") from None
        yield meanwhile
