"""Which quantisation a pull takes when none is named: of an entry, or of a repository."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from localspec.errors import DownloadFailed, SourceUnreachable
from localspec.models.candidates import Candidate, listed, scaled
from localspec.models.catalog.entries import Pair
from localspec.models.events import Event
from localspec.models.fit import Choice, best_quant
from localspec.models.header_memory import memory_of
from localspec.models.memory import ModelMemory
from localspec.models.model_file import ModelFacts
from localspec.models.offers import Offer, offers, same_model
from localspec.models.placement import Devices, MemoryOf
from localspec.models.quants import quality
from localspec.models.reference import Repo
from localspec.models.sources.hub import HubSource
from localspec.models.sources.listing import list_repo

_BEST = 8
"""More bits are as good, and slower."""


@dataclass(frozen=True, slots=True)
class Best:
    """A quantisation of an entry's target, and why."""

    quant: str
    reason: str
    place: Repo | None
    """Its file, where only the repository lists it."""


def offered_best(
    pair: Pair, devices: Devices, with_draft: bool, hub: HubSource | None
) -> Generator[Event, None, Best | None]:
    """Of what the entry lists, and on a machine with a GPU of what its repository holds as well,
    which is asked for at `hub`. None where there is nothing to choose."""
    candidates, machine = listed(pair), devices()
    if candidates is None or not machine:
        return None
    own = candidates.chosen
    offered = [each for each in candidates.targets if each.origin == "catalog"]
    held: dict[str, Offer] = {}
    if hub is not None and any(device.kind != "cpu" for device in machine):
        held = yield from _in_repository(pair, hub)
    more = _scaled([each for quant, each in held.items() if not _has(offered, quant)], own)
    draft = candidates.draft if with_draft else None
    choice = _best([*offered, *more], own, draft, machine)
    if choice is None:
        return None
    quant = choice.candidate.quant
    place = None
    if choice.candidate in more:
        place = Repo(pair.target.repo, file=held[quant].file, revision=pair.target.revision)
    return Best(quant, choice.reason, place)


def listed_best(
    offered: Sequence[Offer],
    usual: Offer,
    facts: ModelFacts,
    draft: ModelMemory | None,
    devices: Devices,
) -> tuple[Offer, str] | None:
    """Of the models that a repository lists, `usual` among them, whose header is `facts`: the best
    and why. None where there is nothing to choose."""
    own = Candidate(usual.quant, usual.bytes, memory_of(facts), "hub")
    found, machine = [own, *_scaled(offered, own)], devices()
    choice = _best(found, own, draft, machine) if machine else None
    if choice is None:
        return None
    by_quant = {each.quant: each for each in offered} | {usual.quant: usual}
    chosen = by_quant[choice.candidate.quant]
    return chosen, f"{chosen.quant}: {choice.reason}."


def _best(
    offered: Sequence[Candidate],
    own: Candidate,
    draft: ModelMemory | None,
    machine: Sequence[MemoryOf],
) -> Choice | None:
    if len({quality(each.quant) for each in offered}) < 2:
        return None
    return best_quant(offered, own, draft, machine, own.memory.usual_ctx)


def _in_repository(pair: Pair, hub: HubSource) -> Generator[Event, None, dict[str, Offer]]:
    """The target in all quantisations, by their names. Nothing where the hub doesn't tell: the
    entry's own file is a choice without it."""
    try:
        listing = yield from list_repo(pair.target.repo, pair.target.revision, hub)
    except (SourceUnreachable, DownloadFailed):
        return {}
    found = offers(listing.files)
    usual = next((each for each in found if each.file == pair.target.file), None)
    return {each.quant: each for each in same_model(found, usual)} if usual else {}


def _has(offered: Sequence[Candidate], quant: str) -> bool:
    return any(each.quant.lower() == quant.lower() for each in offered)


def _scaled(found: Sequence[Offer], own: Candidate) -> list[Candidate]:
    """Those of unknown quality are no choice."""
    return [
        scaled(own, each.quant, each.bytes, "hub")
        for each in found
        if 0 < quality(each.quant) <= _BEST and each.quant != own.quant
    ]
