"""`localspec drafts MODEL --use DRAFT`: has a pair on this disk draft with another model."""

from __future__ import annotations

from pathlib import Path

import typer

from localspec.cli.drafts_progress import searched
from localspec.cli.failure import printable
from localspec.cli.progress import answer
from localspec.errors import NotPulled, PairMismatch, UsageError
from localspec.models.drafts.attaching import attach, detach
from localspec.models.drafts.candidate import Candidate
from localspec.models.drafts.choice import choose
from localspec.models.drafts.fetching import fetch, of_catalog, of_repo
from localspec.models.drafts.gain import Machine
from localspec.models.drafts.target import Target, file_named, place_on_hub
from localspec.models.reference import Repo
from localspec.settings import load_settings


def use_draft(target: Target, use: str, machine: Machine) -> None:
    if target.record is None:
        how = f"`localspec pull {target.name}` first."
        if target.path:
            how = f"`localspec add NAME --target {target.path} --draft FILE` makes it one."
        raise NotPulled(f"{target.name} is no pair on this disk.", how)
    if use.lower() == "none":
        former = detach(target.record.name).former
        told = f"{target.record.name} has no draft now: prompt lookup will be used."
        typer.echo(printable(told))
    else:
        former = _attach(target, target.record.name, _chosen(target, use, machine))
    _tell_former(target.record.name, former)


def _attach(target: Target, name: str, chosen: Candidate | Path | Repo) -> tuple[Path, ...]:
    path = chosen.path if isinstance(chosen, Candidate) else chosen
    fetched = []
    if not isinstance(path, Path):
        assert target.facts is not None and not isinstance(chosen, Path)
        wanted = of_catalog(chosen) if isinstance(chosen, Candidate) else answer(of_repo(chosen))
        fetched = answer(fetch(wanted, target.facts, load_settings().source))
        path = fetched[0].path
    done = attach(name, path, fetched)
    typer.echo(printable(f"{done.pair.name} drafts with {path.name} now."))
    return done.former


def _chosen(target: Target, use: str, machine: Machine) -> Candidate | Path | Repo:
    """Raises UsageError for what is no file, no place on the hub and not in the list."""
    place = file_named(use) or place_on_hub(use)
    if place is not None:
        return place
    found = searched(target, machine)
    if use.lower() == "auto":
        choice = choose(found)
        if choice is None:
            how = f"`localspec drafts {target.name}` tells why."
            raise UsageError(f"No draft that fits {target.name} would pay here.", how)
        typer.echo(printable(choice.reason))
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
            how = f"--use {refused.path} takes it if it fits." if refused.path else ""
            raise PairMismatch(f"{use} is refused for {target.name}: {refused.reason}.", how)
    how = f"`localspec drafts {target.name}` lists them; a file's path does as well."
    raise UsageError(f"No draft is called {use}.", how)


def _tell_former(name: str, former: tuple[Path, ...]) -> None:
    if former:
        again = f"`localspec drafts {name} --use {former[0]}` takes it again."
        typer.echo(printable(f"The former draft stays on the disk; {again}"))
