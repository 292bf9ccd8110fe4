"""What is on the shelf, and how it is found there."""

from __future__ import annotations

import pytest

from localspec.models import records, shelf
from localspec.models.records import PairRecord
from localspec.models.shelf import ShelfPair
from tests.conftest import register
from tests.models.scene import Scene


def names(text: str) -> list[str]:
    return [pair.name for pair in shelf.shelf() if pair.matches(text.split())]


def of(name: str) -> ShelfPair:
    return next(pair for pair in shelf.shelf() if pair.name == name)


def test_what_is_here_comes_first_and_the_catalog_is_whole(tiny_pair: str) -> None:
    pairs = shelf.shelf()
    assert pairs[0].name == "tiny"
    assert pairs[0].state == "ready"
    assert pairs[0].is_own
    others = [pair.name for pair in pairs[1:]]
    assert others == sorted(others)
    assert len(others) == 66


def test_a_pulled_pair_is_not_listed_twice(scene: Scene) -> None:
    assert [pair.state for pair in shelf.shelf()] == ["absent"]
    scene.pull()
    [pair] = shelf.shelf()
    assert (pair.state, pair.bytes) == ("ready", len(scene.target) + len(scene.draft))
    scene.hub_file("maker/tiny-draft-GGUF", "tiny-draft-q4_0.gguf").unlink()
    assert of("tiny").state == "missing"


def test_every_model_without_a_draft_says_why(own_home: object) -> None:
    told = {pair.name: pair.no_draft for pair in shelf.shelf() if pair.draft is None}
    assert all(told.values())
    assert "EAGLE3" in told["gpt-oss-20b"]


def test_a_pair_pulled_without_its_draft_says_so(scene: Scene) -> None:
    scene.pull(with_draft=False)
    assert of("tiny").no_draft == "It was pulled without its draft."


@pytest.mark.parametrize(
    ("text", "found", "missed"),
    [
        ("7b", "qwen2.5-7b", "deepseek-r1-70b"),
        ("7b", "qwen2.5-coder-7b", "gemma3-27b"),
        ("qwen 32b", "qwen3-32b", "glm4-32b"),
        ("LLAMA 70b", "llama3-70b", "qwen2.5-72b"),
        ("bartowski llama-3.3", "llama3-70b", "llama3.1-8b"),
        ("apache smol", "smollm2-135m", "llama3.2-3b"),
        ("no draft phi", "phi4-14b", "llama3-70b"),
        ("[a-z.*", "", "llama3-70b"),
    ],
)
def test_several_words_find_names_families_and_sizes(text: str, found: str, missed: str) -> None:
    matching = names(text)
    assert not found or found in matching
    assert missed not in matching


def test_a_record_without_a_target_is_no_pair(own_home: object, tiny_files: object) -> None:
    records.save(PairRecord(name="empty", source="local", files=(), verified=True))
    register("sound", target=tiny_files.target)  # type: ignore[attr-defined]
    assert [pair.name for pair in shelf.shelf() if pair.state != "absent"] == ["sound"]
