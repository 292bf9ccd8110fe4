"""The pair check, rule by rule."""

from pathlib import Path
from typing import Any

import pytest

from localspec.errors import PairMismatch
from localspec.models.compat import check_pair
from tests.tiny_gguf import byte_vocab, write_vocab

BASE = byte_vocab(600)
QWEN = {"bos": 256, "eos": 258, "add_bos": False, "pre": "qwen2"}


def pair(tmp_path: Path, target: dict[str, Any], draft: dict[str, Any]) -> None:
    files = []
    for name, changes in (("target", target), ("draft", draft)):
        options = {"tokens": BASE} | QWEN | changes
        files.append(write_vocab(tmp_path / f"{name}.gguf", **options))
    check_pair(*files)


@pytest.mark.parametrize(
    ("target", "draft"),
    [
        ({}, {}),
        ({"tokens": byte_vocab(664)}, {}),
        ({"tokens": byte_vocab(728)}, {}),
        ({}, {"tokens": byte_vocab(728)}),
        ({}, {"pre": "qwen35"}),
        ({}, {"arch": "qwen3"}),
        ({"eos": 258}, {"eos": 256}),
        ({"bos": 257}, {"bos": 256}),
        ({"add_bos": None}, {"add_bos": False}),
        ({"type": "gemma4", "bos": 1, "add_bos": False}, {"add_bos": True, "bos": 1}),
        ({"tokens": ["one", "two", "three", "four", "five", *BASE[5:]]}, {}),
    ],
)
def test_accepted(tmp_path: Path, target: dict[str, Any], draft: dict[str, Any]) -> None:
    """B03: a good pair was refused for padding, or for what never matters."""
    pair(tmp_path, target, draft)


@pytest.mark.parametrize(
    ("target", "draft", "words"),
    [
        ({"tokens": byte_vocab(729)}, {}, r"more than 128 apart \(target 729, draft 600\)"),
        ({}, {"tokens": byte_vocab(729)}, r"more than 128 apart \(target 600, draft 729\)"),
        ({}, {"type": "llama"}, r"types differ \(target BPE, draft SPM\)"),
        ({"add_bos": True}, {}, "the target adds BOS and the draft doesn't"),
        ({}, {"pre": "llama-bpe", "add_bos": None}, "the draft adds BOS"),
        ({"add_bos": True, "bos": 1}, {"add_bos": True}, r"BOS ids differ \(target 1, draft 256\)"),
        ({"add_eos": True}, {}, "the target adds EOS"),
        ({"add_eos": True, "eos": 7}, {"add_eos": True}, "EOS ids differ"),
        ({}, {"tokens": [*BASE[:5], "other", *BASE[6:]]}, "token 5 is .* in the draft"),
        ({}, {"tokens": [*BASE[:-1], "last"]}, r'token 599 is "\[PAD599\]" in the target'),
    ],
)
def test_refused(tmp_path: Path, target: dict[str, Any], draft: dict[str, Any], words: str) -> None:
    """B01: a pair that could not work was loaded, or refused without a reason."""
    with pytest.raises(PairMismatch, match=words) as caught:
        pair(tmp_path, target, draft)
    line = str(caught.value)
    assert "target.gguf" in line
    assert "draft.gguf" in line
    assert "--spec off" in line
    assert "\n" not in line


def test_equal_sizes_with_other_texts_name_the_first_difference(tmp_path: Path) -> None:
    """B03: sizes matched and texts did not, and the draft wrote nonsense."""
    texts = [*BASE[:300], "<tool\x1b[31m>\n", *BASE[301:400], "also", *BASE[401:]]
    with pytest.raises(PairMismatch) as caught:
        pair(tmp_path, {}, {"tokens": texts})
    assert 'token 300 is "[PAD300]" in the target' in str(caught.value)
    assert '"<tool\\u001b[31m>\\u000a" in the draft' in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tokens": byte_vocab(900)}, "128 apart"),
        ({"type": "llama"}, "types"),
        ({"add_bos": True}, "BOS"),
    ],
)
def test_every_refusal_says_where_the_texts_part(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    """A refusal by size didn't say at which token the vocabularies part."""
    texts = byte_vocab(900)
    other = {"tokens": [*BASE[:20], "odd", *BASE[21:]]}
    with pytest.raises(PairMismatch, match=words + r'.*; token 20 is .* and "odd" in the draft\.'):
        pair(tmp_path, {"tokens": BASE} | changes, other)
    with pytest.raises(PairMismatch, match=r"draft 600\)\. Choose"):
        pair(tmp_path, {"tokens": texts}, {})


def test_a_text_may_not_hide_in_the_next_one(tmp_path: Path) -> None:
    """Equal bytes in a row are not equal texts."""
    with pytest.raises(PairMismatch, match="token 300 is"):
        pair(
            tmp_path,
            {"tokens": [*BASE[:300], "xxab", "cxx", *BASE[302:]]},
            {"tokens": [*BASE[:300], "xxa", "bcxx", *BASE[302:]]},
        )


def test_the_target_is_no_draft_of_its_own(tmp_path: Path) -> None:
    """B31: the target was loaded a second time as its draft."""
    file = write_vocab(tmp_path / "one.gguf", BASE, **QWEN)
    link = tmp_path / "link.gguf"
    link.hardlink_to(file)
    with pytest.raises(PairMismatch, match="target itself"):
        check_pair(file, link)
    check_pair(file, link, allow_same=True)
