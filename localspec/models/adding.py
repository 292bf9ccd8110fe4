"""Registers a user's own files as a pair. They stay where they are and are never deleted."""

import re
from pathlib import Path

from localspec.errors import UsageError
from localspec.models import catalog, records, store
from localspec.models.compat import check_pair
from localspec.models.model_file import ModelFacts, read_model, shard_paths
from localspec.models.records import PairRecord, Role, StoredFile
from localspec.models.store import InstalledPair

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MAX_NAME = 100
"""Room for what a file's name adds to it, on any file system."""


def add(
    name: str, target: Path, draft: Path | None = None, *, force: bool = False
) -> InstalledPair:
    """Raises UsageError, BrokenModelFile or PairMismatch.

    `force` permits a name that is taken, and the target as its own draft.
    """
    _check_name(name, force)
    target = whole_path(target)
    if draft is None:
        found: list[tuple[Role, ModelFacts]] = [("target", read_model(target))]
    else:
        draft = whole_path(draft)
        hint = "Choose another draft, or add the target alone."
        facts = check_pair(target, draft, allow_same=force, hint=hint)
        found = [("target", facts[0]), ("draft", facts[1])]
    files = [file for role, each in found for file in stored_files(role, each)]
    license_name = found[0][1].license
    record = PairRecord(
        name=name, source="local", license=license_name, files=tuple(files), verified=True
    )
    records.save(record)
    return store.installed_pair(record)


def _check_name(name: str, force: bool) -> None:
    if not _NAME.fullmatch(name):
        told = f'"{name}" can\'t be a name.'
        raise UsageError(told, "Use letters, digits, dots, dashes and underscores.")
    if len(name) > _MAX_NAME:
        raise UsageError(f"A name has at most {_MAX_NAME} characters; this one has {len(name)}.")
    taken = catalog.find(name)
    if taken and not force:
        raise UsageError(f'"{name}" is a name of the catalog.', "Choose another, or use --force.")
    former = records.load(name)
    if former and not force and not _may_be_added_again(former):
        how = "added" if former.source == "local" else "pulled"
        raise UsageError(f'"{name}" was {how} before.', "Choose another name, or use --force.")


def _may_be_added_again(former: PairRecord) -> bool:
    # What is asked for when a user's own file moved or changed: nothing usable is replaced.
    return former.source == "local" and not former.is_ready()


def whole_path(path: Path) -> Path:
    """Raises UsageError for a path that a record can't hold."""
    whole = path.expanduser().absolute()
    try:
        str(whole).encode("utf-8")
    except UnicodeEncodeError:
        told = f"The path {whole} is not UTF-8 text, so it can't be remembered."
        raise UsageError(told, "Rename the file or its directory.") from None
    return whole


def stored_files(role: Role, facts: ModelFacts) -> list[StoredFile]:
    """The records of a user's own model, each part of it."""
    return [
        StoredFile(role=role, path=path, bytes=path.stat().st_size, quant=facts.quant, owned=False)
        for path in shard_paths(facts.path)
    ]
