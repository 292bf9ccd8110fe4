"""What a pair of the hub is called on this disk: by its target's file, and never another's name."""

import re

from localspec.models import catalog, records
from localspec.models.offers import quant_of, stem_of
from localspec.models.selection import Wanted
from localspec.models.sources.hub_cache import place_of

_MAX_LENGTH = 90


def of_repo(first: Wanted) -> str:
    """For the first part of a target. A file's name comes from a server: only letters, digits,
    dots, dashes and underscores of it are kept."""
    user, _, repo = first.repo.partition("/")
    stem = _plain(stem_of(first.file))
    if not stem or stem.lower() == first.quant.lower():
        # Nothing is left that tells it from any other.
        stem = f"{_plain(repo)}-{first.quant}"
    elif not quant_of(stem) and first.quant:
        stem += f"-{first.quant}"
    for text in (stem, f"{stem}-{user}", f"{stem}-{user}-{repo}"):
        name = _plain(text)[:_MAX_LENGTH]
        if not _is_taken(name, first):
            return name
    return name


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")


def _is_taken(name: str, first: Wanted) -> bool:
    if catalog.find(name) is not None:
        return True
    former = records.load(name)
    target = former.first("target") if former else None
    if target is None:
        return False
    place = place_of(target.path)
    return target.repo.lower() != first.repo.lower() or not place or place[1] != first.file
