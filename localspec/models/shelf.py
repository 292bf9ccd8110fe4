"""All pairs that one could take: those on this disk, then what the catalog could bring."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from localspec.models import catalog, records
from localspec.models.catalog.entries import ModelFile, Pair
from localspec.models.catalog_memory import file_bytes, is_listed
from localspec.models.records import PairRecord, Role, StoredFile
from localspec.models.selection import choices, select

ShelfState = Literal["ready", "partial", "missing", "absent"]
"""Usable; begun to be pulled; pulled, but files are gone; only in the catalog."""


@dataclass(frozen=True, slots=True)
class ShelfModel:
    """One model of a pair, all its files together."""

    role: Role
    file: str
    repo: str
    quant: str
    bytes: int | None
    is_exact: bool = True
    """False where `bytes` is reckoned by the parameters."""
    params_b: float | None = None
    """Billions, where the catalog tells."""


@dataclass(frozen=True, slots=True)
class ShelfPair:
    name: str
    state: ShelfState
    target: ShelfModel
    draft: ShelfModel | None
    no_draft: str
    """Why there is none, in a sentence."""
    license: str
    present_bytes: int = 0
    is_own: bool = False
    """Made of files that the user added: nothing to pull."""
    entry: Pair | None = None
    """What the catalog knows of it."""

    @property
    def models(self) -> tuple[ShelfModel, ...]:
        return (self.target, self.draft) if self.draft else (self.target,)

    @property
    def bytes(self) -> int | None:
        sizes = [model.bytes for model in self.models]
        return None if None in sizes else sum(size or 0 for size in sizes)

    @property
    def is_exact(self) -> bool:
        return all(model.is_exact for model in self.models)

    def matches(self, words: list[str]) -> bool:
        """Whether all these stand in its names, files, sizes or licence."""
        return _stand_in(words, self._searched())

    def is_called(self, words: list[str]) -> bool:
        """Whether they all stand in its name or its size."""
        return _stand_in(words, [self.name, *self._sizes()])

    def _sizes(self) -> Iterator[str]:
        if self.target.params_b:
            yield from (f"{self.target.params_b:.3g}b", f"{self.target.params_b:.0f}b")

    def _searched(self) -> Iterator[str]:
        yield self.name
        yield from self.entry.aliases if self.entry else ()
        for model in self.models:
            yield from (model.repo, model.file, model.quant)
        yield from self._sizes()
        yield self.license
        yield "to pull" if self.state == "absent" else "on disk"
        yield "with draft" if self.draft else "no draft"


def shelf() -> list[ShelfPair]:
    """On this disk, the last used first and broken-off pulls last; then the others by name."""
    here = sorted(records.load_all(), key=lambda record: record.last_used or "", reverse=True)
    on_disk = [_recorded(record) for record in here if record.first("target")]
    on_disk.sort(key=lambda pair: pair.state != "ready")
    names = {pair.name.lower() for pair in on_disk}
    others = [_listed(pair) for pair in catalog.pairs() if pair.name.lower() not in names]
    return on_disk + sorted(others, key=lambda pair: pair.name)


def _stand_in(words: list[str], texts: Iterable[str]) -> bool:
    text = " ".join(texts).lower()
    return all(re.search(_begins(word) + re.escape(word.lower()), text) for word in words)


def _begins(word: str) -> str:
    # 7b is neither 27b nor 0.7b.
    return r"(?<![\d.])" if word[:1].isdigit() else ""


def _recorded(record: PairRecord) -> ShelfPair:
    entry = catalog.find(record.name)
    target, draft = (
        _stored([file for file in record.files if file.role == role], own)
        for role, own in (
            ("target", entry.target if entry else None),
            ("draft", entry.draft if entry else None),
        )
    )
    assert target is not None
    state: ShelfState = "missing" if record.verified else "partial"
    return ShelfPair(
        name=record.name,
        state="ready" if record.is_ready() else state,
        target=target,
        draft=draft,
        no_draft="" if draft else _no_draft(record, entry),
        license=record.license,
        present_bytes=sum(file.present_bytes() for file in record.files),
        is_own=record.source == "local",
        entry=entry,
    )


def _stored(files: list[StoredFile], listed: ModelFile | None) -> ShelfModel | None:
    if not files:
        return None
    first = files[0]
    return ShelfModel(
        role=first.role,
        file=first.path.name,
        repo=first.repo,
        quant=first.quant,
        bytes=sum(file.bytes or file.present_bytes() for file in files),
        params_b=listed.params_b if listed else None,
    )


def _no_draft(record: PairRecord, entry: Pair | None) -> str:
    if entry is not None and choices(entry, "draft"):
        return "It was pulled without its draft."
    if entry is not None:
        return select(entry).notice
    verb = "added" if record.source == "local" else "pulled"
    return f"It was {verb} without a draft."


def _listed(pair: Pair) -> ShelfPair:
    draft = next(iter(choices(pair, "draft")), None)
    return ShelfPair(
        name=pair.name,
        state="absent",
        target=_model("target", pair.target),
        draft=_model("draft", draft) if draft else None,
        no_draft="" if draft else select(pair).notice,
        license=pair.license,
        entry=pair,
    )


def _model(role: Role, file: ModelFile) -> ShelfModel:
    return ShelfModel(
        role, file.file, file.repo, file.quant or "", file_bytes(file), is_listed(file),
        file.params_b,
    )  # fmt: skip
