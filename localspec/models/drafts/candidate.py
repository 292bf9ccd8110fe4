"""What a search for drafts finds: candidates, refusals with their reasons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from localspec.models.catalog.entries import ModelFile, Pair
from localspec.models.drafts.gain import Gain


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft that fits: its file lies here, or the catalog says where."""

    name: str
    quant: str
    file_bytes: int | None
    ratio: float | None
    """Of the bytes that a pass reads, against the target's."""
    gain: Gain | None
    """None where no size is known."""
    basis: str
    """Why it fits, in words."""
    path: Path | None = None
    file: ModelFile | None = None
    entry: Pair | None = None
    """The entry that lists `file`."""
    in_use: bool = False

    @property
    def worth(self) -> float:
        """What it is ranked by."""
        return self.gain.speedup if self.gain else 0.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that can't draft, and why."""

    name: str
    where: str
    reason: str
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The end of a search."""

    fitting: tuple[Candidate, ...]
    """The most promising first."""
    refused: tuple[Refusal, ...]
    others: tuple[Refusal, ...]
    """Files that are no language model at all."""
