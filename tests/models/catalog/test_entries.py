"""An entry that can't be true is refused; the shipped catalog holds none."""

from typing import Any

import pytest
from pydantic import ValidationError

from localspec.models import catalog
from localspec.models.catalog.entries import Pair
from localspec.models.catalog.whole import clashes

FILE = {
    "repo": "maker/Model-GGUF",
    "file": "model-q4_k_m.gguf",
    "bytes": 600_000_000,
    "sha256": "a" * 64,
    "revision": "b" * 40,
    "params_b": 1.0,
}

OPTIONAL = ("shards", "active_b")


def entry(**changes: Any) -> dict[str, Any]:
    """An entry whose target's fields, or else whose own, are changed."""
    of_file = {name: value for name, value in changes.items() if name in {*FILE, *OPTIONAL}}
    rest = {name: value for name, value in changes.items() if name not in of_file}
    return {"name": "a-pair", "target": FILE | of_file} | rest


def test_the_shipped_catalog_is_sound() -> None:
    shipped = catalog.shipped()
    assert len(shipped) > 60
    assert list(clashes(shipped)) == []


def test_only_what_must_be_told_must_be_told() -> None:
    """A user's entry needs a name and where the files are."""
    target = {"repo": "a/b", "file": "c.gguf"}
    alone = Pair.model_validate({"name": "mine", "target": target})
    assert (alone.kind, alone.aliases, alone.target.revision) == ("ngram", (), None)
    both = Pair.model_validate({"name": "mine", "target": target, "draft": target})
    assert both.kind == "draft"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"sha256": "a" * 63}, "target.sha256"),
        ({"sha256": "A" * 64}, "target.sha256"),
        ({"sha256": "g" * 64}, "target.sha256"),
        ({"sha256": "a" * 64 + "\n"}, "target.sha256"),
        ({"revision": "main"}, "target.revision"),
        ({"revision": "b" * 39}, "target.revision"),
        ({"bytes": 0}, "target.bytes"),
        ({"bytes": -5}, "target.bytes"),
        ({"bytes": 2**43}, "target.bytes"),
        ({"bytes": 600_000_000.5}, "target.bytes"),
        ({"bytes": 100_000_000}, "target"),
        ({"bytes": 6_000_000_000}, "target"),
        ({"params_b": 0}, "target.params_b"),
        ({"active_b": 1.1}, "target"),
        ({"repo": "no-owner"}, "target.repo"),
        ({"repo": "../etc/passwd"}, "target.repo"),
        ({"file": "../../x.gguf"}, "target.file"),
        ({"file": "/x.gguf"}, "target.file"),
        ({"file": "a\\b.gguf"}, "target.file"),
        ({"file": "x.bin"}, "target.file"),
        ({"name": ""}, "name"),
        ({"name": "../x"}, "name"),
        ({"name": "-x"}, "name"),
        ({"name": "n" * 101}, "name"),
        ({"aliases": ["a b"]}, "aliases.0"),
        ({"kind": "draft"}, ""),
        ({"kind": "ngram", "draft": FILE}, ""),
        ({"kind": "magic"}, "kind"),
        ({"colour": "red"}, "colour"),
        ({"shards": [{"file": "p.gguf", "bytes": 0}]}, "target.shards.0.bytes"),
        ({"shards": [{"file": "p.gguf", "bytes": 5 * 10**9}]}, "target"),
    ],
)
def test_a_broken_entry_is_refused(changes: dict[str, Any], field: str) -> None:
    """A pin that is none, or a size that no such model has, came to light in a pull."""
    Pair.model_validate(entry())
    with pytest.raises(ValidationError) as caught:
        Pair.model_validate(entry(**changes))
    assert ".".join(map(str, caught.value.errors()[0]["loc"])) == field


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"name": "ONE"}, "name: ONE means one already"),
        ({"name": "two", "aliases": ["One"]}, "aliases: One means one already"),
        ({"name": "FIRST"}, "name: FIRST means one already"),
        ({"name": "two", "aliases": ["first"]}, "aliases: first means one already"),
        ({"name": "two", "aliases": ["Two"]}, "aliases: Two stands there twice"),
        ({"name": "two", "aliases": ["x", "X"]}, "aliases: X stands there twice"),
    ],
)
def test_a_name_that_means_two_things_is_found(second: dict[str, Any], words: str) -> None:
    pairs = [
        Pair.model_validate(entry(name="one", aliases=["first"])),
        Pair.model_validate(entry(**second)),
        Pair.model_validate(entry(name="three")),
    ]
    assert list(clashes(pairs)) == [(1, words)]
