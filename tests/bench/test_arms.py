"""Ways to draft, by name."""

from contextlib import closing

import pytest

from localspec.backends.arm import Arm
from localspec.backends.interface import LoadRequest
from localspec.backends.loading import LoadedPair
from localspec.bench.arms import default_arms, parse_arm, parse_arms
from localspec.errors import UsageError
from tests.conftest import TinyFiles, register


def test_arms_are_parsed_or_refused() -> None:
    assert parse_arm("draft:5") == Arm("draft:5", "draft", 5)
    assert parse_arm(" draft ") == Arm("draft", "draft", None)
    assert parse_arm("suffix:08") == Arm("suffix:8", "suffix", 8)
    assert parse_arm("auto") == Arm("auto", "auto", None)
    assert parse_arm("off") == Arm("off", "off", None)
    for text in ("", "fast", "draft:", "draft:x", "draft:-1", "draft:0", "draft:33", "off:3"):
        with pytest.raises(UsageError):
            parse_arm(text)


def test_ngram_is_an_old_name() -> None:
    assert parse_arm("ngram") == parse_arm("suffix")
    with pytest.raises(UsageError, match="twice"):
        parse_arms("off,ngram,suffix")


def test_off_and_a_number_with_the_model_are_fixed() -> None:
    fixed = [
        arm.name for arm in parse_arms("off,draft:1,draft,suffix,suffix:4,auto") if arm.is_fixed
    ]
    assert fixed == ["off", "draft:1"]


def test_without_arms_a_pair_gets_those_that_it_has(
    pair: LoadedPair, tiny_files: TinyFiles, own_home: object
) -> None:
    assert [arm.name for arm in default_arms(pair)] == ["off", "draft:3", "suffix", "auto"]
    register("alone", target=tiny_files.target)
    with closing(LoadedPair(LoadRequest("alone", ctx=256))) as alone:
        list(alone.load())
        assert [arm.name for arm in default_arms(alone)] == ["off", "suffix", "auto"]
