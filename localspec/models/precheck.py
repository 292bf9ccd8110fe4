"""The pair check by headers alone, so that no download of gigabytes ends in a refusal."""

from collections.abc import Generator, Iterator, Mapping, Sequence

from localspec.errors import PairMismatch
from localspec.models.choosing import Chosen
from localspec.models.compat import broken_rule
from localspec.models.events import Event
from localspec.models.gguf_header import GgufHeader, read_header
from localspec.models.model_file import ModelFacts, model_of
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
) -> Iterator[Event]:
    """Raises BrokenModelFile for what is no model, PairMismatch for what doesn't fit."""
    if not located or source.name == "wheels":
        # Wheels carry only files whose very bytes the catalog pins and has checked.
        return
    pinned = {each.wanted: each.pinned() for each in located}
    facts = {}
    for role in ("target", "draft"):
        files = chosen.of(role)
        if files:
            facts[role] = yield from facts_of([pinned.get(file, file) for file in files], here, hub)
    if "draft" in facts:
        refuse_misfit(facts["target"], facts["draft"])


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
    rule = broken_rule(target.vocabulary, draft.vocabulary)
    if rule:
        told = f"{draft.path.name} can't draft for {target.path.name}: {rule}."
        hint = "Nothing was fetched: choose another --draft, or use --no-draft."
        raise PairMismatch(told, hint)
