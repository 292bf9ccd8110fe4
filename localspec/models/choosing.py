"""What a pull or a check is about: the files that were asked for, by name or by place."""

import shlex
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from localspec.errors import DownloadFailed, SourceUnreachable, UsageError
from localspec.models import catalog, pair_names, records, store
from localspec.models.catalog.entries import Pair
from localspec.models.events import Event, Notice
from localspec.models.given_draft import PAIRED, GivenDraft, as_wanted, known_draft, named_draft
from localspec.models.locating import SourceName
from localspec.models.model_file import ModelFacts, ReadModel, read_model
from localspec.models.offers import Offer
from localspec.models.placement import Devices
from localspec.models.quant_choice import listed_best, offered_best
from localspec.models.records import PairRecord, StoredFile
from localspec.models.reference import Name, Repo, one_quant, parse
from localspec.models.repo_choice import Pick, choose_in_repo
from localspec.models.selection import Selection, Wanted, choices, select
from localspec.models.sources.hub import HubSource

_NO_DRAFT = (
    "No draft is known for {name}: speculation will use what was said before (suffix)."
    " `localspec drafts {place}` explains."
)


@dataclass(frozen=True, slots=True)
class PullRequest:
    name: str
    """A name of the catalog or of this disk, or a place on the hub."""
    quant: str | None = None
    draft_quant: str | None = None
    with_draft: bool = True
    source: SourceName = "auto"
    force: bool = False
    """Begin even if the files seem not to fit on the disk."""
    draft: str | None = None
    """The draft's name or place; none leaves the choice to localspec."""
    devices: Devices | None = None
    """Asked for the machine's memory where there is a quantisation to choose."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A pair before anything of it is fetched."""

    name: str
    """What it is called on this disk."""
    files: tuple[Wanted, ...]
    license: str
    gated: bool
    here: Mapping[Wanted, StoredFile] = field(default_factory=dict)
    """Files of pairs on this disk; the others are looked for."""
    notice: str = ""
    draft_reason: str = ""
    """Why it is this draft, as a clause; empty where `notice` tells it."""
    offered: tuple[Offer, ...] = ()
    """The target in all quantisations, where its repository was asked for them."""

    def of(self, role: str) -> tuple[Wanted, ...]:
        return tuple(file for file in self.files if file.role == role)


def choose(request: PullRequest, hub: HubSource) -> Generator[Event, None, Chosen]:
    """Asks the hub only for what neither the catalog nor the disk knows.

    Raises UsageError with the choices where the request fits no file or several, BrokenModelFile
    where it fits no language model, and what the hub raises.
    """
    if not request.with_draft and (request.draft or request.draft_quant):
        option = "--draft" if request.draft else "--draft-quant"
        raise UsageError(f"{option} and --no-draft exclude each other.")
    chosen = yield from _target(request, hub)
    if request.draft:
        draft = yield from named_draft(request.draft, request.draft_quant, hub)
        chosen = _joined(replace(chosen, files=chosen.of("target")), draft)
    if not request.with_draft:
        chosen = replace(chosen, files=chosen.of("target"), notice="")
    here = {wanted: file for wanted, file in chosen.here.items() if wanted in chosen.files}
    return replace(chosen, here=here)


def _target(request: PullRequest, hub: HubSource) -> Generator[Event, None, Chosen]:
    """With the draft that belongs to it."""
    asked = parse(request.name)
    asked = replace(asked, quant=one_quant(asked, request.quant))
    pair = catalog.find(asked.name) if isinstance(asked, Name) else None
    if pair is not None:
        chosen = yield from _in_catalog(pair, asked.quant, request, hub)
        return chosen
    record = store.find_record(asked)
    if record is not None:
        if record.source == "local":
            told = f"{record.name} is made of your own files: there is nothing to pull."
            name = record.name
            raise UsageError(
                told, f"`localspec fit {name}` and `localspec drafts {name}` judge it."
            )
        return _recorded(record)
    if isinstance(asked, Name):
        raise store.unknown(asked.name)
    chosen = yield from _in_repo(asked, request, hub)
    return chosen


