"""The directories and their disks, and what lies in them: pairs, records, the history."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from localspec import paths
from localspec.health.finding import Facts, Finding, quoted
from localspec.models import catalog, records
from localspec.models.records import PairRecord
from localspec.models.selection import size_text

_ALMOST_FULL = 2 * 10**9
"""Bytes: no pair but the smallest fits in."""
_SQLITE = b"SQLite format 3\0"


def directories() -> tuple[Facts, list[Finding]]:
    """Facts: `paths`, and `disks` with bytes, each of the directories that lie on it."""
    places = {
        "config": paths.config_file(),
        "models": paths.models_dir(),
        "hub cache": paths.hub_cache_dir(),
        "history": paths.history_file(),
        "log": paths.log_file(),
    }
    disks: dict[int, Facts] = {}
    findings = []
    for name in ("models", "hub cache"):
        there = _existing(places[name])
        usage = shutil.disk_usage(there)
        disk = disks.setdefault(there.stat().st_dev, {"free": usage.free, "total": usage.total})
        disk.setdefault("holds", []).append(name)
        if not os.access(there, os.W_OK):
            findings.append(_unwritable(there))
    for disk in disks.values():
        if disk["free"] < _ALMOST_FULL:
            findings.append(_almost_full(disk))
    findings += _history(places["history"])
    facts = {"paths": {name: str(path) for name, path in places.items()}}
    return facts | {"disks": list(disks.values())}, findings


def pairs() -> tuple[Facts, list[Finding]]:
    """Facts: how many pairs are ready, partial and broken."""
    counts = {"ready": 0, "partial": 0, "broken": 0}
    findings = []
    for path in sorted(paths.pairs_dir().glob("*.json")):
        record = records.load(path.stem)
        found = list(_of_record(record) if record else _unread(path))
        state = "ready"
        if found:
            state = "broken" if any(each.is_broken for each in found) else "partial"
        counts[state] += 1
        findings += found
    if not counts["ready"]:
        told = "No model is ready on this disk."
        findings.append(Finding(told, "localspec pull starter"))
    return {"pairs": counts}, findings


def _of_record(record: PairRecord) -> Iterator[Finding]:
    if record.is_ready():
        return
    again = quoted("localspec", "pull", record.name)
    if not record.verified:
        yield Finding(f"The pull of {record.name} isn't finished.", again)
        return
    broken = next(file for file in record.files if not file.is_whole())
    what = "has another size than before" if broken.path.exists() else "is gone"
    told = f"{record.name} can't be used: {broken.path} {what}."
    yield Finding(told, _add_again(record) if record.source == "local" else again, is_broken=True)


def _add_again(record: PairRecord) -> str:
    """With the same files where they are still there; else it can only be forgotten."""
    first = [record.first("target"), record.first("draft")]
    if not all(file.path.is_file() for file in record.files):
        return quoted("localspec", "rm", record.name)
    roles = [("--" + file.role, file.path) for file in first if file]
    return quoted("localspec", "add", record.name, *(word for role in roles for word in role))


def _unread(path: Path) -> Iterator[Finding]:
    known = catalog.find(path.stem)
    remove = "del" if sys.platform == "win32" else "rm"
    command = quoted("localspec", "pull", known.name) if known else quoted(remove, path)
    yield Finding(f"The record of {path.stem} can't be read: {path}.", command, is_broken=True)


def _history(path: Path) -> Iterator[Finding]:
    try:
        with path.open("rb") as file:
            head = file.read(len(_SQLITE))
    except OSError:
        return
    if head and head != _SQLITE:
        move = "move" if sys.platform == "win32" else "mv"
        aside = path.with_name(path.name + ".broken")
        yield Finding(f"The history is damaged: {path}.", quoted(move, path, aside), is_broken=True)


def _unwritable(directory: Path) -> Finding:
    command = (
        f"icacls {quoted(directory)} /grant %USERNAME%:F /T"
        if sys.platform == "win32"
        else f'sudo chown -R "$USER" {quoted(directory)}'
    )
    return Finding(f"{directory} can't be written to.", command, is_broken=True)


def _almost_full(disk: Facts) -> Finding:
    held = " and ".join(disk["holds"])
    told = f"The disk of the {held} is almost full: {size_text(disk['free'])} are free."
    ready = [record for record in records.load_all() if record.source != "local"]
    if not ready:
        return Finding(told, quoted("localspec", "list"))
    oldest = min(ready, key=lambda record: record.last_used or "")
    return Finding(told, quoted("localspec", "rm", oldest.name))


def _existing(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.is_dir())
