"""Gives a pair on this disk another draft, or none; all else that is known of it stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from localspec import paths
from localspec.errors import UsageError
from localspec.models import records, store
from localspec.models.adding import stored_files, whole_path
from localspec.models.compat import check_pair
from localspec.models.model_file import ModelFacts
from localspec.models.records import PairRecord, StoredFile
from localspec.models.store import InstalledPair


@dataclass(frozen=True, slots=True)
class Attached:
    pair: InstalledPair
    former: tuple[Path, ...]
    """Files of the draft before, which stay where they are."""


def attach(name: str, draft: Path, fetched: Sequence[StoredFile] = ()) -> Attached:
    """Runs the whole pair check first; `fetched` are the draft's files if they came just now.
    Raises PairMismatch, BrokenModelFile, UsageError, or NotPulled and UnknownModel for the pair."""
    record, target = _ready(name)
    hint = f"`localspec drafts {record.name}` lists what fits."
    facts = check_pair(target, whole_path(draft), hint=hint)[1]
    return _save(record, list(fetched) or known_files(facts))


def detach(name: str) -> Attached:
    """Raises UsageError where there is no draft."""
    record, _ = _ready(name)
    if record.first("draft") is None:
        raise UsageError(f"{record.name} has no draft.")
    return _save(record, [])


def _ready(name: str) -> tuple[PairRecord, Path]:
    pair = store.resolve(name)
    record = records.load(pair.name)
    assert record is not None
    return record, pair.target


def known_files(facts: ModelFacts) -> list[StoredFile]:
    """As a pull recorded the files, if one did: their hash and whose they are stay known."""
    recorded = {file.path: file for record in records.load_all() for file in record.files}
    files = []
    for file in stored_files("draft", facts):
        known = recorded.get(file.path)
        if known is not None and known.is_whole():
            files.append(known.model_copy(update={"role": "draft", "quant": file.quant}))
        else:
            ours = paths.models_dir() in file.path.parents
            files.append(file.model_copy(update={"owned": ours}))
    return files


def _save(record: PairRecord, drafts: list[StoredFile]) -> Attached:
    targets = [file for file in record.files if file.role == "target"]
    changed = record.model_copy(update={"files": (*targets, *drafts)})
    records.save(changed)
    kept = {file.path for file in changed.files}
    former = [file.path for file in record.files if file.path not in kept]
    return Attached(store.installed_pair(changed), tuple(former))
