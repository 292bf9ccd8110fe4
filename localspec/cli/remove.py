"""`localspec rm`: take a pair off this disk."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def remove(
    name: Annotated[str, typer.Argument(help="A pair on this disk.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
) -> int:
    """Delete a pair's files, but none that another pair uses and none of your own."""
    from localspec.cli.failure import printable
    from localspec.errors import UsageError
    from localspec.models import removal
    from localspec.models.selection import size_text

    planned = removal.plan_removal(name)
    asks = sys.stdin is not None and sys.stdin.isatty()
    if not yes and not asks:
        told = f"Without a terminal nobody can be asked whether to delete {planned.name}."
        raise UsageError(told, "Give --yes to delete it.")
    for path in planned.deleted:
        typer.echo(printable(f"delete {path}"))
    for path, reason in planned.kept:
        typer.echo(printable(f"keep   {path} ({reason})"))
    freed = size_text(planned.freed_bytes)
    if not yes and not typer.confirm(f"Free {freed}?", default=False):
        typer.echo("Nothing was deleted.")
        return 1
    removal.remove(name)
    typer.echo(printable(f"{planned.name} is removed; {freed} freed."))
    return 0
