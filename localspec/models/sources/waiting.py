"""Waits for a server's answer while whoever watches stays in control."""

from collections.abc import Callable, Generator
from typing import TypeVar

from localspec.models.background import Background, TookTooLong
from localspec.models.events import Event
from localspec.models.sources.hub_errors import unreachable

T = TypeVar("T")


def answer_of(call: Callable[[], T], seconds: float, meanwhile: Event) -> Generator[Event, None, T]:
    """Yields `meanwhile` until the call returns. Raises what it raises, and SourceUnreachable when
    it takes longer than `seconds`."""
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
