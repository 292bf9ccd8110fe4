"""The quantisations of a model in a repository of the hub: one by its header, the rest by size."""

from collections.abc import Generator

from localspec.models.candidates import Candidates, from_facts
from localspec.models.choosing import PullRequest
from localspec.models.events import Event
from localspec.models.examining import examine
from localspec.models.quants import bits
from localspec.models.reference import Repo


def remote_candidates(reference: Repo) -> Generator[Event, None, Candidates]:
    """Reads the headers of the model that is meant and of its draft. Raises what a check does."""
    verdict = yield from examine(PullRequest(str(reference)))
    target, draft = verdict.target, verdict.draft
    sizes = {each.quant: each.bytes for each in verdict.offered if bits(each.quant) is not None}
    quant = target.files[0].quant or target.facts.quant
    facts = draft.facts if draft else None
    return from_facts(
        verdict.name, target.facts, quant, facts, "hub", reference.repo, listed_bytes=sizes
    )
