"""What a pull or a check is about: the files that were asked for, by name or by place."""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace

from localspec.errors import DownloadFailed, NotPulled, SourceUnreachable, UsageError
from localspec.models import catalog, pair_names, store
from localspec.models.catalog.entries import Pair
from localspec.models.events import Event
from localspec.models.locating import SourceName
from localspec.models.records import PairRecord, StoredFile
from localspec.models.reference import Name, Repo, parse
from localspec.models.repo_choice import choose_in_repo
from localspec.models.selection import Selection, Wanted, choices, select
from localspec.models.sources.hub import HubSource
from localspec.models.sources.hub_cache import place_of

_NO_DRAFT = (
    "No draft is known for {name}: speculation will use what was said before (suffix)."
    " `localspec drafts {name}` looks for one."
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
        draft = yield from _named(request.draft, request.draft_quant, hub)
        chosen = _joined(chosen, draft)
    if not request.with_draft:
        chosen = replace(chosen, files=chosen.of("target"), notice="")
    here = {wanted: file for wanted, file in chosen.here.items() if wanted in chosen.files}
    return replace(chosen, here=here)


def _target(request: PullRequest, hub: HubSource) -> Generator[Event, None, Chosen]:
    asked = parse(request.name)
    asked = replace(asked, quant=_one_quant(asked.quant, request.quant))
    pair = catalog.find(asked.name) if isinstance(asked, Name) else None
    if pair is not None:
        chosen = yield from _in_catalog(pair, asked.quant, request, hub)
        return chosen
    record = store.find_record(asked)
    if record is not None:
        if record.source == "local":
            raise UsageError(f"{record.name} is made of your own files: there is nothing to pull.")
        return _recorded(record)
    if isinstance(asked, Name):
        raise store.unknown(asked.name)
    found = yield from choose_in_repo(asked, "target", hub)
    name = pair_names.of_repo(found.files[0])
    chosen = Chosen(name, found.files, found.license, found.gated)
    return _with_known_draft(chosen, request)


def _one_quant(named: str | None, given: str | None) -> str | None:
    if named and given and named.lower() != given.lower():
        raise UsageError(f"{named} and --quant {given} exclude each other.")
    return named or given


def _in_catalog(
    pair: Pair, quant: str | None, request: PullRequest, hub: HubSource
) -> Generator[Event, None, Chosen]:
    with_draft = request.with_draft and not request.draft
    draft_quant = request.draft_quant if with_draft else None
    try:
        found = select(pair, quant, draft_quant, with_draft)
    except UsageError as refusal:
        listed = [(file.quant or "").lower() for file in choices(pair, "target")]
        if quant is None or quant.lower() in listed or request.source == "wheels":
            raise
        # The entry lists what was checked; its repository holds more.
        place = Repo(pair.target.repo, quant)
        try:
            other = yield from choose_in_repo(place, "target", hub)
        except (SourceUnreachable, DownloadFailed):
            raise refusal from None
        rest = select(pair, None, draft_quant, with_draft)
        drafts = [file for file in rest.files if file.role == "draft"]
        found = Selection((*other.files, *drafts), rest.notice)
    return Chosen(pair.name, found.files, pair.license, pair.gated, notice=found.notice)


def _recorded(record: PairRecord) -> Chosen:
    """As a former pull began or finished it: the same commit, so that it resumes."""
    files, here = [], {}
    for file in record.files:
        wanted = _wanted(file)
        files.append(wanted)
        if file.is_checked() or (not file.owned and file.is_whole()):
            here[wanted] = file
    # Whoever began to fetch it had access.
    return Chosen(record.name, tuple(files), record.license, False, here)


def _wanted(file: StoredFile) -> Wanted:
    commit, name = place_of(file.path) or (None, file.path.name)
    return Wanted(file.role, file.repo, name, file.quant, file.bytes, file.sha256, commit)


def _named(
    text: str, quant: str | None, hub: HubSource
) -> Generator[Event, None, tuple[tuple[Wanted, ...], dict[Wanted, StoredFile]]]:
    """The target that the text names, as a draft."""
    asked = parse(text)
    asked = replace(asked, quant=_one_quant(asked.quant, quant))
    record = store.find_record(asked)
    if record is not None and (record.is_ready() or record.source == "local"):
        return _as_draft(record)
    if isinstance(asked, Repo):
        found = yield from choose_in_repo(asked, "draft", hub)
        return found.files, {}
    pair = catalog.find(asked.name)
    if pair is None:
        raise store.unknown(asked.name)
    files = select(pair, asked.quant, with_draft=False).files
    return tuple(replace(file, role="draft") for file in files), {}


def _as_draft(record: PairRecord) -> tuple[tuple[Wanted, ...], dict[Wanted, StoredFile]]:
    here = {}
    for file in record.files:
        if file.role == "target":
            if not file.is_whole():
                raise NotPulled(f"{record.name}'s file {file.path} is gone.", "Add it again.")
            draft = file.model_copy(update={"role": "draft"})
            here[_wanted(draft)] = draft
    return tuple(here), here


def _joined(
    chosen: Chosen, draft: tuple[tuple[Wanted, ...], Mapping[Wanted, StoredFile]]
) -> Chosen:
    files, here = draft
    targets = chosen.of("target")
    if {(file.repo, file.file) for file in files} & {(file.repo, file.file) for file in targets}:
        told = f"{files[0].file} is the target itself: it can't draft faster."
        raise UsageError(told, "Choose a smaller model as the draft.")
    return replace(chosen, files=(*targets, *files), here=dict(chosen.here) | dict(here), notice="")


def _with_known_draft(chosen: Chosen, request: PullRequest) -> Chosen:
    """The draft of a catalog's pair whose target is of the same repository."""
    if request.draft or not request.with_draft:
        return chosen
    pair = _entry_of(chosen.files)
    if pair is None:
        return replace(chosen, notice=_NO_DRAFT.format(name=chosen.name))
    selection = select(pair, None, request.draft_quant)
    drafts = tuple(file for file in selection.files if file.role == "draft")
    return replace(chosen, files=(*chosen.files, *drafts), notice=selection.notice)


def _entry_of(files: Iterable[Wanted]) -> Pair | None:
    repos = {file.repo.lower() for file in files}
    return next((pair for pair in catalog.pairs() if pair.target.repo.lower() in repos), None)