def _in_repo(asked: Repo, request: PullRequest, hub: HubSource) -> Generator[Event, None, Chosen]:
    # The draft is looked for before a quantisation is chosen and after: each file is read once.
    read = cache(read_model)
    found = yield from choose_in_repo(asked, "target", hub, _pick(asked, request, read))
    name = pair_names.of_repo(found.files[0])
    chosen = Chosen(name, found.files, found.license, found.gated, offered=found.offered)
    if request.draft or not request.with_draft:
        return chosen
    draft = known_draft(found.facts, asked.repo, request.draft_quant, read)
    if not draft.files:
        place = shlex.quote(str(asked))
        return replace(chosen, notice=_NO_DRAFT.format(name=name, place=place))
    return _joined(chosen, draft)


def _pick(asked: Repo, request: PullRequest, read: ReadModel) -> Pick | None:
    """The best quality that goes on the GPU beside the draft."""
    devices = request.devices
    if devices is None:
        return None

    def pick(found: Sequence[Offer], usual: Offer, facts: ModelFacts) -> tuple[Offer, str] | None:
        with_draft = request.with_draft and not request.draft
        draft = known_draft(facts, asked.repo, request.draft_quant, read) if with_draft else None
        return listed_best(found, usual, facts, draft.memory if draft else None, devices)

    return pick


def _in_catalog(
    pair: Pair, quant: str | None, request: PullRequest, hub: HubSource
) -> Generator[Event, None, Chosen]:
    former = records.load(pair.name)
    listed = [(file.quant or "").lower() for file in choices(pair, "target")]
    if quant is None and former is not None:
        quant = next(file.quant for file in former.files if file.role == "target")
        if quant.lower() not in listed:
            return _recorded(former)
    with_draft = request.with_draft and not request.draft
    place = Repo(pair.target.repo, quant)
    if quant is None and request.devices:
        holder = None if request.source == "wheels" else hub
        best = yield from offered_best(pair, request.devices, with_draft, holder)
        if best is not None:
            quant, place = best.quant, best.place or place
            yield Notice(f"{quant}: {best.reason}.")
    draft_quant = request.draft_quant if with_draft else None
    try:
        found = select(pair, quant, draft_quant, with_draft)
    except UsageError as refusal:
        if quant is None or quant.lower() in listed or request.source == "wheels":
            raise
        # The entry lists what was checked; its repository holds more.
        try:
            other = yield from choose_in_repo(place, "target", hub)
        except (SourceUnreachable, DownloadFailed):
            raise refusal from None
        rest = select(pair, None, draft_quant, with_draft)
        drafts = [file for file in rest.files if file.role == "draft"]
        found = Selection((*other.files, *drafts), rest.notice)
    return Chosen(
        pair.name,
        found.files,
        pair.license,
        pair.gated,
        notice=found.notice,
        draft_reason=PAIRED,
    )


def _recorded(record: PairRecord) -> Chosen:
    """As a former pull began or finished it: the same commit, so that it resumes."""
    files, here = [], {}
    for file in record.files:
        wanted = as_wanted(file)
        files.append(wanted)
        if file.is_checked() or (not file.owned and file.is_whole()):
            here[wanted] = file
    # Whoever began to fetch it had access.
    return Chosen(record.name, tuple(files), record.license, False, here, draft_reason="as before")


def _joined(chosen: Chosen, draft: GivenDraft) -> Chosen:
    targets = {(file.repo, file.file) for file in chosen.files}
    if targets & {(file.repo, file.file) for file in draft.files}:
        told = f"{draft.files[0].file} is the target itself: it can't draft faster."
        raise UsageError(told, "Choose a smaller model as the draft.")
    licence = chosen.license
    if draft.license and draft.license != licence:
        licence += f"; the draft: {draft.license}"
    return replace(
        chosen,
        files=(*chosen.files, *draft.files),
        license=licence,
        gated=chosen.gated or draft.gated,
        here={**chosen.here, **draft.here},
        notice=draft.notice,
        draft_reason=draft.reason,
    )
