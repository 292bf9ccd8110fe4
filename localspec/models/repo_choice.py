"""Which model of a repository is meant: by name where that tells, else by its header."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from localspec.errors import BrokenModelFile
from localspec.models.events import Event, Notice
from localspec.models.model_file import ModelFacts, refuse_other_kinds
from localspec.models.offers import Offer, matching, offers, same_model, several_fit
from localspec.models.records import Role
from localspec.models.reference import Repo
from localspec.models.remote import remote_header, remote_model
from localspec.models.selection import Wanted
from localspec.models.sources.hub import HubSource
from localspec.models.sources.listing import Listing, list_repo

_MOST_HEADERS = 4

Pick = Callable[[Sequence[Offer], Offer, ModelFacts], tuple[Offer, str] | None]
"""Given a model in all its quantisations, the usual one and its facts: a better one, and why."""


@dataclass(frozen=True, slots=True)
class RepoChoice:
    files: tuple[Wanted, ...]
    """All parts, pinned to the commit that was listed."""
    facts: ModelFacts
    license: str
    gated: bool
    offered: tuple[Offer, ...] = ()
    """The model in all its quantisations."""


def choose_in_repo(
    reference: Repo, role: Role, hub: HubSource, pick: Pick | None = None
) -> Generator[Event, None, RepoChoice]:
    """`pick` is asked where the reference leaves the quantisation open.

    Raises UsageError with the choices where none or several fit, BrokenModelFile where the one
    that fits is no language model, and what the hub raises.
    """
    listing = yield from list_repo(reference.repo, reference.revision, hub)
    found = offers(listing.files)
    fitting = matching(found, reference)
    if len(fitting) > 1:
        fitting = yield from _models_among(fitting, reference, listing, hub)
    files = _wanted(fitting[0], role, listing)
    facts = yield from remote_model(files, hub)
    alike = same_model(found, fitting[0])
    open_choice = reference.quant is None and reference.file is None
    if pick and open_choice and (better := pick(alike, fitting[0], facts)):
        offer, reason = better
        yield Notice(reason)
        if offer is not fitting[0]:
            files = _wanted(offer, role, listing)
            facts = yield from remote_model(files, hub)
    told = listing.license or facts.license or "not told"
    return RepoChoice(files, facts, told, listing.gated, tuple(alike))


def _models_among(
    fitting: list[Offer], reference: Repo, listing: Listing, hub: HubSource
) -> Generator[Event, None, list[Offer]]:
    """A projector beside a model, both F16, is no second choice. Raises UsageError for several."""
    if len(fitting) > _MOST_HEADERS:
        raise several_fit(fitting, reference)
    models, refusal = [], None
    for offer in fitting:
        header = yield from remote_header(_wanted(offer, "target", listing)[0], hub)
        try:
            refuse_other_kinds(header)
        except BrokenModelFile as error:
            refusal = error
        else:
            models.append(offer)
    if refusal and not models:
        raise refusal
    if len(models) > 1:
        raise several_fit(models, reference)
    return models


def _wanted(offer: Offer, role: Role, listing: Listing) -> tuple[Wanted, ...]:
    return tuple(
        Wanted(role, listing.repo, part.file, offer.quant, part.bytes, part.sha256, listing.commit)
        for part in offer.parts
    )
