"""What is written by lines."""

from __future__ import annotations

import io

import pytest

from localspec.tui.plain.page import Page


def test_words_are_written_whole_and_long_runs_are_not_held() -> None:
    out = io.StringIO()
    page = Page(out)
    for part in ("Hel", "lo wor"):
        page.stream(part)
    assert out.getvalue() == "Hello "
    page.stream("文" * 81)
    assert out.getvalue().endswith("文")
    page.end_line()
    page.end_line()
    assert out.getvalue().endswith("文\n")


def test_a_reader_that_has_gone_ends_the_chat_once() -> None:
    """A pipe to `head` ended it with a traceback, and the model was not freed."""

    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    page = Page(Closed())
    with pytest.raises(EOFError):
        page.say("one")
    page.say("two")
    page.end_line()
