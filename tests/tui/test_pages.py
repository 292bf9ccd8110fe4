"""Long replies are cut where Markdown doesn't show it, and nothing is lost."""

from __future__ import annotations

import pytest

from localspec.tui.pages import Pages, Part

PARAGRAPHS = "".join(f"Paragraph {n} says something.\n\n" for n in range(300))
CODE = "```python\n" + "".join(f"x_{n} = {n}\n\n" for n in range(400)) + "```\n\nend\n"
LIST = "".join(f"- item {n}\n  more of it\n\n" for n in range(200))
TABLE = "| a | b |\n|---|:-:|\n" + "".join(f"| {n} | {n} |\n" for n in range(300)) + "\nend\n"
LINE = "word " * 3000


def split(text: str, step: int) -> list[Part]:
    """As if it had arrived in fragments of `step` characters."""
    pages = Pages()
    parts = [Part("")]
    for start in range(0, len(text), step):
        first, *following = pages.split(text[start : start + step])
        parts[-1].text += first.text
        parts += following
    return parts


@pytest.mark.parametrize("step", [1, 7, 1000, 10**6])
@pytest.mark.parametrize("text", [PARAGRAPHS, LIST], ids=["paragraphs", "list"])
def test_the_pages_are_the_text(text: str, step: int) -> None:
    parts = split(text, step)
    assert "".join(part.text for part in parts) == text
    assert len(parts) > 1


@pytest.mark.parametrize(
    "text", [PARAGRAPHS, CODE, LIST, TABLE], ids=["paragraphs", "code", "list", "table"]
)
def test_fragments_make_the_pages_of_the_whole(text: str) -> None:
    assert split(text, 3) == split(text, 10**6)


def test_a_line_without_end_is_cut_as_it_comes() -> None:
    parts = split(LINE, 500)
    assert "".join(part.text for part in parts) == LINE
    assert len(parts) > 1


def test_prose_is_cut_between_paragraphs() -> None:
    for part in split(PARAGRAPHS, 50):
        assert part.text.startswith("Paragraph") and part.text.endswith("\n\n")
        assert not part.continued


def test_code_goes_on_as_code() -> None:
    parts = split(CODE, 50)
    assert all(part.text.startswith("```python\n") for part in parts)
    assert all(part.text.count("```") == 2 for part in parts)
    assert [part.continued for part in parts] == [False] + [True] * (len(parts) - 1)
    inside = [part.text.removeprefix("```python\n").removesuffix("```\n") for part in parts[:-1]]
    assert CODE.startswith("```python\n" + "".join(inside))


def test_a_table_goes_on_under_its_head() -> None:
    parts = split(TABLE, 50)
    assert all(part.text.startswith("| a | b |\n|---|:-:|\n") for part in parts)
    assert len(parts) > 2


def test_a_fence_inside_a_longer_fence_closes_nothing() -> None:
    pages = Pages()
    pages.split("````\n```\nstill code\n```\n")
    assert pages.in_code
    pages.split("````\n")
    assert not pages.in_code
