"""Which models may share a tokenizer, by what the catalog and their names tell.

A hint only: before a file is fetched or used, the headers decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from localspec.models import catalog
from localspec.models.catalog.entries import ModelFile, Pair
from localspec.models.compat import MAX_SIZE_DIFFERENCE

_LINE = re.compile(r"([a-z]{3,})-?v?(\d{1,2}(?:[.-]\d)?)(?!\d)(?![\d.]*[bm](?![a-z]))")
"""A line of models and its version: Qwen2.5, Llama-3.2, gemma-3; never a size (70B, 135M)."""
_NO_LINES = frozenset({"mxfp", "nvfp"})


def lines_of(*texts: str | None) -> frozenset[str]:
    """The lines that names tell: "Meta-Llama-3.1-8B" is of llama3.1."""
    plain = " ".join(text or "" for text in texts).lower().replace("_", "-")
    found = ((match[1], match[2].replace("-", ".")) for match in _LINE.finditer(plain))
    return frozenset(name + version for name, version in found if name not in _NO_LINES)


def sizes_agree(one: int | None, other: int | None) -> bool:
    """Of vocabularies; an unknown one may agree."""
    return one is None or other is None or abs(one - other) <= MAX_SIZE_DIFFERENCE


def relatives(lines: frozenset[str], n_vocab: int | None, entry: Pair | None) -> list[Pair]:
    """Entries of the same family of tokenizers, the target's own first."""
    others = [
        pair
        for pair in catalog.pairs()
        if pair is not entry and _is_founded(pair) and sizes_agree(n_vocab, pair.target.n_vocab)
    ]
    family = set(lines) | (_lines(entry) if entry else set())
    found: list[Pair] = []
    # A pair of two lines (Llama 3.3 with a draft of 3.2) makes them one family.
    while new := [pair for pair in others if pair not in found and _lines(pair) & family]:
        found += new
        family.update(*map(_lines, new))
    return ([entry] if entry else []) + found


def drafts_of(pair: Pair) -> Iterator[ModelFile]:
    """The models that the entry lists as drafts."""
    if pair.kind == "draft" and pair.draft:
        yield pair.draft
    for other in pair.alternatives:
        file = other.as_file()
        if other.role == "draft" and other.kind == "draft" and file is not None:
            yield file


def targets_of(pair: Pair) -> Iterator[ModelFile]:
    yield pair.target
    for other in pair.alternatives:
        file = other.as_file()
        if other.role == "target" and file is not None:
            yield file


def heads(pair: Pair) -> Iterator[tuple[str, str]]:
    """The heads of an entry: where each lies, and its kind."""
    if pair.kind not in ("draft", "ngram"):
        yield pair.draft.file if pair.draft else f"in {pair.target.file}", pair.kind
    for other in pair.alternatives:
        if other.role == "draft" and other.kind not in ("draft", "ngram"):
            yield other.file or other.repo, other.kind


def entry_of(name: str, size: int) -> Pair | None:
    """The entry whose target is this very file, by its name and size."""
    for pair in catalog.pairs():
        if any((each.file, each.bytes) == (name, size) for each in targets_of(pair)):
            return pair
    return None


def _lines(pair: Pair) -> frozenset[str]:
    lines = lines_of(pair.target.file, pair.target.base_model)
    if pair.draft is None or pair.kind != "draft":
        return lines
    return lines | lines_of(pair.draft.file, pair.draft.base_model)


def _is_founded(pair: Pair) -> bool:
    """Whether the catalog has a reason to say that the two fit."""
    return (pair.compat_basis or "").startswith(("verified", "inferred")) or pair.kind == "ngram"
