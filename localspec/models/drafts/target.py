"""The model that a draft is looked for: a pair on this disk, a file, or an entry of the catalog."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path

from localspec.errors import BrokenModelFile, UsageError
from localspec.models import catalog, records, store
from localspec.models.catalog.entries import Pair
from localspec.models.drafts import sizes
from localspec.models.drafts.kinship import entry_of, lines_of
from localspec.models.drafts.sizes import Size
from localspec.models.events import Event
from localspec.models.model_file import ModelFacts, read_model
from localspec.models.records import PairRecord, Role
from localspec.models.reference import Repo, parse
from localspec.models.repo_choice import choose_in_repo
from localspec.models.sources.hub import HubSource


@dataclass(frozen=True, slots=True)
class Target:
    """`facts` are None where only the catalog tells of it; the entry is then there."""

    name: str
    facts: ModelFacts | None
    entry: Pair | None
    record: PairRecord | None = None
    """If it is the target of a pair that is ready on this disk."""

    @property
    def path(self) -> Path | None:
        """Where it lies, if it is on this disk."""
        on_disk = self.facts and self.facts.path.is_file()
        return self.facts.path if self.facts and on_disk else None

    @property
    def n_vocab(self) -> int | None:
        if self.facts:
            return len(self.facts.vocabulary)
        return self.entry.target.n_vocab if self.entry else None

    @property
    def quant(self) -> str:
        if self.facts:
            return self.facts.quant
        return (self.entry.target.quant if self.entry else None) or ""

    @property
    def size(self) -> Size:
        if self.facts:
            return sizes.of_facts(self.facts)
        assert self.entry is not None
        return sizes.of_file(self.entry.target)

    @property
    def lines(self) -> frozenset[str]:
        if self.facts:
            return lines_of(self.facts.path.name, self.facts.name)
        assert self.entry is not None
        return lines_of(self.entry.target.file, self.entry.target.base_model)

    @property
    def draft(self) -> Path | None:
        """What drafts for it now."""
        stored = self.record.first("draft") if self.record else None
        return stored.path if stored else None


def find_target(text: str) -> Target:
    """By a pair's or the catalog's name, or a file's path. Raises UnknownModel, NotPulled for a
    user's own pair whose file is gone, or BrokenModelFile."""
    record = records.load(store.canonical(text)) or _pulled_from(text)
    entry = catalog.find(record.name if record else text)
    if record is not None and (record.is_ready() or entry is None):
        path = store.resolve(record.name).target
        facts = read_model(path)
        return Target(record.name, facts, entry or _entry(facts), record)
    if entry is not None:
        return Target(entry.name, None, entry)
    file = file_named(text)
    if file is not None:
        return replace(of_facts(read_model(file)), record=_record_of(file))
    if text.lower().endswith(".gguf"):
        raise BrokenModelFile(f"{text} does not exist.", "Give a model's name or its GGUF file.")
    raise store.unknown(text)


def remote_target(place: Repo) -> Generator[Event, None, Target]:
    """A model of the hub, by its headers. Raises what `choose_in_repo` does."""
    facts = yield from remote_facts(place, "target")
    return replace(of_facts(facts), name=str(place))


def remote_facts(place: Repo, role: Role) -> Generator[Event, None, ModelFacts]:
    found = yield from choose_in_repo(place, role, HubSource())
    return found.facts


def of_facts(facts: ModelFacts) -> Target:
    """A model whose headers were read, here or over the network."""
    entry = _entry(facts)
    return Target(facts.path.name.removesuffix(".gguf"), facts, entry)


def _pulled_from(text: str) -> PairRecord | None:
    """The pair that came from that place on the hub."""
    place = place_on_hub(text)
    return store.find_record(place) if place else None


def place_on_hub(text: str) -> Repo | None:
    """None for a file that is there, and for what is no place on the hub."""
    if file_named(text) is not None:
        return None
    try:
        place = parse(text)
    except UsageError:
        return None
    return place if isinstance(place, Repo) else None


def file_named(text: str) -> Path | None:
    """The file that the text names, if it does."""
    try:
        path = Path(text).expanduser().absolute()
        return path if path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        # Too long for a path, a NUL in it, or a user whom nobody knows.
        return None


def _record_of(path: Path) -> PairRecord | None:
    """The pair whose target the file is."""
    for record in records.load_all():
        target = record.first("target")
        if target and record.is_ready() and target.path.samefile(path):
            return record
    return None


def _entry(facts: ModelFacts) -> Pair | None:
    return entry_of(facts.path.name, facts.parts[0].file_bytes)
