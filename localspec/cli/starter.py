"""Which model a command uses when none is named, and what the first run offers to pull."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from localspec.models.choosing import PullRequest
    from localspec.settings import Settings

STARTER = "qwen2.5-coder-1.5b"
QUANT, SIZE = "Q4_K_M", "1.6 GB"


def ensure_model(settings: Settings, assume_yes: bool) -> str:
    """The pair's name, ready on this disk. One that nobody named is the one used last; with no
    pair at all the starter is pulled: on a terminal after asking, where the user may take what
    suits the machine instead, and without asking elsewhere.

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
        wanted = None
        if store.canonical(settings.model) == STARTER:
            wanted = _wanted(assume_yes)
        if wanted is None:
            raise
    from localspec.cli import progress
    from localspec.models.pull import pull

    progress.follow(pull(wanted), quiet=False, as_json=False)
    return store.resolve(wanted.name).name


def _wanted(assume_yes: bool) -> PullRequest | None:
    """None where the user declines."""
    if assume_yes or not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return _request(STARTER, QUANT)
    typer.echo(f"{STARTER} is not on this disk.", err=True)
    question = f"Pull it now ({SIZE})? y, n, or r for the pairs that suit this machine best"
    while True:
        answer = typer.prompt(question, default="y", err=True).strip().lower()
        if answer in ("r", "recommend"):
            return _recommended()
        if answer in ("y", "yes"):
            return _request(STARTER, QUANT)
        if answer in ("n", "no"):
            return None


def _recommended() -> PullRequest | None:
    """One of what `localspec recommend` names, in the quantisation that it names."""
    from localspec.cli import recommend

    devices, speeds, found = recommend.weighed()
    for line in recommend.lines(devices, speeds, found):
        typer.echo(line, err=True)
    requests = {each.name: _request(each.name, each.quant) for each in found}
    requests |= {str(number): request for number, request in enumerate(requests.values(), 1)}
    requests.setdefault(STARTER, _request(STARTER, QUANT))
    question = f"Which one? 1 to {len(found)}, {STARTER}, or n for none"
    while True:
        answer = typer.prompt(question, default=STARTER, err=True).strip().lower()
        if answer in requests:
            return requests[answer]
        if answer in ("n", "no", "none"):
            return None


def _request(name: str, quant: str) -> PullRequest:
    """Just what was offered, whatever else this machine could hold."""
    from localspec.health.machine import machine_memory
    from localspec.models.choosing import PullRequest

    return PullRequest(name, quant, devices=machine_memory)
