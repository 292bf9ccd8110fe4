"""Memory and cores, and settings that ask for more of them than there are."""

import os
from pathlib import Path

import psutil

from localspec.errors import LocalspecError
from localspec.health.finding import Facts, Finding, edit, quoted, unset
from localspec.models import catalog, store
from localspec.models.selection import size_text
from localspec.paths import config_file
from localspec.settings import Settings

_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_SMALLEST_CTX = 512


def memory() -> tuple[Facts, list[Finding]]:
    """Bytes; `limit` is the container's, where it is less than the machine has."""
    system, swap = psutil.virtual_memory(), psutil.swap_memory()
    facts = {
        "total": system.total,
        "available": system.available,
        "swap": swap.total,
        "limit": _limit(system.total),
        "cores": psutil.cpu_count(logical=False) or psutil.cpu_count() or 1,
    }
    return {"memory": facts}, []


def _limit(total: int) -> int | None:
    for path in _LIMITS:
        try:
            limit = int(path.read_text())
        except (OSError, ValueError):
            continue
        if limit < total:
            return limit
    return None


def demands(settings: Settings, found: Facts, on_gpu: bool) -> list[Finding]:
    """`found` is what `memory` found."""
    facts = found.get("memory")
    if not facts:
        return []
    findings = list(_context(settings, facts["limit"] or facts["total"])) if not on_gpu else []
    cores = facts["cores"]
    if settings.threads and settings.threads > cores:
        told = f"threads = {settings.threads}, and there are {cores} cores: more are slower."
        findings.append(Finding(told, setting_command("threads")))
    return findings


def _context(settings: Settings, room: int) -> list[Finding]:
    """The default pair's files and the cache of its context, against the memory."""
    try:
        pair = store.resolve(settings.model)
    except LocalspecError:
        return []
    entry = catalog.find(pair.name)
    cell = entry.kv_bytes_per_token_f16 if entry else None
    if not cell or pair.bytes + cell * settings.ctx <= room:
        return []
    needed = size_text(pair.bytes + cell * settings.ctx)
    told = f"{pair.name} with ctx = {settings.ctx} needs {needed} and there are {size_text(room)}."
    fitting = _power_of_two((room - pair.bytes) // cell)
    if entry and entry.target.ctx_train:
        fitting = min(fitting, entry.target.ctx_train)
    if fitting < _SMALLEST_CTX:
        return [Finding(told, "localspec recommend")]
    return [Finding(told, quoted("localspec", "chat", pair.name, "--ctx", str(fitting)))]


def _power_of_two(most: int) -> int:
    return 2 ** (most.bit_length() - 1) if most > 0 else 0


def setting_command(name: str) -> str:
    """Where a setting that isn't the default was set."""
    variable = f"LOCALSPEC_{name.upper()}"
    return unset(variable) if os.environ.get(variable) else edit(config_file())
