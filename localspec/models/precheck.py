"""The pair check by headers alone, so that no download of gigabytes ends in a refusal."""

from collections.abc import Generator, Iterator, Mapping, Sequence

from localspec.errors import PairMismatch
from localspec.models.choosing import Chosen
from localspec.models.compat import broken_rule
from localspec.models.events import Checked, Event
from localspec.models.gguf_header import GgufHeader, read_header
from localspec.models.header_facts import HeaderFacts
from localspec.models.header_memory import memory_of
from localspec.models.model_file import ModelFacts, model_of
from localspec.models.placement import Devices, Placement
from localspec.models.placing import plan
from localspec.models.records import StoredFile
from localspec.models.remote import remote_model
from localspec.models.selection import Wanted
from localspec.models.sources.hub import HubSource
from localspec.models.sources.located import Located, Source


def check_headers(
    chosen: Chosen,
    here: Mapping[Wanted, StoredFile],
    located: Sequence[Located],
    source: Source,
    hub: HubSource,
    devices: Devices | None,
) -> Iterator[Event]:
    """Raises BrokenModelFile for what is no model, PairMismatch for what doesn't fit."""
    if not located or source.name == "wheels":
        # Wheels carry only files whose very bytes the catalog pins and has checked.
        return
    pinned = {each.wanted: each.pinned() for each in located}
    targets, drafts = (
        [pinned.get(each, each) for each in chosen.of(role)] for role in ("target", "draft")
    )
    target = yield from facts_of(targets, here, hub)
    draft = (yield from facts_of(drafts, here, hub)) if drafts else None
    misfit = misfit_of(target, draft)
    yield Checked(
        HeaderFacts.of(target),
        HeaderFacts.of(draft) if draft else None,
        misfit,
        chosen.draft_reason,
        None if misfit else placed(target, draft, devices),
    )
    if misfit:
        raise _refusal(misfit)


def facts_of(
    files: Sequence[Wanted], here: Mapping[Wanted, StoredFile], hub: HubSource
) -> Generator[Event, None, ModelFacts]:
    """Of one model, by what lies here, else by its headers on the hub."""
    paths = [here[file].path for file in files if file in here]
    if len(paths) == len(files):
        headers: list[GgufHeader] = [read_header(path) for path in paths]
        return model_of(headers)
    facts = yield from remote_model(files, hub)
    return facts


def refuse_misfit(target: ModelFacts, draft: ModelFacts) -> None:
    """Raises PairMismatch."""
    if misfit := misfit_of(target, draft):
        raise _refusal(misfit)


def misfit_of(target: ModelFacts, draft: ModelFacts | None) -> str:
    """Why the draft can't draft, in a sentence; empty where it can, or there is none."""
    rule = broken_rule(target.vocabulary, draft.vocabulary) if draft else ""
    if draft is None or not rule:
        return ""
    return f"{draft.path.name} can't draft for {target.path.name}: {rule}."


def placed(
    target: ModelFacts, draft: ModelFacts | None, devices: Devices | None
) -> Placement | None:
    """With the default context; None where the machine can't be asked."""
    found = devices() if devices else ()
    if not found:
        return None
    memory = memory_of(target)
    return plan(memory, memory_of(draft) if draft else None, found, memory.usual_ctx)


def _refusal(misfit: str) -> PairMismatch:
    return PairMismatch(misfit, "Nothing was fetched: choose another --draft, or use --no-draft.")
