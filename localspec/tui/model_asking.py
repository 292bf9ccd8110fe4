"""What the list of models asks the disk, the machine and the hub, beside the screen."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from localspec.errors import LocalspecError
from localspec.models.events import Event
from localspec.models.fit_verdict import FitVerdict, fit_verdict
from localspec.models.placement import MemoryOf
from localspec.models.shelf import ShelfPair, shelf
from localspec.tui.aside import Aside, post

if TYPE_CHECKING:
    from localspec.models.examining import Verdict


@dataclass
class Shelved(Message):
    """What there is."""

    pairs: list[ShelfPair]


@dataclass
class MachineFound(Message):
    """Empty where it can't be asked."""

    devices: Sequence[MemoryOf]


@dataclass
class Judged(Message):
    """Whether a pair fits."""

    name: str
    verdict: FitVerdict


@dataclass
class Examined(Message):
    """What a place on the hub holds, or why that can't be told."""

    place: str
    verdict: Verdict | None
    fault: str = ""


@dataclass
class SurveyFailed(Message):
    fault: str


def survey(listener: MessagePump, machine: Callable[[], Sequence[MemoryOf]]) -> Aside[Message]:
    """Shelved, then MachineFound, then a verdict on each pair."""

    def found() -> Iterator[Message]:
        pairs = shelf()
        yield Shelved(pairs)
        devices = machine()
        yield MachineFound(devices)
        for pair in pairs if devices else ():
            yield Judged(pair.name, fit_verdict(pair.name, devices))

    def end(failure: Exception | None) -> None:
        if failure is not None:
            post(listener, SurveyFailed(_told(failure)))

    return Aside(found, partial(post, listener), end)


def examination(
    listener: MessagePump, place: str, machine: Sequence[MemoryOf]
) -> Aside[Event | Examined]:
    """Ends with Examined, unless it is stopped."""

    def found() -> Generator[Event | Examined, None, None]:
        # The hub's library takes a moment to import, so that is left to the thread.
        from localspec.models.choosing import PullRequest
        from localspec.models.examining import examine

        devices = (lambda: machine) if machine else None
        verdict = yield from examine(PullRequest(place, devices=devices))
        yield Examined(place, verdict)

    def each(event: Event | Examined) -> None:
        if isinstance(event, Examined):
            post(listener, event)

    def end(failure: Exception | None) -> None:
        if failure is not None:
            post(listener, Examined(place, None, _told(failure)))

    return Aside(found, each, end)


def _told(failure: Exception) -> str:
    if isinstance(failure, LocalspecError):
        return str(failure)
    return f"That failed: {type(failure).__name__}: {failure}"
