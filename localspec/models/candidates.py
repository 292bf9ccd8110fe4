"""The quantisations of a model that one could run, each with the memory that it takes."""

from collections.abc import Mapping
from dataclasses import dataclass

from localspec.errors import NotPulled
from localspec.models import catalog, store
from localspec.models.catalog.entries import ModelFile, Pair
from localspec.models.catalog_memory import estimate, file_bytes, memory_of_target
from localspec.models.header_memory import memory_of
from localspec.models.memory import ModelMemory
from localspec.models.model_file import ModelFacts, read_model
from localspec.models.quants import USUAL, bits, scaled_bytes
from localspec.models.selection import choices
from localspec.models.store import InstalledPair


@dataclass(frozen=True, slots=True)
class Candidate:
    """One quantisation of a target."""

    quant: str
    file_bytes: int
    memory: ModelMemory
    origin: str
    """disk, catalog, hub, or usual: what repositories mostly hold, by its bits."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """A target's quantisations, the largest first, and its draft."""

    name: str
    targets: tuple[Candidate, ...]
    default: str
    """The quantisation that is used when none is named."""
    draft: ModelMemory | None
    draft_quant: str
    draft_bytes: int
    repo: str
    """Where the target comes from; empty for files of one's own."""

    @property
    def chosen(self) -> Candidate:
        return next(each for each in self.targets if each.quant == self.default)


def candidates_of(name: str) -> Candidates | None:
    """By the files on this disk, else by the catalog. None where the catalog doesn't know a size.
    Raises UnknownModel, BrokenModelFile, and NotPulled for files of one's own that are gone."""
    try:
        return _on_disk(store.resolve(name))
    except NotPulled:
        pair = catalog.find(name)
        if pair is None:
            raise
    return listed(pair)


def from_facts(
    name: str,
    target: ModelFacts,
    quant: str,
    draft: ModelFacts | None,
    origin: str,
    repo: str,
    listed_bytes: Mapping[str, int] | None = None,
) -> Candidates:
    """By headers, whether they were read from a disk or from the hub. `listed_bytes`, by
    quantisation, are what a repository holds of the target; without it the usual ones are."""
    own = Candidate(quant, target.file_bytes, memory_of(target), origin)
    return Candidates(
        name=name,
        targets=_with_usual([own]) if listed_bytes is None else _with_listed(own, listed_bytes),
        default=quant,
        draft=memory_of(draft) if draft else None,
        draft_quant=draft.quant if draft else "",
        draft_bytes=draft.file_bytes if draft else 0,
        repo=repo,
    )


def _on_disk(pair: InstalledPair) -> Candidates:
    target = read_model(pair.target)
    draft = read_model(pair.draft) if pair.draft else None
    entry = catalog.find(pair.name)
    quant = pair.quant or target.quant
    repo = entry.target.repo if entry and pair.source != "local" else ""
    return from_facts(pair.name, target, quant, draft, "disk", repo)


def listed(pair: Pair) -> Candidates | None:
    """By the catalog's numbers; None where it doesn't know how large the target is."""
    own = _from_entry(pair, pair.target)
    if own is None:
        return None
    offered = [own]
    for file in choices(pair, "target")[1:]:
        known = {each.quant for each in offered}
        if file.quant not in known and (other := _from_entry(pair, file)) is not None:
            offered.append(other)
    draft = next(iter(choices(pair, "draft")), None)
    return Candidates(
        name=pair.name,
        targets=_with_usual(offered),
        default=own.quant,
        draft=estimate(draft) if draft else None,
        draft_quant=(draft.quant or "") if draft else "",
        draft_bytes=(file_bytes(draft) or 0) if draft else 0,
        repo=pair.target.repo,
    )


def _from_entry(pair: Pair, file: ModelFile) -> Candidate | None:
    memory = memory_of_target(pair, file)
    size = file_bytes(file) or file_bytes(
        file.model_copy(update={"params_b": pair.target.params_b})
    )
    if memory is None or size is None:
        return None
    return Candidate(file.quant or "unknown", size, memory, "catalog")


def _with_usual(offered: list[Candidate]) -> tuple[Candidate, ...]:
    """With what is missing of the usual quantisations, reckoned from the first one."""
    known, own = {each.quant for each in offered}, offered[0]
    sizes = {quant: scaled_bytes(own.file_bytes, own.quant, quant) for quant in USUAL}
    more = [
        scaled(own, quant, size, "usual")
        for quant, size in sizes.items()
        if size is not None and quant not in known
    ]
    return _sorted([*offered, *more])


def _with_listed(own: Candidate, sizes: Mapping[str, int]) -> tuple[Candidate, ...]:
    others = {quant: size for quant, size in sizes.items() if quant.lower() != own.quant.lower()}
    return _sorted([own, *(scaled(own, *each, "hub") for each in others.items())])


def scaled(own: Candidate, quant: str, size: int, origin: str) -> Candidate:
    """The same model in another quantisation, reckoned by its size."""
    return Candidate(quant, size, own.memory.scaled(size / own.file_bytes), origin)


def _sorted(found: list[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(found, key=lambda each: (-(bits(each.quant) or 0.0), -each.file_bytes)))
