"""A user's own pairs: `pairs.json` beside config.toml, a list of entries of the catalog's shape.

    [
     {"name": "my-pair",
      "aliases": ["mine"],
      "target": {"repo": "user/Big-GGUF", "file": "big-q4_k_m.gguf"},
      "draft": {"repo": "user/Small-GGUF", "file": "small-q8_0.gguf"}}
    ]

Only a name and a target with its repository and file must be there; `localspec catalog schema`
prints everything that may be. A file without `revision` follows the repository's main branch; with
`revision`, `bytes` and `sha256` it is pinned like ours. An entry stands in for ours of that name.
An entry that can't be read is passed over, and the problem is said in one line: all other names
go on working.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from localspec.models.catalog.entries import Pair
from localspec.models.catalog.whole import clashes

_MAX_BYTES = 4 * 2**20


@dataclass(frozen=True, slots=True)
class OwnPairs:
    pairs: tuple[Pair, ...] = ()
    problem: str = ""
    """The first thing wrong: the file, the entry, the field. Empty when all is read."""


class _Broken(Exception):
    """What is wrong, as a clause behind the file's name."""


def read_own(path: Path) -> OwnPairs:
    """A file that isn't there holds no pairs."""
    try:
        entries = _entries(path)
    except _Broken as error:
        return OwnPairs(problem=f"{path}{error}.")
    except FileNotFoundError:
        return OwnPairs()
    except OSError as error:
        return OwnPairs(problem=f"{path} can't be read: {error.strerror or error}.")
    found: dict[int, Pair] = {}
    problems = []
    for number, entry in enumerate(entries, 1):
        try:
            found[number] = Pair.model_validate(entry)
        except ValidationError as error:
            problems.append(f"entry {number}{_called(entry)}, {_first(error)}")
    for index, what in list(clashes(found.values())):
        number = list(found)[index]
        problems.append(f"entry {number}{_called(entries[number - 1])}, {what}")
    return OwnPairs(tuple(_without_clashes(found)), _told(path, problems))


def _without_clashes(found: dict[int, Pair]) -> Iterator[Pair]:
    pairs = list(found.values())
    clashing = {index for index, _ in clashes(pairs)}
    return (pair for index, pair in enumerate(pairs) if index not in clashing)


def _entries(path: Path) -> list[Any]:
    if path.exists() and not path.is_file():
        # A pipe would keep whoever opens it waiting.
        raise _Broken(" is no file")
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise _Broken(f" has more than {_MAX_BYTES >> 20} MiB")
    try:
        entries = json.loads(data)
    except UnicodeDecodeError:
        raise _Broken(" is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise _Broken(f", line {error.lineno}: not valid JSON ({error.msg})") from None
    except (ValueError, RecursionError):
        raise _Broken(" is not valid JSON") from None
    if not isinstance(entries, list):
        raise _Broken(" is no list of entries")
    return entries


def _called(entry: Any) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return f" ({name[:60]})" if isinstance(name, str) and name.isprintable() else ""


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "the whole"
    what = first["msg"].removeprefix("Value error, ").partition(" or instance of")[0]
    return f"{where}: {what[:1].lower()}{what[1:]}"


def _told(path: Path, problems: list[str]) -> str:
    if not problems:
        return ""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return " ".join(f"{path}, {problems[0]}{more}.".split())
