"""The models that localspec knows by name: those in the package, and the user's own file.

Read once, when first asked.
"""

import difflib
from collections.abc import Iterable
from functools import cache
from importlib import resources

from pydantic import TypeAdapter

from localspec import paths
from localspec.models.catalog.entries import Pair, WheelFile
from localspec.models.catalog.own import OwnPairs, read_own


@cache
def pairs() -> tuple[Pair, ...]:
    """The user's own, then ours whose name they don't take."""
    own = own_pairs().pairs
    taken = {pair.name.lower() for pair in own}
    return (*own, *(pair for pair in shipped() if pair.name.lower() not in taken))


def shipped() -> tuple[Pair, ...]:
    """What comes with localspec."""
    return TypeAdapter(tuple[Pair, ...]).validate_json(_data("pairs.json"))


def own_pairs() -> OwnPairs:
    """What the user wrote, and what is wrong with it."""
    return read_own(paths.own_pairs_file())


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
    """The user's names and aliases win over ours; in each, names win over aliases."""
    own = {pair.name.lower(): pair for pair in own_pairs().pairs}
    found: dict[str, Pair] = {}
    # An alias of an entry that the user replaced leads to the replacement.
    ours = [(pair, own.get(pair.name.lower(), pair)) for pair in shipped()]
    found |= {alias.lower(): now for pair, now in ours for alias in pair.aliases}
    found |= {pair.name.lower(): now for pair, now in ours}
    found |= {alias.lower(): pair for pair in own.values() for alias in pair.aliases}
    return found | own


def _data(file: str) -> bytes:
    return resources.files(__package__).joinpath(file).read_bytes()
