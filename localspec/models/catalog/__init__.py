"""The models that localspec knows by name. Read from the package once, when first asked."""

import difflib
from collections.abc import Iterable
from functools import cache
from importlib import resources

from pydantic import TypeAdapter

from localspec.models.catalog.entries import Pair, WheelFile


@cache
def pairs() -> tuple[Pair, ...]:
    return TypeAdapter(tuple[Pair, ...]).validate_json(_data("pairs.json"))


@cache
def wheel_files() -> dict[str, WheelFile]:
    """By the file's name on the hub."""
    return TypeAdapter(dict[str, WheelFile]).validate_json(_data("wheel-mirror.json"))


def wheel_file(file: str, sha256: str | None) -> WheelFile | None:
    """The wheels with the very same bytes: a file of that name with another hash is another."""
    found = wheel_files().get(file)
    return found if found and found.sha256 == sha256 else None


def find(name: str) -> Pair | None:
    """By name or alias, in any case."""
    return _by_name().get(name.strip().lower())


def names() -> list[str]:
    """Every name and alias."""
    return list(_by_name())


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names most like this one."""
    wanted = name.strip().lower()
    by_lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(wanted, by_lower, n=3, cutoff=0.5)
    holding = [each for each in by_lower if wanted and wanted in each and each not in close]
    return [by_lower[each] for each in (close + sorted(holding, key=len))[:3]]


@cache
def _by_name() -> dict[str, Pair]:
    aliases = {alias.lower(): pair for pair in pairs() for alias in pair.aliases}
    # A name wins over another entry's alias.
    return aliases | {pair.name.lower(): pair for pair in pairs()}


def _data(file: str) -> bytes:
    return resources.files(__package__).joinpath(file).read_bytes()
