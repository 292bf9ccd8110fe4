"""Brings a candidate of the catalog onto this disk."""

from __future__ import annotations

from collections.abc import Generator

from localspec.models.drafts.candidate import Candidate
from localspec.models.events import Event
from localspec.models.fetching import fetch_file
from localspec.models.locating import SourceName, locate_all
from localspec.models.plan import make_plan, refuse_if_too_large
from localspec.models.presence import find_present
from localspec.models.records import StoredFile
from localspec.models.selection import Wanted, wanted_parts
from localspec.models.sources.hub import HubSource


def fetch(candidate: Candidate, source: SourceName) -> Generator[Event, None, list[StoredFile]]:
    """The plan comes first; what is here already isn't fetched. Raises LocalspecError."""
    assert candidate.file is not None and candidate.entry is not None
    hub = HubSource()
    here: dict[Wanted, StoredFile] = {}
    wanted = list(wanted_parts("draft", candidate.file))
    for each in wanted:
        found = yield from find_present(each, hub.cache)
        if found is not None:
            here[each] = found
    missing = [each for each in wanted if each not in here]
    chosen, located = yield from locate_all(missing, source, hub)
    plan = make_plan(
        candidate.entry.model_copy(update={"name": candidate.name}), here, located, chosen.name
    )
    yield plan
    refuse_if_too_large(plan)
    for one in located:
        here[one.wanted] = yield from fetch_file(one, chosen)
    return [here[each] for each in wanted]
