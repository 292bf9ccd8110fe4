"""The first run: what is not on this disk yet is offered, then pulled."""

from __future__ import annotations

import sys

import typer

STARTER = "qwen2.5-coder-1.5b"


def ensure_model(name: str, assume_yes: bool) -> str:
    """The pair's name, pulled if need be: asked on a terminal, without asking elsewhere.

    Raises UnknownModel, NotPulled when the user declines, and what a pull raises.
    """
    from localspec.errors import NotPulled
    from localspec.models import store

    try:
        return store.resolve(name).name
    except NotPulled:
        if store.canonical(name) != STARTER:
            raise
        if not assume_yes and sys.stdin.isatty() and sys.stderr.isatty():
            question = f"{STARTER} is not on this disk. Pull it now (1.6 GB)?"
            if not typer.confirm(question, default=True, err=True):
                raise
    from localspec.cli import progress
    from localspec.models.pull import PullRequest, pull

    progress.follow(pull(PullRequest(STARTER)), quiet=False, as_json=False)
    return store.resolve(STARTER).name
