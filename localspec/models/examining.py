"""What `check` finds out of a pair before anything of it is fetched: by headers and sizes alone."""

from collections.abc import Container, Generator, Sequence
from dataclasses import dataclass

from localspec.models import head_store
from localspec.models.choosing import Chosen, PullRequest, choose
from localspec.models.events import Event
from localspec.models.header_facts import HeaderFacts
from localspec.models.locating import locate
from localspec.models.model_file import ModelFacts
from localspec.models.offers import Offer
from localspec.models.placement import Placement
from localspec.models.plan import free_bytes
from localspec.models.precheck import facts_of, misfit_of, placed
from localspec.models.presence import candidates
from localspec.models.records import Role
from localspec.models.selection import Wanted, size_text
from localspec.models.sources.hub import HubSource


@dataclass(frozen=True, slots=True)
class Examined:
    """One model of the pair."""

    role: Role
    files: tuple[Wanted, ...]
    """All parts, with their sizes."""
    facts: ModelFacts
    missing_bytes: int
    """What is left to fetch."""

    @property
    def bytes(self) -> int:
        return sum(file.bytes or 0 for file in self.files)

    @property
    def header(self) -> HeaderFacts:
        return HeaderFacts.of(self.facts)

    @property
    def quant(self) -> str:
        """As the file's name has it, else as its header says."""
        return self.files[0].quant or self.facts.quant


@dataclass(frozen=True, slots=True)
class Verdict:
    name: str
    """What the pair would be called on this disk."""
    license: str
    gated: bool
    target: Examined
    draft: Examined | None
    notice: str
    """Why there is no draft, or none that can be used."""
    draft_reason: str
    """Why it is this draft, as a clause; empty where `notice` tells it."""
    misfit: str
    """Why the draft can't draft; empty where it can, or there is none."""
    free_bytes: int
    placement: Placement | None
    """What would go where on this machine; None where its memory wasn't asked for."""
    offered: tuple[Offer, ...] = ()
    """The target in all quantisations, where its repository was asked for them."""

    @property
    def missing_bytes(self) -> int:
        return sum(each.missing_bytes for each in (self.target, self.draft) if each)

    @property
    def refusal(self) -> str:
        """Why it can't be pulled or used here; empty where it can."""
        if self.misfit:
            return self.misfit
        if self.missing_bytes > self.free_bytes:
            need, free = size_text(self.missing_bytes), size_text(self.free_bytes)
            return f"{self.name} needs {need} and the disk has {free} free."
        if self.placement and not self.placement.fits:
            return f"{self.name} doesn't fit in memory: {self.placement.reason}"
        return ""


def examine(request: PullRequest) -> Generator[Event, None, Verdict]:
    """Raises what a pull would before its first file, but for a misfit and a lack of room."""
    hub = HubSource()
    chosen = yield from choose(request, hub)
    target = yield from _examined(chosen, "target", hub)
    draft = (yield from _examined(chosen, "draft", hub)) if chosen.of("draft") else None
    misfit = misfit_of(target.facts, draft.facts if draft else None)
    drafting = draft.facts if draft and not misfit else None
    placement = placed(target.facts, drafting, request.devices)
    return Verdict(
        name=chosen.name,
        license=chosen.license or target.facts.license or "not told",
        gated=chosen.gated,
        target=target,
        draft=draft,
        notice=chosen.notice,
        draft_reason=chosen.draft_reason,
        misfit=misfit,
        free_bytes=free_bytes(hub.cache.root / chosen.name),
        placement=placement,
        offered=chosen.offered,
    )


def _examined(chosen: Chosen, role: Role, hub: HubSource) -> Generator[Event, None, Examined]:
    files = yield from _sized(chosen.of(role), chosen.here, hub)
    facts = yield from facts_of(files, chosen.here, hub)
    missing = sum(_missing(file, chosen, hub) for file in files)
    return Examined(role, files, facts, missing)


def _sized(
    files: Sequence[Wanted], here: Container[Wanted], hub: HubSource
) -> Generator[Event, None, tuple[Wanted, ...]]:
    """The catalog doesn't know every size. A hub that can't be reached is told of at once here;
    while a header is read it would be tried again and again."""
    sized = []
    for file in files:
        has_head = file.bytes is not None and head_store.load_head(file) is not None
        if file not in here and not has_head and not candidates(file, hub.cache):
            file = (yield from locate(file, hub)).pinned()
        sized.append(file)
    return tuple(sized)


def _missing(file: Wanted, chosen: Chosen, hub: HubSource) -> int:
    if file in chosen.here or candidates(file, hub.cache):
        return 0
    partial = hub.cache.partial(file, file.sha256 or "")
    begun = partial.stat().st_size if file.sha256 and partial.exists() else 0
    return max((file.bytes or 0) - begun, 0)
