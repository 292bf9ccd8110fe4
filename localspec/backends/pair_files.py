"""What can be said of a pair's files before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from localspec.errors import BrokenModelFile
from localspec.models import compat
from localspec.models.model_file import ModelFacts, read_model
from localspec.models.store import InstalledPair


@dataclass(frozen=True, slots=True)
class PairFacts:
    """By the headers of a pair's files."""

    target: ModelFacts
    draft: ModelFacts | None
    """None when there is none, it isn't wanted, or it is broken."""
    broken_draft: BrokenModelFile | None = None


def check_files(pair: InstalledPair, load_draft: bool) -> PairFacts:
    """llama.cpp aborts on some broken files, so headers are read first.

    Raises for the target's, and where the two don't fit. One file for both is there only if
    `add --force` was told so.
    """
    if pair.draft is None or not load_draft:
        return PairFacts(read_model(pair.target), None)
    try:
        facts = compat.check_pair(pair.target, pair.draft, allow_same=pair.source == "local")
    except BrokenModelFile as error:
        return PairFacts(read_model(pair.target), None, error)
    return PairFacts(*facts)
