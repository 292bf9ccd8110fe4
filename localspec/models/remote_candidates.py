"""The quantisations of a model in a repository of the hub: one by its header, the rest by size."""

from collections.abc import Generator

from localspec.models.candidates import Candidates, from_facts
from localspec.models.choosing import PullRequest
from localspec.models.events import Event
from localspec.models.examining import examine
from localspec.models.offers import offers, same_model
from localspec.models.quants import bits
from localspec.models.reference import Repo
from localspec.models.sources.hub import HubSource
from localspec.models.sources.listing import list_repo


def remote_candidates(reference: Repo) -> Generator[Event, None, Candidates]:
    """Reads the headers of the model that is meant and of its draft. Raises what a check does."""
    verdict = yield from examine(PullRequest(str(reference)))
    listing = yield from list_repo(reference.repo, reference.revision, HubSource())
    target, draft = verdict.target, verdict.draft
    found = offers(listing.files)
    alike = [
        each for own in found if own.file == target.files[0].file for each in same_model(found, own)
    ]
    sizes = {each.quant: each.bytes for each in alike if bits(each.quant) is not None}
    quant = target.files[0].quant or target.facts.quant
    facts = draft.facts if draft else None
    return from_facts(
        verdict.name, target.facts, quant, facts, "hub", reference.repo, listed_bytes=sizes
    )
