"""How far a pull is, as its events tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from localspec.models.events import Event, Notice, Plan, Progress
from localspec.models.records import Role

_DOING = {
    "asking": "asking the hub",
    "reading": "reading headers",
    "downloading": "downloading",
    "waiting": "waiting for an answer",
    "checking": "checking",
    "present": "downloading",
}

_ROLES: tuple[Role, ...] = ("target", "draft")


@dataclass(frozen=True, slots=True)
class PulledFile:
    role: Role
    file: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Part:
    """One model's files together."""

    role: Role
    done: int
    total: int

    @property
    def share(self) -> float:
        return self.done / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class PullProgress:
    """Events go in, a new one comes out."""

    name: str
    """What was asked for; as the plan says once that is known."""
    files: tuple[PulledFile, ...] = ()
    """All that the pair needs, those that are here already among them."""
    doing: str = "asking the hub"
    role: Role | None = None
    """What is being fetched or checked."""
    bytes_per_second: float = 0.0
    notice: str = ""
    """The newest sentence that it had to say."""

    def after(self, event: Event) -> PullProgress:
        match event:
            case Plan():
                files = tuple(
                    PulledFile(file.role, file.file, file.bytes - file.missing_bytes, file.bytes)
                    for file in event.files
                )
                return replace(self, name=event.name, files=files)
            case Notice():
                return replace(self, notice=event.text)
            case Progress():
                return self._moved(event)
        return self

    @property
    def parts(self) -> tuple[Part, ...]:
        """The target, then the draft if there is one."""
        return tuple(
            Part(role, *_sums(files))
            for role in _ROLES
            if (files := [file for file in self.files if file.role == role])
        )

    @property
    def share(self) -> float | None:
        """Of all bytes; None before the plan."""
        done, total = _sums(self.files)
        return done / total if total else None

    @property
    def seconds_left(self) -> float | None:
        done, total = _sums(self.files)
        return (total - done) / self.bytes_per_second if self.bytes_per_second > 0 else None

    def _moved(self, event: Progress) -> PullProgress:
        fetching = event.state in ("downloading", "waiting", "present")
        # A header that is read has the name of its file, and its bytes are not that file's.
        moved = [
            replace(file, done=min(event.done, file.total))
            if fetching and (file.role, file.file) == (event.role, event.file)
            else file
            for file in self.files
        ]
        doing = _DOING[event.state]
        if event.state == "checking" and event.total:
            doing += f" {event.done / event.total:.0%}"
        rate = event.bytes_per_second if event.state == "downloading" else 0.0
        return replace(
            self, files=tuple(moved), doing=doing, role=event.role, bytes_per_second=rate
        )


def _sums(files: Iterable[PulledFile]) -> tuple[int, int]:
    listed = list(files)
    return sum(file.done for file in listed), sum(file.total for file in listed)
