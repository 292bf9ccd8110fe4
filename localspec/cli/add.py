"""`localspec add`: your own files under a name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from localspec.models.drafts.choice import DraftChoice


def add(
    name: Annotated[str, typer.Argument(help="What to call it.")],
    target: Annotated[Path, typer.Option("--target", help="The model's GGUF file.")],
    draft: Annotated[
        Path | None,
        typer.Option(
            "--draft",
            help="A small model of the same tokenizer; auto takes the best of this disk.",
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Even a name that is taken, or a target as its own draft."),
    ] = False,
) -> None:
    """Register local files as a pair, after checking that they fit. They stay where they are."""
    from localspec.cli.failure import printable
    from localspec.models.adding import add as register
    from localspec.models.drafts.attaching import attach

    wants_best = draft == Path("auto") and not draft.exists()
    pair = register(name, target, None if wants_best else draft, force=force)
    choice = None if draft and not wants_best else _best(pair.name, on_disk_only=wants_best)
    if wants_best and choice and choice.candidate.path:
        pair = attach(pair.name, choice.candidate.path).pair
    kind = "with a draft" if pair.draft else "without a draft: prompt lookup will be used"
    typer.echo(f"{pair.name} is ready, {kind}.")
    if choice:
        typer.echo(printable(choice.reason))
    if choice and not pair.draft:
        typer.echo(f"`localspec drafts {pair.name}` lists drafts that fit; --use auto takes it.")
    elif wants_best and not pair.draft:
        typer.echo(f"No draft on this disk pays: `localspec drafts {pair.name}` tells why.")


def _best(name: str, on_disk_only: bool) -> DraftChoice | None:
    from localspec.bench.draft_costs import this_machine
    from localspec.cli.drafts_progress import searched
    from localspec.models.drafts.choice import choose
    from localspec.models.drafts.target import find_target

    target = find_target(name)
    found = searched(target, this_machine(target.quant))
    return choose(found, on_disk_only=on_disk_only)
