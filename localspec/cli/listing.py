"""`localspec list`: what is on this disk, and what could be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from localspec.models.catalog.entries import Pair
    from localspec.models.store import PairStatus


def list_pairs(
    every: Annotated[bool, typer.Option("--all", "-a", help="Also what can be pulled.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the pairs on this disk."""
    from localspec.cli import table
    from localspec.models import catalog, store

    here = store.installed()
    if every:
        # A long list is searched by name; a short one is told by use.
        here.sort(key=lambda status: (status.state != "ready", status.name))
    names = {status.name for status in here}
    others = [pair for pair in catalog.pairs() if pair.name not in names] if every else []
    others.sort(key=lambda pair: pair.name)
    if json:
        _print_json([*map(_as_object, here), *map(_catalog_object, others)])
    elif here or others:
        rows = [*map(_row, here), *map(_catalog_row, others)]
        for line in table.lines(("NAME", "SIZE", "QUANT", "STATE", "LAST USED"), rows):
            typer.echo(line)
        if any(row[1].startswith("~") for row in rows):
            typer.echo("~ reckoned by its parameters: `localspec check NAME` asks the hub.")
    else:
        first = "No model is on this disk yet: `localspec pull starter` (1.6 GB)"
        typer.echo(f"{first}, or see `localspec recommend`.", err=True)


def _row(status: PairStatus) -> list[str]:
    from localspec.models.selection import size_text

    state: str = status.state
    if state == "partial" and status.bytes:
        # Never the whole: something is still to be fetched or checked.
        state += f" {min(99, status.present_bytes * 100 // status.bytes)}%"
    used = status.last_used.astimezone().strftime("%Y-%m-%d %H:%M") if status.last_used else "never"
    quants = " + ".join(filter(None, (status.quant, status.draft_quant))) or "-"
    return [status.name, size_text(status.bytes), quants, state, used]


def _catalog_row(pair: Pair) -> list[str]:
    from localspec.models.catalog_memory import file_bytes, is_listed
    from localspec.models.selection import choices, size_text

    files = [*choices(pair, "target")[:1], *choices(pair, "draft")[:1]]
    sizes = [file_bytes(file) for file in files]
    size = "size unknown" if None in sizes else size_text(sum(size or 0 for size in sizes))
    mark = "" if None in sizes or all(map(is_listed, files)) else "~"
    quants = " + ".join(file.quant for file in files if file.quant) or "-"
    return [pair.name, mark + size, quants, "not pulled", ""]


def _as_object(status: PairStatus) -> dict[str, Any]:
    from dataclasses import asdict

    used = status.last_used.isoformat() if status.last_used else None
    return asdict(status) | {"last_used": used}


def _catalog_object(pair: Pair) -> dict[str, Any]:
    from localspec.models.selection import select

    files = select(pair).files
    quants = {file.role: file.quant for file in files}
    sizes = [file.bytes for file in files]
    return {
        "name": pair.name,
        "state": "not pulled",
        "bytes": sum(size or 0 for size in sizes) if all(sizes) else None,
        "quant": quants.get("target"),
        "draft_quant": quants.get("draft"),
        "license": pair.license,
        "gated": pair.gated,
        "aliases": list(pair.aliases),
    }


def _print_json(rows: list[dict[str, Any]]) -> None:
    import json

    typer.echo(json.dumps(rows, indent=1))
