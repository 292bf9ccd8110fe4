"""An entry's files against the hub's lists: are they there, with the size and hash it names?"""

from collections.abc import Iterator
from dataclasses import dataclass

from localspec.models.catalog.entries import ModelFile, Pair
from localspec.models.offers import ListedFile
from localspec.models.selection import Wanted, wanted_parts
from localspec.models.sources.listing import Listing


@dataclass(frozen=True, slots=True)
class FileReport:
    """What the hub says of a file that the catalog names; sizes in bytes."""

    role: str
    repo: str
    file: str
    revision: str | None
    """The catalog's pin; without it the main branch was looked at."""
    commit: str | None
    bytes: int | None
    sha256: str | None
    differs: tuple[str, ...]
    """What isn't as the catalog says, each a clause."""


def files_of(pair: Pair) -> Iterator[Wanted]:
    """Every file that the entry names, those of its alternatives too."""
    others = [(other.role, file) for other in pair.alternatives if (file := other.as_file())]
    own: list[tuple[str, ModelFile]] = [("target", pair.target)]
    if pair.draft is not None:
        own.append(("draft", pair.draft))
    for role, file in (*own, *others):
        yield from wanted_parts("draft" if role == "draft" else "target", file)


def compare_file(wanted: Wanted, listing: Listing) -> FileReport:
    listed = next((each for each in listing.files if each.file == wanted.file), None)
    return FileReport(
        role=wanted.role,
        repo=wanted.repo,
        file=wanted.file,
        revision=wanted.revision,
        commit=listing.commit,
        bytes=listed.bytes if listed else None,
        sha256=listed.sha256 if listed else None,
        differs=tuple(_differences(wanted, listed)),
    )


def absent(wanted: Wanted, why: str) -> FileReport:
    """The repository or the revision is gone, and the file with it."""
    return FileReport(
        wanted.role, wanted.repo, wanted.file, wanted.revision, None, None, None, (why,)
    )


def _differences(wanted: Wanted, listed: ListedFile | None) -> Iterator[str]:
    if listed is None:
        yield "it is not there"
        return
    if wanted.bytes not in (None, listed.bytes):
        yield f"it has {listed.bytes} bytes, and the catalog says {wanted.bytes}"
    if wanted.sha256 and listed.sha256 not in (None, wanted.sha256):
        yield f"its sha256 is {listed.sha256}, and the catalog says {wanted.sha256}"
