"""What can be said of a pair's files before anything is loaded."""

from __future__ import annotations

from localspec.errors import BrokenModelFile
from localspec.models import compat
from localspec.models.model_file import read_model
from localspec.models.store import InstalledPair


def check_files(pair: InstalledPair, load_draft: bool) -> BrokenModelFile | None:
    """llama.cpp aborts on some broken files, so headers are read first.

    Returns what is wrong with the draft's file alone; raises for the target's, and where the two
    don't fit. One file for both is there only if `add --force` was told so.
    """
    if pair.draft is None or not load_draft:
        read_model(pair.target)
        return None
    try:
        compat.check_pair(pair.target, pair.draft, allow_same=pair.source == "local")
    except BrokenModelFile as error:
        read_model(pair.target)
        return error
    return None
