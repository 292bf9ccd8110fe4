"""Brings a pair onto this disk: plan, fetch, check, and only then ready.

A generator of events, so that the command line and the screen watch the same pull. Closing it
cancels; the next pull goes on with what was fetched.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from localspec import paths
from localspec.errors import UsageError
from localspec.models import catalog, records, store
from localspec.models.catalog.entries import Pair
from localspec.models.compat import check_pair
from localspec.models.events import Done, Event, Notice
from localspec.models.fetching import fetch_file
from localspec.models.locating import SourceName, locate_all
from localspec.models.model_file import read_model
from localspec.models.placement import MemoryOf
from localspec.models.plan import make_plan, refuse_if_too_large
from localspec.models.presence import find_present
from localspec.models.quant_choice import offered_best
from localspec.models.records import PairRecord, StoredFile
from localspec.models.selection import Wanted, select
from localspec.models.sources.hub import HubSource
from localspec.models.sources.located import Located


@dataclass(frozen=True, slots=True)
class PullRequest:
    name: str
    quant: str | None = None
    draft_quant: str | None = None
    with_draft: bool = True
    source: SourceName = "auto"
    force: bool = False
    """Begin even if the files seem not to fit on the disk."""
    devices: Callable[[], Sequence[MemoryOf]] | None = None
    """Asked for the machine's memory where there is a quantisation to choose."""


def pull(request: PullRequest) -> Iterator[Event]:
    """The plan comes before any byte is fetched, Done comes last. Raises LocalspecError."""
    pair = catalog.find(request.name)
    if pair is None:
        if store.is_known(request.name):
            raise UsageError(f"{request.name} is made of your own files: there is nothing to pull.")
        raise store.unknown(request.name)
    quant = request.quant
    if quant is None and request.devices and (choice := offered_best(pair, request.devices)):
        quant = choice.candidate.quant
        yield Notice(f"{quant}: {choice.reason}.")
    selection = select(pair, quant, request.draft_quant, request.with_draft)
    if selection.notice:
        yield Notice(selection.notice)
    yield from _pull_files(pair, selection.files, request)


def _pull_files(pair: Pair, files: tuple[Wanted, ...], request: PullRequest) -> Iterator[Event]:
    hub = HubSource()
    here: dict[Wanted, StoredFile] = {}
    for wanted in files:
        found = yield from find_present(wanted, hub.cache)
        if found is not None:
            here[wanted] = found
    missing = [wanted for wanted in files if wanted not in here]
    source, located = yield from locate_all(missing, request.source, hub)
    plan = make_plan(pair, here, located, source.name)
    yield plan
    if not request.force:
        refuse_if_too_large(plan)
    for number, each in enumerate(located):
        _note_partial(pair, here, located[number:], source.name)
        here[each.wanted] = yield from fetch_file(each, source)
    yield from _finish(pair, [here[wanted] for wanted in files])


def _note_partial(
    pair: Pair, here: dict[Wanted, StoredFile], located: list[Located], source: str
) -> None:
    """So that `list` and `rm` know of an interrupted pull. A ready pair stays ready meanwhile."""
    former = records.load(pair.name)
    if not (former and former.is_ready()):
        files = [*here.values(), *(_unfinished(each) for each in located)]
        records.save(_record(pair, files, former, source=source, verified=False))


def _unfinished(each: Located) -> StoredFile:
    wanted = each.wanted
    return StoredFile(
        role=wanted.role,
        path=each.path,
        bytes=each.bytes,
        sha256=each.sha256,
        quant=wanted.quant,
        repo=wanted.repo,
        partial=each.partial,
    )


def _finish(pair: Pair, files: list[StoredFile]) -> Iterator[Event]:
    target = next(file.path for file in files if file.role == "target")
    draft = next((file.path for file in files if file.role == "draft"), None)
    if draft is None:
        read_model(target)
    else:
        check_pair(target, draft, hint=f"Run `localspec pull {pair.name} --no-draft`.")
    former = records.load(pair.name)
    source = "wheels" if paths.models_dir() in target.parents else "hub"
    record = _record(pair, files, former, source=source, verified=True)
    records.save(record)
    kept = {file.path for file in files}
    for file in former.files if former else ():
        if file.owned and file.path not in kept and file.path.exists():
            yield Notice(f"The former {file.role} stays at {file.path}; delete it by hand.")
    yield Done(store.installed_pair(record))


def _record(
    pair: Pair,
    files: list[StoredFile],
    former: PairRecord | None,
    *,
    source: str,
    verified: bool,
) -> PairRecord:
    return PairRecord.model_validate(
        {
            "name": pair.name,
            "source": source,
            "license": pair.license,
            "files": files,
            "verified": verified,
            "last_used": former.last_used if former else None,
        }
    )
