"""Whole characters, and stop strings that are never shown."""

import itertools

import pytest

from localspec.chat.detokenizer import Detokenizer
from tests.fakes import ByteTokenizer


def text_of(data: bytes, stop: tuple[str, ...] = ()) -> tuple[str, list[str], bool]:
    """(whole text, text after each byte, stopped) when the bytes come one token each."""
    detokenizer = Detokenizer(ByteTokenizer(), stop)
    steps = []
    for byte in data:
        steps.append("".join(p.text for p in detokenizer.add(byte, "target")))
        if detokenizer.stopped:
            break
    rest = "".join(p.text for p in detokenizer.finish())
    return "".join(steps) + rest, steps, detokenizer.stopped


@pytest.mark.parametrize(
    "text", ["plain", "äöü", "日本語テキスト", "👩‍👩‍👧 family", "a\u0301", "🇩🇪"]
)
def test_characters_across_tokens_are_whole(text: str) -> None:
    whole, steps, _ = text_of(text.encode())
    assert whole == text
    assert not any("�" in step for step in steps)


def test_broken_bytes_become_replacement_characters() -> None:
    assert text_of(b"a\xffb")[0] == "a�b"
    assert text_of("ä".encode()[:1])[0] == "�"


@pytest.mark.parametrize("stop", ["END", "\n\n", "日本", "aab"])
@pytest.mark.parametrize("tail", ["", "xyz", "END\n\n日本aab"])
def test_a_stop_string_and_what_follows_is_not_shown(stop: str, tail: str) -> None:
    whole, steps, stopped = text_of(f"aaa 1{stop}{tail}".encode(), (stop,))
    expected = f"aaa 1{stop}"
    expected = expected[: expected.index(stop)]
    assert stopped
    assert whole == expected
    assert "".join(steps) == expected


def test_the_earliest_of_several_stop_strings_counts() -> None:
    assert text_of(b"one two three", ("three", "two"))[0] == "one "


def test_an_unfinished_stop_string_is_shown_at_the_end() -> None:
    whole, steps, stopped = text_of(b"almost EN", ("END",))
    assert (whole, stopped) == ("almost EN", False)
    assert "".join(steps) == "almost "


def test_every_piece_keeps_its_origin() -> None:
    detokenizer = Detokenizer(ByteTokenizer(), ("zz",))
    origins = itertools.cycle(("draft", "target", "suffix"))
    pieces = [p for byte in b"azbzc" for p in detokenizer.add(byte, next(origins))]
    assert [(p.text, p.origin) for p in pieces] == [
        ("a", "draft"), ("z", "target"), ("b", "suffix"), ("z", "draft"), ("c", "target"),
    ]  # fmt: skip
