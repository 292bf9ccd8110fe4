"""A user's own entries win, and a broken one stops nothing else."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from localspec import paths
from localspec.models import catalog, store
from localspec.models.catalog.own import read_own

TARGET = {"repo": "me/Mine-GGUF", "file": "mine-q8_0.gguf"}
OURS = "qwen2.5-coder-1.5b"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """What the catalog read before is forgotten, and what these tests wrote too."""
    for _ in range(2):
        for cached in (catalog.pairs, catalog.wheel_files, catalog._by_name):
            cached.cache_clear()
        if _ == 0:
            yield


def write(*entries: Any, text: str = "") -> Path:
    path = paths.own_pairs_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or json.dumps(list(entries)))
    return path


def test_no_file_is_no_problem() -> None:
    assert catalog.own_pairs().problem == ""
    assert catalog.pairs() == catalog.shipped()


def test_a_new_name_is_known_everywhere() -> None:
    write({"name": "mine", "aliases": ["My:8b"], "target": TARGET})
    assert len(catalog.pairs()) == len(catalog.shipped()) + 1
    found = catalog.find("MY:8B")
    assert found
    assert found.target.file == TARGET["file"]
    assert store.is_known("mine")
    assert store.canonical("my:8b") == "mine"


def test_an_entry_stands_in_for_ours() -> None:
    write({"name": OURS.upper(), "target": TARGET})
    assert len(catalog.pairs()) == len(catalog.shipped())
    for name in (OURS, "starter"):
        found = catalog.find(name)
        assert found
        assert found.target.repo == "me/Mine-GGUF"


def test_an_own_alias_wins_over_our_name() -> None:
    write({"name": "mine", "aliases": ["llama3-70b", "starter"], "target": TARGET})
    for name in ("llama3-70b", "starter"):
        found = catalog.find(name)
        assert found
        assert found.name == "mine"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: not valid JSON"),
        ("[\n{", "line 2: not valid JSON"),
        ("{}", "is no list of entries"),
        ("[" * 100_000, "is not valid JSON"),
        ("[" + "1" * 5000 + "]", "is not valid JSON"),
        ('[{"name": "x"}]', "entry 1 (x), target: field required"),
        ("[7]", "entry 1, the whole: input should be a valid dictionary."),
        ('[{"name": "\\u001b[31m", "target": {}}]', "entry 1, name: "),
    ],
)
def test_a_broken_file_is_one_line_and_stops_nothing(text: str, words: str) -> None:
    path = write(text=text or " ")
    problem = catalog.own_pairs().problem
    assert problem.startswith(str(path))
    assert words in problem
    assert problem.isprintable()
    assert len(problem) < 300
    assert catalog.find("starter")


def test_what_is_sound_beside_a_broken_entry_works() -> None:
    write(
        {"name": "good", "target": TARGET},
        {"name": "bad", "target": TARGET | {"sha256": "1"}},
        {"name": "Good", "target": TARGET},
    )
    own = catalog.own_pairs()
    assert [pair.name for pair in own.pairs] == ["good"]
    assert "entry 2 (bad), target.sha256: " in own.problem
    assert own.problem.endswith("(and 1 more).")


def test_a_name_that_comes_twice_is_told() -> None:
    write({"name": "one", "target": TARGET}, {"name": "two", "aliases": ["ONE"], "target": TARGET})
    assert "entry 2 (two), aliases: ONE means one already." in catalog.own_pairs().problem


def test_files_that_are_none(tmp_path: Path) -> None:
    """A pipe in its place kept every command waiting."""
    assert read_own(tmp_path).problem == f"{tmp_path} is no file."
    os.mkfifo(tmp_path / "pipe")
    assert read_own(tmp_path / "pipe").problem == f"{tmp_path / 'pipe'} is no file."
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (4 * 2**20 + 1))
    assert "has more than 4 MiB" in read_own(large).problem
    large.write_bytes(b'["\xff"]')
    assert "is not UTF-8 text" in read_own(large).problem


def test_the_example_in_the_docs_is_valid(tmp_path: Path) -> None:
    from localspec.models.catalog import own

    assert own.__doc__
    example = own.__doc__[own.__doc__.index("    [") : own.__doc__.index("    ]") + 5]
    (tmp_path / "pairs.json").write_text(example)
    read = read_own(tmp_path / "pairs.json")
    assert (read.problem, [pair.kind for pair in read.pairs]) == ("", ["draft"])
