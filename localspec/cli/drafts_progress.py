"""Says how far a search for drafts is, on a terminal and only if it takes a while."""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localspec.models.drafts.candidate import Found
    from localspec.models.drafts.gain import Machine
    from localspec.models.drafts.search import Looking
    from localspec.models.drafts.target import Target

_MANY = 20
"""Files that take about a second."""


def searched(target: Target, machine: Machine) -> Found:
    """What a search finds."""
    from localspec.models.drafts.search import search

    return _followed(search(target, machine))


def _followed(looking: Generator[Looking, None, Found]) -> Found:
    shown = False
    try:
        while True:
            at = next(looking)
            if at.total > _MANY and sys.stderr.isatty():
                shown = True
                _write(f"\rreading the header of file {at.done} of {at.total} ")
    except StopIteration as end:
        found: Found = end.value
        return found
    finally:
        looking.close()
        if shown:
            _write("\r" + " " * 60 + "\r")


def _write(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)  # noqa: T201
