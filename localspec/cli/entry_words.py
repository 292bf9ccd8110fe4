"""A catalog entry in words, for `localspec show`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localspec.models.catalog.entries import Alternative, ModelFile, Pair

_DRAFTERS = {"draft": "a draft model", "ngram": "prompt lookup, since no draft model fits"}


def entry_lines(pair: Pair) -> Iterator[str]:
    """Everything that the catalog knows of the pair."""
    yield pair.name + (f" (also {', '.join(pair.aliases)})" if pair.aliases else "")
    yield from _file_lines("target", pair.target)
    if pair.draft is not None:
        role = "draft" if pair.kind == "draft" else f"{pair.kind.upper()} head"
        yield from _file_lines(role, pair.draft)
    for other in pair.alternatives:
        is_head = other.role == "draft" and other.kind not in _DRAFTERS
        yield from _file_lines(
            f"or {other.kind.upper()} head" if is_head else f"or {other.role}", other
        )
    yield from _fact_lines(pair)


def parameters_text(count: float) -> str:
    """A model's size as its makers tell it."""
    for word, scale in (("billion", 1e9), ("million", 1e6)):
        if count >= scale:
            return f"{count / scale:.3g} {word} parameters"
    return f"{count:.0f} parameters"


def _fact_lines(pair: Pair) -> Iterator[str]:
    head = f"{pair.kind.upper()} head, which localspec can't draft with yet"
    yield f"drafting: {_DRAFTERS.get(pair.kind, head)}"
    access = "gated, so it must be accepted on the hub" if pair.gated else "no account needed"
    yield f"licence: {pair.license}; {access}{_basis(pair.gated_basis)}"
    if pair.compat:
        yield f"why the two fit: {pair.compat}{_basis(pair.compat_basis)}"
    if pair.kv_bytes_per_token_f16:
        kilobytes = f"{pair.kv_bytes_per_token_f16 / 1000:.1f} kB"
        yield f"each token of context takes {kilobytes} of memory"
    if pair.kv_note:
        yield f"  {pair.kv_note}"
    if pair.notes:
        yield pair.notes
    for line in pair.measured:
        yield f"measured: {line}"


def _file_lines(role: str, file: ModelFile | Alternative) -> Iterator[str]:
    from localspec.models.selection import size_text

    parts = (file.repo, file.file or "(no file known)", file.quant, _size_text(file))
    yield f"{role}: {' '.join(filter(None, parts))}"
    yield f"  revision {file.revision or 'not pinned'}, sha256 {file.sha256 or 'not known'}"
    numbers = list(_numbers(file))
    if numbers:
        yield "  " + ", ".join(numbers)
    for shard in file.shards:
        hashed = shard.sha256 or "not known"
        yield f"  and {shard.file} {size_text(shard.bytes)}, sha256 {hashed}"
    note = getattr(file, "note", None)
    if note:
        yield f"  {note}"


def _size_text(file: ModelFile | Alternative) -> str:
    """Of the first part; the others have lines of their own."""
    from localspec.models.catalog_memory import file_bytes
    from localspec.models.selection import size_text

    reckoned = None if file.bytes or file.shards else file_bytes(file)
    return f"about {size_text(reckoned)}" if reckoned else size_text(file.bytes)


def _numbers(file: ModelFile | Alternative) -> Iterator[str]:
    if file.params_b:
        yield parameters_text(file.params_b * 1e9)
    if file.n_layer:
        yield f"{file.n_layer} layers"
    if file.n_head_kv:
        yield f"{file.n_head_kv} KV heads" + (f" of {file.head_dim}" if file.head_dim else "")
    if file.n_vocab:
        yield f"a vocabulary of {file.n_vocab}"
    if file.ctx_train:
        yield f"trained on {file.ctx_train} tokens of context"


def _basis(basis: str | None) -> str:
    return f"; {basis}" if basis else ""
