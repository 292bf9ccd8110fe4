"""The pairs on this disk: find one that is ready, list them all, note that one was used."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from localspec.errors import LocalspecError, NotPulled, UnknownModel, UsageError
from localspec.models import catalog, records
from localspec.models.compat import ascii_safe
from localspec.models.model_file import shard_names
from localspec.models.records import PairRecord, Role
from localspec.models.reference import DEFAULT_QUANT, Name, Repo, parse
from localspec.models.sources.hub_cache import place_of


@dataclass(frozen=True, slots=True)
class InstalledPair:
    """A pair whose files are whole and fit each other."""

    name: str
    target: Path
    draft: Path | None
    quant: str
    draft_quant: str | None
    bytes: int
    license: str
    source: Literal["hub", "wheels", "local"]
    last_used: datetime | None


@dataclass(frozen=True, slots=True)
class PairStatus:
    """A pair as `list` shows it; `state` is partial while a pull is under way or was broken off."""

    name: str
    state: Literal["ready", "partial", "missing"]
    bytes: int
    present_bytes: int
    quant: str
    draft_quant: str | None
    source: str
    last_used: datetime | None


def resolve(name: str) -> InstalledPair:
    """By name, alias, or place on the hub. Raises UnknownModel, or NotPulled for a known pair that
    isn't ready."""
    record = records.load(canonical(name))
    if record is not None and record.is_ready():
        return installed_pair(record)
    if record is None and catalog.find(name) is None:
        raise unknown(name)
    pair_name = record.name if record else canonical(name)
    if record and record.source == "local":
        gone = next((file.path for file in record.files if not file.is_whole()), "")
        raise NotPulled(f"{pair_name}'s file {gone} is gone or changed.", "Add it again.")
    missing = "not all here yet" if record else "not on this disk"
    raise NotPulled(f"{pair_name} is {missing}.", f"Run `localspec pull {pair_name}`.")


def installed() -> list[PairStatus]:
    """Every pair that was pulled or added, partial ones included, the last used first."""
    found = [_status(record) for record in records.load_all()]
    return sorted(found, key=lambda pair: (_stamp(pair.last_used), pair.name))


def canonical(name: str) -> str:
    """The name that records go by; an unknown one is returned as it is."""
    given = name.strip()
    if _is_file_name(given) and records.load(given) is not None:
        return given.lower()
    pair = catalog.find(given)
    if pair is not None:
        return pair.name
    with suppress(UsageError):
        record = find_record(parse(given))
        return record.name if record else given
    return given


def find_record(asked: Name | Repo) -> PairRecord | None:
    """The pair on this disk, whole or not, whose target is meant; of several in one repository one
    in the usual quantisation, and a pair that was asked for by place."""
    if isinstance(asked, Name):
        pair = catalog.find(asked.name)
        names = [asked.name, *([pair.name] if pair else [])]
        named = (records.load(name) for name in names if _is_file_name(name))
        found = [record for record in named if record is not None]
    else:
        found = sorted(records.load_all(), key=lambda record: catalog.find(record.name) is not None)
    fitting = [record for record in found if _is_meant(record, asked)]
    usual = [record for record in fitting if _quant(record) == DEFAULT_QUANT.lower()]
    return next(iter(usual + fitting), None)


def _is_meant(record: PairRecord, asked: Name | Repo) -> bool:
    target = record.first("target")
    if target is None or (asked.quant and asked.quant.lower() != _quant(record)):
        return False
    if isinstance(asked, Name):
        return True
    commit, file = place_of(target.path) or ("", "")
    return (
        target.repo.lower() == asked.repo.lower()
        and (asked.file is None or asked.file in shard_names(file))
        and asked.revision in (None, commit)
    )


def _quant(record: PairRecord) -> str:
    target = record.first("target")
    return target.quant.lower() if target else ""


def known_names() -> list[str]:
    """Names of pairs on this disk, then the catalog's names and aliases."""
    own = [record.name for record in records.load_all()]
    return own + [name for name in catalog.names() if name not in own]


def is_known(name: str) -> bool:
    return catalog.find(name) is not None or records.load(canonical(name)) is not None


def touch(name: str, loaded: Collection[Role] = ("target", "draft")) -> None:
    """Note that these models of the pair were loaded now; a pair gone meanwhile, or a full disk, is
    no failure."""
    record = records.load(canonical(name))
    if record is not None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        files = tuple(file.tried() if file.role in loaded else file for file in record.files)
        with suppress(LocalspecError):
            records.save(record.model_copy(update={"last_used": now, "files": files}))


def is_tried(name: str, with_draft: bool = True) -> bool:
    """llama.cpp has loaded the pair's files here: a file that it can't bear ends the process."""
    record = records.load(canonical(name))
    files = record.files if record else ()
    return all(file.is_tried() for file in files if with_draft or file.role == "target")


def unknown(name: str) -> UnknownModel:
    """The refusal of a name, with the nearest ones; of what could be pulled, with how."""
    with suppress(UsageError):
        asked = parse(name)
        if isinstance(asked, Repo) or (asked.quant and is_known(asked.name)):
            return UnknownModel(f"{asked} is not on this disk.", f"Run `localspec pull {asked}`.")
    near = catalog.nearest(name, known_names())
    message = f"No model is called {ascii_safe(name)}."
    if near:
        message += f" Nearest: {', '.join(near)}."
    return UnknownModel(message, "`localspec list --all` shows every name.")


def installed_pair(record: PairRecord) -> InstalledPair:
    target, draft = record.first("target"), record.first("draft")
    assert target is not None
    return InstalledPair(
        name=record.name,
        target=target.path,
        draft=draft.path if draft else None,
        quant=target.quant,
        draft_quant=draft.quant if draft else None,
        bytes=sum(file.present_bytes() for file in record.files),
        license=record.license,
        source=record.source,
        last_used=_time(record.last_used),
    )


def _status(record: PairRecord) -> PairStatus:
    target, draft = record.first("target"), record.first("draft")
    present = sum(file.present_bytes() for file in record.files)
    unready: Literal["missing", "partial"] = "missing" if record.verified else "partial"
    return PairStatus(
        name=record.name,
        state="ready" if record.is_ready() else unready,
        bytes=sum(file.bytes or file.present_bytes() for file in record.files),
        present_bytes=present,
        quant=target.quant if target else "",
        draft_quant=draft.quant if draft else None,
        source=record.source,
        last_used=_time(record.last_used),
    )


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def _stamp(time: datetime | None) -> float:
    return -time.timestamp() if time else 0.0


def _is_file_name(name: str) -> bool:
    """A name from the command line may not lead out of the records' directory."""
    return bool(name) and not any(char in name for char in '/\\:*?"<>|\0') and name[0] != "."
