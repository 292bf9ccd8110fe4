"""Brings a draft onto this disk: its header is read and compared before its weights are fetched."""

from __future__ import annotations

from collections.abc import Generator

from localspec.models.choosing import Chosen
from localspec.models.drafts.candidate import Candidate
from localspec.models.events import Event
from localspec.models.fetching import fetch_file
from localspec.models.locating import SourceName, locate_all
from localspec.models.model_file import ModelFacts
from localspec.models.plan import make_plan, refuse_if_too_large
from localspec.models.precheck import facts_of, refuse_misfit
from localspec.models.presence import find_all
from localspec.models.records import StoredFile
from localspec.models.reference import Repo
from localspec.models.repo_choice import choose_in_repo
from localspec.models.selection import wanted_parts
from localspec.models.sources.hub import HubSource


def of_catalog(candidate: Candidate) -> Chosen:
    """The files of a candidate that isn't on the disk."""
    assert candidate.file is not None and candidate.entry is not None
    files = tuple(wanted_parts("draft", candidate.file))
    return Chosen(candidate.name, files, candidate.entry.license, candidate.entry.gated)


def of_repo(place: Repo) -> Generator[Event, None, Chosen]:
    """Raises what `choose_in_repo` does."""
    found = yield from choose_in_repo(place, "draft", HubSource())
    return Chosen(str(place), found.files, found.license, found.gated)


def fetch(
    draft: Chosen, target: ModelFacts, source: SourceName
) -> Generator[Event, None, list[StoredFile]]:
    """The plan comes first; what is here already isn't fetched. Raises LocalspecError."""
    hub = HubSource()
    here = yield from find_all(draft.files, {}, hub.cache)
    missing = [wanted for wanted in draft.files if wanted not in here]
    chosen, located = yield from locate_all(missing, source, hub)
    plan = make_plan(draft, here, located, chosen.name)
    yield plan
    refuse_if_too_large(plan)
    if located and chosen.name == "hub":
        pinned = {each.wanted: each.pinned() for each in located}
        files = [pinned.get(wanted, wanted) for wanted in draft.files]
        refuse_misfit(target, (yield from facts_of(files, here, hub)))
    for each in located:
        here[each.wanted] = yield from fetch_file(each, chosen)
    return [here[wanted] for wanted in draft.files]
