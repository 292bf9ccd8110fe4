"""A pull on the command line: live lines on a terminal, plain lines elsewhere, or JSON lines."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Protocol, TypeVar

from localspec.cli.failure import printable
from localspec.cli.pull_words import event_lines, progress_text

if TYPE_CHECKING:
    from localspec.models.events import Event, Progress

T = TypeVar("T")
_PLAIN_EVERY_S = 5.0
_JSON_EVERY_S = 0.5


class Sink(Protocol):
    def show(self, event: Event) -> None: ...

    def close(self) -> None: ...


def follow(events: Iterator[Event], *, quiet: bool = False, as_json: bool = False) -> None:
    """Show the events until they end; whatever ends it, the generator is closed."""
    sink = _sink(quiet, as_json)
    with closing(sink), closing(events):  # type: ignore[type-var]
        for event in events:
            sink.show(event)


def answer(asking: Generator[Event, None, T], *, quiet: bool = False) -> T:
    """Show the events; what the generator returns is the answer."""
    kept: list[T] = []

    def events() -> Iterator[Event]:
        kept.append((yield from asking))

    follow(events(), quiet=quiet)
    return kept[0]


def _sink(quiet: bool, as_json: bool) -> Sink:
    if as_json:
        return JsonLines()
    if quiet:
        return Nothing()
    dumb = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if sys.stderr.isatty() and not dumb:
        from localspec.cli.live_lines import LiveLines

        return LiveLines()
    return PlainLines()


class Nothing:
    def show(self, event: Event) -> None:
        pass

    def close(self) -> None:
        pass


class JsonLines:
    """Every event as an object on stdout, progress not more than twice a second."""

    def __init__(self) -> None:
        self._rate = Rate(_JSON_EVERY_S)

    def show(self, event: Event) -> None:
        from localspec.models.events import Progress

        if isinstance(event, Progress) and not self._rate.allows(event):
            return
        fields = {"event": type(event).__name__.lower()} | asdict(event)
        print(json.dumps(fields, default=str), flush=True)  # noqa: T201

    def close(self) -> None:
        pass


class PlainLines:
    """Text on stderr without a terminal's codes, about one line in five seconds."""

    def __init__(self) -> None:
        self._rate = Rate(_PLAIN_EVERY_S)

    def show(self, event: Event) -> None:
        from localspec.models.events import Progress

        if isinstance(event, Progress):
            if self._rate.allows(event):
                say(f"{event.role}: {progress_text(event)}")
        else:
            for line in event_lines(event):
                say(line)

    def close(self) -> None:
        pass


class Rate:
    """Lets through what changes the state or the file, and the rest now and then."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._last = ("", "")
        self._at = 0.0

    def allows(self, event: Progress) -> bool:
        key, now = (event.file, event.state), time.monotonic()
        if key == self._last and now - self._at < self._every_s:
            return False
        self._last, self._at = key, now
        return True


def say(line: str) -> None:
    print(printable(line), file=sys.stderr, flush=True)  # noqa: T201
