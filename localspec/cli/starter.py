"""Which model a command uses when none is named, and the offer to pull the starter pair."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from localspec.settings import Settings

STARTER = "qwen2.5-coder-1.5b"
SIZE = "1.6 GB"


def ensure_model(settings: Settings, assume_yes: bool) -> str:
    """The pair's name, ready on this disk. One that nobody named is the one used last; with no
    pair at all the starter is pulled: asked on a terminal, without asking elsewhere.

    Raises UnknownModel, NotPulled (also when the user declines), and what a pull raises.
    """
    from localspec.errors import NotPulled
    from localspec.models import store

    # A default is no choice: it must not cause a pull where another pair is ready.
    named = "model" in settings.model_fields_set
    ready = [pair.name for pair in store.installed() if pair.state == "ready"]
    if not named and ready and STARTER not in ready:
        return ready[0]
    try:
        return store.resolve(settings.model).name
    except NotPulled:
        if store.canonical(settings.model) != STARTER or not _agreed(assume_yes):
            raise
    from localspec.cli import progress
    from localspec.models.pull import PullRequest, pull

    progress.follow(pull(PullRequest(STARTER)), quiet=False, as_json=False)
    return store.resolve(STARTER).name


def _agreed(assume_yes: bool) -> bool:
    if assume_yes or not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    typer.echo("`localspec recommend` names the pairs that suit this machine best.", err=True)
    question = f"{STARTER} is not on this disk. Pull it now ({SIZE})?"
    return typer.confirm(question, default=True, err=True)
