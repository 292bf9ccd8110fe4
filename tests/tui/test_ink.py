"""Wet text: in order, whole, and each part of it with who proposed it."""

from __future__ import annotations

import random

import pytest

from localspec.chat.events import Piece
from localspec.tui.ink import Ink, Stroke, kept_text
from tests.tui.scripted import burst


@pytest.mark.parametrize("seed", range(20))
def test_ink_loses_and_reorders_nothing(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice(["word ", "\n", "\n\n", "日本", "🎉", "x" * 300]) for _ in range(300))
    ink, dry, position = Ink(), "", 0
    while position < len(text):
        size = rng.randint(1, 30)
        ink.add(burst(text[position : position + size], rejected=["no\n"] * rng.randint(0, 2)))
        position += size
        if rng.random() < 0.3:
            dry += kept_text(ink.dry())
    assert dry + kept_text(ink.strokes) == text
    assert dry + kept_text(ink.dry_all()) == text
    assert ink.strokes == ()


def test_ink_keeps_who_proposed_a_piece_that_dries_in_part() -> None:
    ink = Ink()
    ink.put((Piece("one\ntwo\n3\nfo", "draft"), Piece("ur", "target")))
    assert ink.dry() == [Stroke("one\n", "draft")]
    assert ink.strokes == (Stroke("two\n3\nfo", "draft"), Stroke("ur", "target"))


def test_an_empty_line_stays_wet_until_something_follows_it() -> None:
    ink = Ink()
    ink.put((Piece("one\n\n\ntwo\nthree\nfour", "draft"),))
    assert kept_text(ink.dry()) == "one\n"


def test_a_rejected_draft_stands_before_what_the_target_said_instead() -> None:
    ink = Ink()
    ink.add(burst("a", " b", rejected=[" c\x1b[31m", " d"]))
    assert ink.strokes == (
        Stroke("a", "draft"),
        Stroke(" c[31m d", "draft", rejected=True),
        Stroke(" b", "target"),
    )
