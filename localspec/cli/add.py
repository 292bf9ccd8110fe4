"""`localspec add`: your own files under a name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def add(
    name: Annotated[str, typer.Argument(help="What to call it.")],
    target: Annotated[Path, typer.Option("--target", help="The model's GGUF file.")],
    draft: Annotated[
        Path | None, typer.Option("--draft", help="A small model of the same tokenizer.")
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Even a name that is taken, or a target as its own draft."),
    ] = False,
) -> None:
    """Register local files as a pair, after checking that they fit. They stay where they are."""
    from localspec.models.adding import add as register

    pair = register(name, target, draft, force=force)
    kind = "with a draft" if pair.draft else "without a draft: prompt lookup will be used"
    typer.echo(f"{pair.name} is ready, {kind}.")
