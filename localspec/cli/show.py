"""`localspec show`: everything that is known of one model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from localspec.models.catalog.entries import Pair
    from localspec.models.records import PairRecord

_NUMBERS = ("params_b", "n_layer", "n_head_kv", "head_dim", "n_vocab", "ctx_train")
_FACTS = ("tier", "kind", "license", "gated", "gated_basis", "compat", "compat_basis")
_MORE = ("kv_bytes_per_token_f16", "kv_note", "notes")


def show(
    name: Annotated[str, typer.Argument(help="A model's name or alias.")],
    verify: Annotated[bool, typer.Option("--verify", help="Hash its files again.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show a model's files, pins, licence, sizes and notes."""
    from localspec.cli.failure import printable
    from localspec.models import catalog, records, store

    pair = catalog.find(name)
    record = records.load(store.canonical(name))
    if pair is None and record is None:
        raise store.unknown(name)
    if json:
        _print_json(pair, record)
    else:
        for line in [*_entry_lines(pair), *_disk_lines(record)]:
            typer.echo(printable(line))
    if verify:
        _verify(name)


def _verify(name: str) -> None:
    from localspec.cli import progress
    from localspec.models.verification import verify

    progress.follow(verify(name))
    progress.say("Every file is whole.")


def _entry_lines(pair: Pair | None) -> Iterator[str]:
    if pair is None:
        return
    yield pair.name + (f" (also {', '.join(pair.aliases)})" if pair.aliases else "")
    for role, file in (("target", pair.target), ("draft", pair.draft)):
        if file is not None:
            yield from _file_lines(role, file.model_dump())
    for other in pair.alternatives:
        yield from _file_lines(f"or {other.role} ({other.kind})", other.model_dump())
    for fact in (*_FACTS, *_MORE):
        value = getattr(pair, fact)
        if value not in (None, ""):
            yield f"{fact}: {value}"
    for line in pair.measured:
        yield f"measured: {line}"


def _file_lines(role: str, file: dict[str, Any]) -> Iterator[str]:
    from localspec.models.selection import size_text

    name = file["file"] or "(no file known)"
    yield f"{role}: {file['repo']} {name} {file['quant'] or ''} {size_text(file['bytes'])}"
    yield f"  revision {file['revision'] or 'not pinned'}, sha256 {file['sha256'] or 'not known'}"
    numbers = [f"{key} {file[key]}" for key in _NUMBERS if file.get(key) is not None]
    if numbers:
        yield "  " + ", ".join(numbers)
    for shard in file["shards"]:
        yield f"  and {shard['file']} {size_text(shard['bytes'])}, sha256 {shard['sha256']}"
    if file.get("note"):
        yield f"  {file['note']}"


def _disk_lines(record: PairRecord | None) -> Iterator[str]:
    if record is None:
        yield "on this disk: no"
        return
    state = "ready" if record.is_ready() else "not complete"
    yield f"on this disk: {record.name}, {state} (from {record.source})"
    for file in record.files:
        yield f"  {file.role}: {file.path}"
    yield f"  last used: {record.last_used or 'never'}"


def _print_json(pair: Pair | None, record: PairRecord | None) -> None:
    import json

    entry = pair.model_dump(mode="json") if pair else None
    disk = record.model_dump(mode="json") | {"ready": record.is_ready()} if record else None
    typer.echo(json.dumps({"entry": entry, "disk": disk}, indent=1, ensure_ascii=False))
