"""What a search for drafts finds: candidates, refusals with their reasons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from localspec.models.catalog.entries import ModelFile, Pair
from localspec.models.drafts.gain import Gain

Basis = Literal["header", "verified", "listed", "family", "name"]
"""Headers were compared; else the catalog says so of the pair, verified or not; or both are of one
family there; or a file's name and the size of its vocabulary say so."""

BASIS_WORDS: dict[Basis, str] = {
    "header": "its header fits",
    "verified": "the catalog has verified the pair",
    "listed": "the catalog lists the pair",
    "family": "the catalog has the family",
    "name": "its name and the size of its vocabulary suggest it",
}


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
    basis: Basis
    """Why it is said to fit."""
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
