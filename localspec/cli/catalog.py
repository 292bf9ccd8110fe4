"""`localspec catalog`: is it true, and what does an entry look like?"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from localspec.models.audit import EntryReport
    from localspec.models.catalog.entries import Pair
    from localspec.models.events import Event

app = typer.Typer(help="Check the catalog against the hub; the shape of your own entries.")


@app.callback(invoke_without_command=True)
def catalog(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Entries; else all of them.")
    ] = None,
    headers: Annotated[
        bool,
        typer.Option(
            "--headers/--no-headers", help="Read the models' headers too, a few MB for each."
        ),
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Compare entries with the hub: files, sizes, hashes, licence, gate, headers, and the fit.

    Exits with 1 if something differs, or if the hub can't be asked.
    """
    from localspec.errors import LocalspecError
    from localspec.models.audit import Audit

    pairs, audit = _pairs(names or []), Audit(headers)
    reports: list[EntryReport] = []
    failure: LocalspecError | None = None
    for pair in pairs:
        try:
            reports.append(_watched(audit, pair))
        except LocalspecError as error:
            # Nothing is said of what wasn't seen.
            failure = error
            break
        if not json:
            _print(reports[-1], max(len(each.name) for each in pairs))
    if json:
        _print_json(reports, len(pairs) - len(reports))
    elif reports:
        _print_sum(reports, len(pairs))
    if failure is not None:
        raise failure
    return 1 if any(report.state == "differs" for report in reports) else 0


@app.command()
def schema() -> None:
    """Print the JSON schema of a list of entries: the shape of your own pairs.json."""
    import json

    from pydantic import TypeAdapter

    from localspec import paths
    from localspec.models.catalog.entries import Pair

    schema = TypeAdapter(list[Pair]).json_schema()
    about = {"title": "localspec pairs", "$comment": f"Your own belong in {paths.own_pairs_file()}"}
    typer.echo(json.dumps(about | schema, indent=1))


def _pairs(names: list[str]) -> list[Pair]:
    """Raises UnknownModel."""
    from localspec.models import catalog, store

    found: dict[str, Pair] = {}
    for name in names:
        pair = catalog.find(name)
        if pair is None:
            raise store.unknown(name)
        found[pair.name] = pair
    return list(found.values()) or list(catalog.pairs())


def _watched(audit: object, pair: Pair) -> EntryReport:
    import sys

    from localspec.cli import progress
    from localspec.models.audit import Audit

    assert isinstance(audit, Audit)
    answer: list[EntryReport] = []

    def events() -> Generator[Event, None, None]:
        answer.append((yield from audit.entry(pair)))

    # The lines of the report are progress enough where none can be drawn.
    progress.follow(events(), quiet=not sys.stderr.isatty())
    return answer[0]


def _print(report: EntryReport, width: int) -> None:
    from localspec.cli.failure import printable

    words = {"true": "as the catalog says", "differs": "differs", "unknown": "not all shown"}
    typer.echo(f"{report.name:<{width}}  {words[report.state]}")
    for file in report.files:
        for clause in file.differs:
            typer.echo(printable(f"  {file.role} {file.repo} {file.file}: {clause}"))
    for line in (*report.differs, *report.unknown):
        typer.echo(printable(f"  {line}"))


def _print_sum(reports: list[EntryReport], wanted: int) -> None:
    states = [report.state for report in reports]
    words = {"true": "as the catalog says", "differs": "differ", "unknown": "not all shown"}
    told = [f"{states.count(state)} {words[state]}" for state in words if state in states]
    if wanted > len(reports):
        told.append(f"{wanted - len(reports)} not checked")
    typer.echo(f"{wanted} {'entry' if wanted == 1 else 'entries'}: {', '.join(told)}.")


def _print_json(reports: list[EntryReport], unchecked: int) -> None:
    from dataclasses import asdict
    from json import dumps

    entries = [{"state": report.state} | asdict(report) for report in reports]
    typer.echo(dumps({"entries": entries, "not_checked": unchecked}))
