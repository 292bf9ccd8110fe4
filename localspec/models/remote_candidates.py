"""The quantisations of a model in a repository of the hub: one by its header, the rest by size."""

from collections.abc import Generator

from localspec.models.candidates import Candidates, from_facts
from localspec.models.choosing import PullRequest
from localspec.models.events import Event
from localspec.models.examining import examine
from localspec.models.offers import Offer, offers, same_model
from localspec.models.quants import bits
from localspec.models.reference import Repo
from localspec.models.sources.hub import HubSource
from localspec.models.sources.listing import list_repo


def remote_candidates(reference: Repo) -> Generator[Event, None, Candidates]:
    """Reads the headers of the model that is meant and of its draft. Raises what a check does."""
    verdict = yield from examine(PullRequest(str(reference)))
    target, draft = verdict.target, verdict.draft
    alike = verdict.offered or (yield from _offered(reference, target.files[0].file))
    sizes = {each.quant: each.bytes for each in alike if bits(each.quant) is not None}
    quant = target.files[0].quant or target.facts.quant
    facts = draft.facts if draft else None
    return from_facts(
        verdict.name, target.facts, quant, facts, "hub", reference.repo, listed_bytes=sizes
    )


def _offered(reference: Repo, file: str) -> Generator[Event, None, tuple[Offer, ...]]:
    """The hub isn't asked for the list where the model lies on this disk."""
    listing = yield from list_repo(reference.repo, reference.revision, HubSource())
    found = offers(listing.files)
    return tuple(each for own in found if own.file == file for each in same_model(found, own))
