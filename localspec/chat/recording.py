"""What a backend said and when, as JSON lines: for tests, pictures and bug reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from localspec.chat.events import Event, from_json, to_json
from localspec.errors import LocalspecError


@dataclass(frozen=True, slots=True)
class Recorded:
    """One line of a recording."""

    stream: int
    """Which load or reply of the recording, from 0."""
    at: float
    """Seconds since the stream began."""
    event: Event


class Recorder:
    """Writes every event at once: a recording that ends in a crash shows the way to it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self._num_streams = 0

    def record(self, events: Iterable[Event]) -> Iterator[Event]:
        """The same events, written as they pass."""
        stream = self._num_streams
        self._num_streams += 1
        start = perf_counter()
        for event in events:
            at = perf_counter() - start
            line = f'{{"stream": {stream}, "at": {at:.6f}, "event": {to_json(event)}}}\n'
            self._file.write(line)
            self._file.flush()
            yield event

    def close(self) -> None:
        self._file.close()


def read_recording(path: Path) -> list[Recorded]:
    """Raises LocalspecError when the file is missing or not a recording."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise LocalspecError(f"The recording {path} can't be read: {error}.") from error
    recorded = []
    for number, line in enumerate(lines, start=1):
        try:
            recorded.append(_parse(line))
        except (ValueError, TypeError, KeyError) as error:
            raise LocalspecError(f"Line {number} of {path} is not a recorded event.") from error
    return recorded


def _parse(line: bytes) -> Recorded:
    fields = json.loads(line)
    event = from_json(json.dumps(fields["event"]))
    return Recorded(int(fields["stream"]), float(fields["at"]), event)
