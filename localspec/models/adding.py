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


def add(
    name: str, target: Path, draft: Path | None = None, *, force: bool = False
) -> InstalledPair:
    """Raises UsageError, BrokenModelFile or PairMismatch.

    `force` permits a name that is taken, and the target as its own draft.
    """
    _check_name(name, force)
    target = target.expanduser().absolute()
    if draft is None:
        found: list[tuple[Role, ModelFacts]] = [("target", read_model(target))]
    else:
        draft = draft.expanduser().absolute()
        hint = "Choose another draft, or add the target alone."
        facts = check_pair(target, draft, allow_same=force, hint=hint)
        found = [("target", facts[0]), ("draft", facts[1])]
    files = [file for role, each in found for file in _stored(role, each)]
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
    taken = catalog.find(name)
    if taken and not force:
        raise UsageError(f'"{name}" is a name of the catalog.', "Choose another, or use --force.")
    former = records.load(name)
    if former and former.source != "local" and not force:
        raise UsageError(f'"{name}" was pulled.', "Choose another name, or use --force.")


def _stored(role: Role, facts: ModelFacts) -> list[StoredFile]:
    return [
        StoredFile(role=role, path=path, bytes=path.stat().st_size, quant=facts.quant, owned=False)
        for path in shard_paths(facts.path)
    ]
