"""What the catalog offers as drafts of a target, by its facts alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from localspec.models.drafts import sizes
from localspec.models.drafts.candidate import Candidate, Refusal
from localspec.models.drafts.gain import Kinship, Machine
from localspec.models.drafts.judging import gain_of
from localspec.models.drafts.kinship import heads, relatives, sizes_agree, small_files
from localspec.models.drafts.target import Target

LARGEST_SHARE = 1 / 3
"""Of the target's bytes: what lies beyond it isn't worth a download."""


def offers(target: Target, machine: Machine, here: Collection[str]) -> Iterator[Candidate]:
    """`here` are the names of files that are on the disk."""
    seen = {name.lower() for name in here}
    for pair in relatives(target.lines, target.n_vocab, target.entry):
        for file in small_files(pair):
            name, own = file.file.rpartition("/")[2], pair is target.entry
            # A draft that was trained for one target is no use to another.
            if name.lower() in seen or (not own and "draft" in name.lower()):
                continue
            draft = sizes.of_file(file)
            ratio = sizes.bytes_ratio(target.size, draft)
            if not sizes_agree(target.n_vocab, file.n_vocab) or _is_too_large(ratio, own):
                continue
            seen.add(name.lower())
            kinship: Kinship = "paired" if own else "family"
            yield Candidate(
                name=name.removesuffix(".gguf"),
                quant=file.quant or "",
                file_bytes=draft.file_bytes,
                ratio=ratio,
                gain=gain_of(target, None, draft, kinship, machine),
                basis=_basis(own, pair.compat_basis),
                file=file,
                entry=pair,
            )


def _is_too_large(ratio: float | None, own: bool) -> bool:
    """The entry's own choices are offered whatever they would gain."""
    if ratio is None:
        return not own
    return ratio >= (1.0 if own else LARGEST_SHARE)


def _basis(own: bool, compat_basis: str | None) -> str:
    if own and (compat_basis or "").startswith("verified"):
        return "by the catalog, verified"
    return "by the catalog" if own else "by the catalog, same family"


def head_refusals(target: Target) -> Iterator[Refusal]:
    for name, kind in heads(target.entry) if target.entry else ():
        told = f"a {kind.upper()} head: localspec can't draft with it yet"
        yield Refusal(name, "catalog", told)
