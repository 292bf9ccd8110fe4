"""What the catalog offers as drafts of a target, by its facts alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from localspec.models.catalog.entries import ModelFile, Pair
from localspec.models.drafts import sizes
from localspec.models.drafts.candidate import Basis, Candidate, Refusal
from localspec.models.drafts.gain import Kinship, Machine
from localspec.models.drafts.judging import gain_of
from localspec.models.drafts.kinship import drafts_of, heads, relatives, sizes_agree, targets_of
from localspec.models.drafts.target import Target

LARGEST_SHARE = 1 / 3
"""Of the target's bytes: what lies beyond it isn't worth a download."""


def offers(target: Target, machine: Machine, here: Collection[str]) -> Iterator[Candidate]:
    """`here` are the names of files that are on the disk."""
    seen = {name.lower() for name in here}
    for pair, file in _files(target):
        name, own = file.file.rpartition("/")[2], pair is target.entry
        draft = sizes.of_file(file)
        ratio = sizes.bytes_ratio(target.size, draft)
        if (
            name.lower() in seen
            or not sizes_agree(target.n_vocab, file.n_vocab)
            or _is_too_large(ratio, own)
            or (draft.file_bytes or 0) > (target.size.file_bytes or draft.file_bytes or 0)
        ):
            continue
        seen.add(name.lower())
        kinship: Kinship = "paired" if own else "family"
        yield Candidate(
            name=name.removesuffix(".gguf"),
            quant=file.quant or "",
            file_bytes=draft.file_bytes,
            ratio=ratio,
            gain=gain_of(target, None, draft, kinship, machine),
            basis=_basis(pair, own),
            file=file,
            entry=pair,
        )


def _files(target: Target) -> Iterator[tuple[Pair, ModelFile]]:
    """What the target's own entry lists, then every model of its family."""
    for pair in relatives(target.lines, target.n_vocab, target.entry):
        if pair is target.entry:
            yield from ((pair, file) for file in drafts_of(pair))
            continue
        for file in (*drafts_of(pair), *targets_of(pair)):
            # What was trained to draft for one target is no use to another.
            if "draft" not in file.file.lower():
                yield pair, file


def _is_too_large(ratio: float | None, own: bool) -> bool:
    """The entry's own choices are offered whatever they would gain."""
    if ratio is None:
        return not own
    return ratio >= (1.0 if own else LARGEST_SHARE)


def _basis(pair: Pair, own: bool) -> Basis:
    if not own:
        return "family"
    # What the catalog verified of a target with a head is the head.
    verified = pair.kind == "draft" and (pair.compat_basis or "").startswith("verified")
    return "verified" if verified else "listed"


def head_refusals(target: Target) -> Iterator[Refusal]:
    for name, kind in heads(target.entry) if target.entry else ():
        told = f"a head ({kind.upper()}): localspec can't draft with it yet"
        yield Refusal(name, "catalog", told)
