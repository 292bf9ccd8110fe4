"""What is drawn of the strokes, and what a selection of it copies."""

from __future__ import annotations

import pytest
from textual.geometry import Offset
from textual.selection import Selection
from textual.style import Style

from localspec.tui.ink import Stroke
from localspec.tui.marking import Marking, drawn, selected

STROKES = [
    Stroke("one ", "target"),
    Stroke("two\n", "draft"),
    Stroke("bad\n\t  word", "draft", rejected=True),
    Stroke("  three", "suffix"),
    Stroke(" [b]four[/]", "target"),
]


def plain(marking: Marking) -> str:
    return drawn(STROKES, marking, lambda name: Style()).plain


@pytest.mark.parametrize("marking", [Marking.OFF, Marking.LIVE, Marking.XRAY])
def test_a_rejected_draft_is_only_drawn_on_request(marking: Marking) -> None:
    assert plain(marking) == "one two\n  three [b]four[/]"


def test_a_rejected_draft_is_enclosed_and_breaks_no_line() -> None:
    """A terminal that can't strike out would show it as part of the reply."""
    assert plain(Marking.REJECTED) == "one two\n~bad↵word~  three [b]four[/]"


def test_words_are_marked_and_the_space_between_them_is_not() -> None:
    content = drawn(STROKES, Marking.REJECTED, lambda name: Style(bold=True))
    marked = [content.plain[span.start : span.end] for span in content.spans]
    assert marked == ["two", "~bad↵word~", "three"]
    assert not drawn(STROKES, Marking.OFF, lambda name: Style(bold=True)).spans


@pytest.mark.parametrize("marking", list(Marking))
def test_all_that_is_selected_is_the_raw_reply(marking: Marking) -> None:
    """Rejected drafts were copied with the reply."""
    assert selected(STROKES, marking, Selection(None, None)) == "one two\n  three [b]four[/]"


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ((4, 0), (7, 0), "two"),
        ((4, 0), (3, 1), "two\n"),
        ((10, 1), (17, 1), "  three"),
        ((0, 1), (12, 1), "  "),
        ((0, 1), (99, 1), "  three [b]four[/]"),
        ((99, 0), (99, 99), "\n  three [b]four[/]"),
        ((2, 7), (3, 8), ""),
    ],
)
def test_a_part_of_it_is_that_part(start: tuple[int, int], end: tuple[int, int], text: str) -> None:
    selection = Selection(Offset(*start), Offset(*end))
    assert selected(STROKES, Marking.REJECTED, selection) == text
