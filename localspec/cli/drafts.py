"""`localspec drafts`: which draft fits a model, why another was refused, and which to use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from localspec.models.drafts.gain import Machine
    from localspec.models.drafts.target import Target
    from localspec.models.model_file import ModelFacts


def drafts(
    model: Annotated[
        str, typer.Argument(help="A model's name, its GGUF file, or user/repo[:QUANT].")
    ],
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
    from localspec.cli.drafts_use import use_draft
    from localspec.errors import UsageError

    if draft is not None and use is not None:
        raise UsageError("--draft and --use exclude each other.")
    target = _found(model, quiet=json)
    machine = this_machine(target.quant)
    if use is not None:
        use_draft(target, use, machine)
    elif draft is not None:
        _explain(target, draft, machine, json)
    else:
        _list(target, machine, json)


def _found(model: str, quiet: bool) -> Target:
    from localspec.cli.progress import answer
    from localspec.errors import UnknownModel
    from localspec.models.drafts.target import find_target, place_on_hub, remote_target

    try:
        return find_target(model)
    except UnknownModel:
        place = place_on_hub(model)
        if place is None:
            raise
        return answer(remote_target(place), quiet=quiet)


def _list(target: Target, machine: Machine, as_json: bool) -> None:
    from localspec.cli.drafts_json import found_object
    from localspec.cli.drafts_progress import searched
    from localspec.cli.drafts_words import found_lines

    found = searched(target, machine)
    if as_json:
        _print_json(found_object(target, found, machine))
    else:
        _print(found_lines(target, found, machine))


def _explain(target: Target, draft: str, machine: Machine, as_json: bool) -> None:
    from localspec.cli.drafts_compared import compared_lines
    from localspec.cli.drafts_json import judged_object
    from localspec.models.drafts.candidate import Refusal
    from localspec.models.drafts.judging import judge

    facts = _draft_facts(draft, quiet=as_json)
    judged = judge(target, facts, machine)
    if as_json:
        _print_json(judged_object(target, judged))
    else:
        _print(compared_lines(target, facts, judged))
    if isinstance(judged, Refusal):
        raise typer.Exit(1)


def _draft_facts(text: str, quiet: bool) -> ModelFacts:
    """Of a file, of the target of a pair on this disk, or of a model of the hub."""
    from localspec.cli.progress import answer
    from localspec.models import store
    from localspec.models.drafts.target import file_named, place_on_hub, remote_facts
    from localspec.models.model_file import read_model

    path, place = file_named(text), place_on_hub(text)
    if place is not None:
        return answer(remote_facts(place, "draft"), quiet=quiet)
    if path is not None or text.lower().endswith(".gguf"):
        return read_model(path or Path(text))
    return read_model(store.resolve(text).target)


def _print(lines: list[str]) -> None:
    from localspec.cli.failure import printable

    for line in lines:
        typer.echo(printable(line))


def _print_json(content: dict[str, object]) -> None:
    import json

    typer.echo(json.dumps(content, indent=1))
