"""`localspec show`: everything that is known of one model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from localspec.models.catalog.entries import Pair
    from localspec.models.records import PairRecord, StoredFile


_SOURCES = {"hub": "from the hub", "wheels": "from the package index", "local": "your own files"}


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
        for line in [*_entry_lines(pair), *_disk_lines(record, pair is not None)]:
            typer.echo(printable(line))
    if verify:
        _verify(name, as_json=json)


def _entry_lines(pair: Pair | None) -> Iterator[str]:
    from localspec import paths
    from localspec.cli.entry_words import entry_lines
    from localspec.models import catalog

    if pair is None:
        return
    yield from entry_lines(pair)
    if pair in catalog.own_pairs().pairs:
        yield f"an entry of your own, in {paths.own_pairs_file()}"


def _verify(name: str, *, as_json: bool) -> None:
    from localspec.cli import progress
    from localspec.models.verification import verify

    progress.follow(verify(name))
    # An answer, so it ends the description, whatever becomes of stderr; JSON stays one object.
    (progress.say if as_json else typer.echo)("Every file is whole.")


def _disk_lines(record: PairRecord | None, is_in_catalog: bool) -> Iterator[str]:
    if record is None:
        yield "on this disk: no"
        return
    state = "ready" if record.is_ready() else "not complete"
    yield f"on this disk: {record.name}, {state}, {_SOURCES[record.source]}"
    # The catalog tells these of its own pairs.
    if not is_in_catalog and record.license:
        yield f"  licence: {record.license}"
    for file in record.files:
        yield f"  {file.role}: {file.path}"
        if not is_in_catalog:
            yield f"    {_described(file)}{f', of {file.repo}' if file.repo else ''}"
    yield f"  last used: {record.last_used or 'never'}"


def _described(file: StoredFile) -> str:
    from localspec.cli.entry_words import parameters_text
    from localspec.errors import BrokenModelFile
    from localspec.models.gguf_header import read_header
    from localspec.models.selection import size_text

    try:
        parameters = parameters_text(read_header(file.path).num_parameters)
    except BrokenModelFile as error:
        return error.message
    quant = file.quant if file.quant not in ("", "unknown") else "quantisation unknown"
    return f"{size_text(file.present_bytes())}, {quant}, {parameters}"


def _print_json(pair: Pair | None, record: PairRecord | None) -> None:
    import json

    entry = pair.model_dump(mode="json") if pair else None
    disk = record.model_dump(mode="json") | {"ready": record.is_ready()} if record else None
    typer.echo(json.dumps({"entry": entry, "disk": disk}, indent=1))
