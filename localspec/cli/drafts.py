"""`localspec drafts`: which draft fits a model, why another was refused, and which to use."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from localspec.models.drafts.candidate import Candidate, Found
    from localspec.models.drafts.gain import Machine
    from localspec.models.drafts.target import Target
    from localspec.models.events import Event
    from localspec.models.records import StoredFile


def drafts(
    model: Annotated[str, typer.Argument(help="A model's name, or its GGUF file.")],
    draft: Annotated[
        str | None,
        typer.Option("--draft", metavar="FILE", help="Explain whether this one fits, and why."),
    ] = None,
    use: Annotated[
        str | None,
        typer.Option(
            "--use",
            metavar="DRAFT",
            help="Have a pair on this disk draft with this one: a name or number of the list, a"
            " file, auto for the best, none for no draft.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the drafts that fit a model, the most promising first, and why others don't.

    With --draft the exit code is 1 if it doesn't fit.
    """
    from localspec.bench.draft_costs import this_machine
    from localspec.errors import UsageError
    from localspec.models.drafts.target import find_target

    if draft is not None and use is not None:
        raise UsageError("--draft and --use exclude each other.")
    target = find_target(model)
    machine = this_machine(target.quant)
    if use is not None:
        _use(target, use, machine)
    elif draft is not None:
        _explain(target, draft, machine, json)
    else:
        _list(target, machine, json)


def _list(target: Target, machine: Machine, as_json: bool) -> None:
    from localspec.cli.drafts_json import found_object
    from localspec.cli.drafts_words import found_lines

    found = _search(target, machine)
    if as_json:
        _print_json(found_object(target, found, machine))
    else:
        _print(found_lines(target, found, machine))


def _explain(target: Target, draft: str, machine: Machine, as_json: bool) -> None:
    from localspec.cli.drafts_compared import compared_lines
    from localspec.cli.drafts_json import judged_object
    from localspec.models.drafts.candidate import Refusal
    from localspec.models.drafts.judging import judge
    from localspec.models.model_file import read_model

    facts = read_model(_draft_path(draft))
    judged = judge(target, facts, machine)
    if as_json:
        _print_json(judged_object(target, judged))
    else:
        _print(compared_lines(target, facts, judged))
    if isinstance(judged, Refusal):
        raise typer.Exit(1)


def _use(target: Target, use: str, machine: Machine) -> None:
    from localspec.errors import NotPulled
    from localspec.models.drafts.attaching import detach

    if target.record is None:
        how = f"`localspec pull {target.name}` first."
        if target.path:
            how = f"`localspec add NAME --target {target.path} --draft FILE` makes it one."
        raise NotPulled(f"{target.name} is no pair on this disk.", how)
    if use.lower() == "none":
        former = detach(target.record.name).former
        typer.echo(f"{target.record.name} has no draft now: prompt lookup will be used.")
    else:
        former = _attach(target.record.name, _chosen(target, use, machine))
    _tell_former(target.record.name, former)


def _attach(name: str, chosen: Candidate | Path) -> tuple[Path, ...]:
    from localspec.cli import progress
    from localspec.models.drafts.attaching import attach
    from localspec.models.drafts.fetching import fetch
    from localspec.settings import load_settings

    fetched: list[StoredFile] = []
    if isinstance(chosen, Path):
        path = chosen
    elif chosen.path is not None:
        path = chosen.path
    else:
        progress.follow(_kept(fetch(chosen, load_settings().source), fetched))
        path = fetched[0].path
    done = attach(name, path, fetched)
    typer.echo(f"{done.pair.name} drafts with {path.name} now.")
    return done.former


def _kept(
    fetching: Generator[Event, None, list[StoredFile]], into: list[StoredFile]
) -> Iterator[Event]:
    into += yield from fetching


def _chosen(target: Target, use: str, machine: Machine) -> Candidate | Path:
    """Raises UsageError for what is neither a file nor in the list."""
    from localspec.errors import PairMismatch, UsageError
    from localspec.models.drafts.choice import choose

    path = Path(use).expanduser()
    if path.is_file():
        return path
    found = _search(target, machine)
    if use.lower() == "auto":
        choice = choose(found)
        if choice is None:
            how = f"`localspec drafts {target.name}` tells why."
            raise UsageError(f"No draft that fits {target.name} would pay here.", how)
        typer.echo(choice.reason)
        return choice.candidate
    named = [
        each
        for number, each in enumerate(found.fitting, 1)
        if use.lower().removesuffix(".gguf") in (each.name.lower(), str(number))
    ]
    if len(named) > 1:
        where = ", ".join(str(each.path or "the catalog") for each in named)
        raise UsageError(f"{use} may be any of {where}.", "Give the file's path.")
    if named:
        return named[0]
    for refused in (*found.refused, *found.others):
        if use.lower().removesuffix(".gguf") == refused.name.lower().removesuffix(".gguf"):
            raise PairMismatch(f"{use} can't draft for {target.name}: {refused.reason}.")
    how = f"`localspec drafts {target.name}` lists them; a file's path does as well."
    raise UsageError(f"No draft is called {use}.", how)


def _tell_former(name: str, former: tuple[Path, ...]) -> None:
    from localspec.cli.failure import printable

    if former:
        again = f"`localspec drafts {name} --use {former[0]}` takes it again."
        typer.echo(printable(f"The former draft stays on the disk; {again}"))


def _draft_path(text: str) -> Path:
    """A file, or the target of a pair on this disk."""
    from localspec.models import store

    path = Path(text).expanduser()
    if path.exists() or path.suffix.lower() == ".gguf":
        return path
    return store.resolve(text).target


def _search(target: Target, machine: Machine) -> Found:
    from localspec.cli.drafts_progress import followed
    from localspec.models.drafts.search import search

    return followed(search(target, machine))


def _print(lines: list[str]) -> None:
    from localspec.cli.failure import printable

    for line in lines:
        typer.echo(printable(line))


def _print_json(content: dict[str, object]) -> None:
    import json

    typer.echo(json.dumps(content, indent=1, ensure_ascii=False))
