"""Brings a pair onto this disk: choose, plan, check the headers, fetch, check, and only then ready.

A generator of events, so that the command line and the screen watch the same pull. Closing it
cancels; the next pull goes on with what was fetched.
"""

from collections.abc import Iterator
from typing import Literal

from localspec import paths
from localspec.models import records, store
from localspec.models.choosing import Chosen, PullRequest, choose
from localspec.models.compat import check_pair
from localspec.models.events import Done, Event, Notice
from localspec.models.fetching import fetch_file
from localspec.models.locating import locate_all
from localspec.models.model_file import read_model
from localspec.models.plan import make_plan, refuse_if_too_large
from localspec.models.precheck import check_headers
from localspec.models.presence import find_all
from localspec.models.records import PairRecord, StoredFile
from localspec.models.selection import Wanted
from localspec.models.sources.hub import HubSource
from localspec.models.sources.located import Located

__all__ = ["PullRequest", "pull"]


def pull(request: PullRequest) -> Iterator[Event]:
    """The plan and the pair check come before the files, Done comes last. Raises LocalspecError."""
    said = set()
    for event in _pull(request, HubSource()):
        if isinstance(event, Notice):
            # A mirror's hint comes with the header and with the file.
            if event.text in said:
                continue
            said.add(event.text)
        yield event


def _pull(request: PullRequest, hub: HubSource) -> Iterator[Event]:
    chosen = yield from choose(request, hub)
    if chosen.notice:
        yield Notice(chosen.notice)
    here = yield from find_all(chosen.files, chosen.here, hub.cache)
    missing = [wanted for wanted in chosen.files if wanted not in here]
    source, located = yield from locate_all(missing, request.source, hub)
    plan = make_plan(chosen, here, located, source.name)
    yield plan
    if not request.force:
        refuse_if_too_large(plan)
    yield from check_headers(chosen, here, located, source, hub, request.devices)
    for number, each in enumerate(located):
        _note_partial(chosen, here, located[number:], source.name)
        here[each.wanted] = yield from fetch_file(each, source)
    yield from _finish(chosen, [here[wanted] for wanted in chosen.files])


def _note_partial(
    chosen: Chosen,
    here: dict[Wanted, StoredFile],
    located: list[Located],
    source: Literal["hub", "wheels"],
) -> None:
    """So that `list` and `rm` know of an interrupted pull. A ready pair stays ready meanwhile."""
    former = records.load(chosen.name)
    if not (former and former.is_ready()):
        files = [*here.values(), *(_unfinished(each) for each in located)]
        records.save(_record(chosen, files, former, source=source, verified=False))


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


def _finish(chosen: Chosen, files: list[StoredFile]) -> Iterator[Event]:
    target = next(file.path for file in files if file.role == "target")
    draft = next((file.path for file in files if file.role == "draft"), None)
    if draft is None:
        read_model(target)
    else:
        check_pair(target, draft, hint=f"Run `localspec pull {chosen.name} --no-draft`.")
    former = records.load(chosen.name)
    source: Literal["hub", "wheels"] = "wheels" if paths.models_dir() in target.parents else "hub"
    record = _record(chosen, files, former, source=source, verified=True)
    records.save(record)
    kept = {file.path for file in files}
    for file in former.files if former else ():
        if file.owned and file.path not in kept and file.path.exists():
            yield Notice(f"The former {file.role} stays at {file.path}; delete it by hand.")
    yield Done(store.installed_pair(record))


def _record(
    chosen: Chosen,
    files: list[StoredFile],
    former: PairRecord | None,
    *,
    source: Literal["hub", "wheels"],
    verified: bool,
) -> PairRecord:
    return PairRecord(
        name=chosen.name,
        source=source,
        license=chosen.license,
        files=tuple(files),
        verified=verified,
        last_used=former.last_used if former else None,
    )
