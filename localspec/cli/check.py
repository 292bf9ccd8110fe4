"""`localspec check`: what a pull would bring, and whether the pair fits, before any download."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated

import typer

from localspec.cli import options

if TYPE_CHECKING:
    from localspec.models.examining import Verdict


def check(
    name: Annotated[
        str, typer.Argument(help="A model's name, user/repo[:QUANT], or an address of the hub.")
    ],
    quant: options.Quant = None,
    draft: options.DraftModel = None,
    draft_quant: options.DraftQuant = None,
    no_draft: options.NoDraft = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Read a model's headers on the hub, a few megabytes, and say whether a pull would do."""
    from localspec.cli import progress
    from localspec.cli.check_words import verdict_lines, verdict_object
    from localspec.cli.failure import printable
    from localspec.errors import LocalspecError, SourceUnreachable
    from localspec.health.machine import machine_memory
    from localspec.models.choosing import PullRequest
    from localspec.models.examining import examine

    devices = cache(machine_memory)
    request = PullRequest(name, quant, draft_quant, not no_draft, draft=draft, devices=devices)
    try:
        verdict = progress.answer(examine(request), quiet=json)
    except SourceUnreachable as error:
        raise SourceUnreachable(error.message, error.hint + _without_hub(name)) from None
    if json:
        import json as encoder

        typer.echo(encoder.dumps(verdict_object(verdict), indent=1))
    else:
        for line in verdict_lines(verdict):
            typer.echo(printable(line))
    if verdict.refusal:
        raise LocalspecError(verdict.refusal, _hint(verdict, name))
    if json:
        return
    if verdict.missing_bytes or not _is_ready(verdict):
        typer.echo(
            f"Pull it: localspec pull {_arguments(name, quant, draft, draft_quant, no_draft)}"
        )
    else:
        typer.echo(f"Use it: localspec chat {verdict.name}")


def _is_ready(verdict: Verdict) -> bool:
    """The pair on this disk is of these files; other programs' files are no pair yet."""
    from pathlib import PurePosixPath

    from localspec.models import records

    record = records.load(verdict.name)
    models = [each for each in (verdict.target, verdict.draft) if each]
    names = {PurePosixPath(file.file).name for each in models for file in each.files}
    if record is None or not record.is_ready():
        return False
    return {file.path.name for file in record.files} == names


def _hint(verdict: Verdict, name: str) -> str:
    import shlex

    if verdict.misfit:
        return "Choose another --draft, or use --no-draft."
    if verdict.missing_bytes > verdict.free_bytes:
        return "Free some space, or choose a smaller --quant."
    return f"`localspec fit {shlex.quote(name)}` shows what would."


def _without_hub(name: str) -> str:
    """What can be told of a model of the catalog all the same."""
    from localspec.models import catalog
    from localspec.models.candidates import listed

    pair = catalog.find(name)
    if pair is None or listed(pair) is None:
        return ""
    told = f"`localspec fit {pair.name}` and `localspec drafts {pair.name}`"
    return f" Without the hub, {told} go by the catalog's numbers."


def _arguments(
    name: str, quant: str | None, draft: str | None, draft_quant: str | None, no_draft: bool
) -> str:
    import shlex

    options = (("--quant", quant), ("--draft", draft), ("--draft-quant", draft_quant))
    given = [part for option, value in options if value for part in (option, value)]
    return shlex.join([name, *given, *(["--no-draft"] if no_draft else [])])
