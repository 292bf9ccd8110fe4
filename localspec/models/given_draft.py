"""The draft of a pull: the one that was named, else the best that is known to fit."""

from collections.abc import Generator
from dataclasses import dataclass, field, replace

from localspec.errors import NotPulled
from localspec.models import catalog, store
from localspec.models.catalog.entries import Alternative
from localspec.models.catalog_memory import estimate
from localspec.models.drafts.attaching import known_files
from localspec.models.drafts.choice import DraftChoice, best_draft
from localspec.models.events import Event
from localspec.models.header_memory import memory_of
from localspec.models.memory import ModelMemory
from localspec.models.model_file import ModelFacts, ReadModel, read_model
from localspec.models.records import PairRecord, StoredFile
from localspec.models.reference import Repo, one_quant, parse
from localspec.models.repo_choice import choose_in_repo
from localspec.models.selection import Wanted, select
from localspec.models.sources.hub import HubSource
from localspec.models.sources.hub_cache import place_of

PAIRED = "the catalog pairs them"
_NAMED = "you named it"


@dataclass(frozen=True, slots=True)
class GivenDraft:
    files: tuple[Wanted, ...] = ()
    here: dict[Wanted, StoredFile] = field(default_factory=dict)
    """Those that lie on this disk, wherever that is."""
    notice: str = ""
    reason: str = ""
    """Why this one, as a clause, where no notice tells it."""
    memory: ModelMemory | None = None
    """What it takes, where that is known before its header is."""
    license: str = ""
    """Empty where nobody told it."""
    gated: bool = False


def named_draft(text: str, quant: str | None, hub: HubSource) -> Generator[Event, None, GivenDraft]:
    """The target that the text names, as a draft. Raises as a pull of it would."""
    asked = parse(text)
    asked = replace(asked, quant=one_quant(asked, quant))
    record = store.find_record(asked)
    if record is not None and (record.is_ready() or record.source == "local"):
        return replace(_on_disk(_targets(record)), reason=_NAMED)
    if isinstance(asked, Repo):
        found = yield from choose_in_repo(asked, "draft", hub)
        return GivenDraft(found.files, reason=_NAMED, license=found.license, gated=found.gated)
    pair = catalog.find(asked.name)
    if pair is None:
        raise store.unknown(asked.name)
    files = select(pair, asked.quant, with_draft=False).files
    drafts = tuple(replace(file, role="draft") for file in files)
    return GivenDraft(drafts, reason=_NAMED, license=pair.license, gated=pair.gated)


def known_draft(
    target: ModelFacts, repo: str, quant: str | None, read: ReadModel = read_model
) -> GivenDraft:
    """Of the catalog's pair whose target is of this repository, else what fits and pays; nothing
    where none is known."""
    entry = next((e for e in catalog.pairs() if e.target.repo.lower() == repo.lower()), None)
    if entry is not None and entry.kind == "draft":
        files = select(entry, None, quant).files
        memory = estimate(entry.draft) if entry.draft else None
        drafts = tuple(file for file in files if file.role == "draft")
        return GivenDraft(drafts, reason=PAIRED, memory=memory, gated=entry.gated)
    choice = best_draft(target, read=read)
    return of_choice(choice) if choice else GivenDraft()


def of_choice(choice: DraftChoice) -> GivenDraft:
    notice = f"Draft: {choice.reason}"
    path, file = choice.candidate.path, choice.candidate.file
    if path is not None:
        facts = read_model(path)
        return replace(_on_disk(known_files(facts)), notice=notice, memory=memory_of(facts))
    whole = file.as_file() if isinstance(file, Alternative) else file
    return GivenDraft(choice.wanted, notice=notice, memory=estimate(whole) if whole else None)


def as_wanted(file: StoredFile) -> Wanted:
    """The file as a pull asked for it, at the commit that it has."""
    commit, name = place_of(file.path) or (None, file.path.name)
    return Wanted(file.role, file.repo, name, file.quant, file.bytes, file.sha256, commit)


def _targets(record: PairRecord) -> list[StoredFile]:
    files = [file for file in record.files if file.role == "target"]
    for file in files:
        if not file.is_whole():
            raise NotPulled(f"{record.name}'s file {file.path} is gone.", "Add it again.")
    return [file.model_copy(update={"role": "draft"}) for file in files]


def _on_disk(files: list[StoredFile]) -> GivenDraft:
    here = {as_wanted(file): file for file in files}
    return GivenDraft(tuple(here), here)
