"""What is thinking and what is answer doesn't hang on how the text arrives (B26)."""

from __future__ import annotations

from itertools import combinations

import pytest

from localspec.chat.thinking import TAGS, Span, ThinkingParser, left_open, opened_before, spans

WHOLE = "<think>\nhm, <b>\n</think>\n\nThe answer < 3 [x]."
REPLIES = {
    "both tags": (WHOLE, ""),
    "closing tag only": (WHOLE.removeprefix("<think>\n"), "<think>"),
    "never closed": ("<think>\nhm </thin", ""),
    "in a fence": ("Write:\n```html\n<think>\n</think>\n```\nSo.", ""),
    "in a fence of the thinking": ("```\n</think>\n```\nso\n</think>\n\nyes", "<think>"),
    "a fence left open": ("```\nx = 1\n</think>\n\nyes", "<think>"),
    "in a line": ("Between <think> and </think> it thinks.", ""),
    "quoted": ('What `</think>` and "</think>" mean.\n</think>\n\nyes', "<think>"),
    "nothing thought": ("<think>\n\n</think>\n\nyes", ""),
    "others": ("[THINK]a[/THINK]b\n◁think▷c◁/think▷d", ""),
}


def joined(each: list[Span]) -> list[tuple[str, str]]:
    """Neighbours of one kind as one."""
    kinds: list[tuple[str, str]] = []
    for span in each:
        if kinds and kinds[-1][0] == span.kind:
            kinds[-1] = (span.kind, kinds[-1][1] + span.text)
        else:
            kinds.append((span.kind, span.text))
    return kinds


def read(open_tag: str, *parts: str) -> list[tuple[str, str]]:
    parser = ThinkingParser(open_tag)
    each = [span for part in parts for span in parser.feed(part)]
    return joined(each + parser.finish())


def of(kind: str, name: str) -> str:
    return "|".join(span.text for span in spans(*REPLIES[name]) if span.kind == kind)


@pytest.mark.parametrize("name", REPLIES)
def test_all_splits_into_three_parts_read_the_same(name: str) -> None:
    """A tag split over bursts was not seen."""
    text, open_tag = REPLIES[name]
    whole = read(open_tag, text)
    for a, b in combinations(range(len(text) + 1), 2):
        assert read(open_tag, text[:a], text[a:b], text[b:]) == whole, (a, b)
    assert read(open_tag, *text) == whole


@pytest.mark.parametrize("name", REPLIES)
def test_no_character_is_lost(name: str) -> None:
    text, open_tag = REPLIES[name]
    assert "".join(span.text for span in spans(text, open_tag)) == text


@pytest.mark.parametrize(
    ("name", "thinking", "answer"),
    [
        ("both tags", "hm, <b>\n", "The answer < 3 [x]."),
        ("closing tag only", "hm, <b>\n", "The answer < 3 [x]."),
        ("never closed", "hm </thin", ""),
        ("in a fence", "", REPLIES["in a fence"][0]),
        ("in a fence of the thinking", "```\n</think>\n```\nso\n", "yes"),
        ("a fence left open", "```\nx = 1\n", "yes"),
        ("in a line", "", REPLIES["in a line"][0]),
        ("quoted", 'What `</think>` and "</think>" mean.\n', "yes"),
        ("nothing thought", "", "yes"),
        ("others", "a|c", "b\n|d"),
    ],
)
def test_thinking_and_answer(name: str, thinking: str, answer: str) -> None:
    assert of("thinking", name) == thinking
    assert of("answer", name) == answer


@pytest.mark.parametrize("tag", TAGS)
def test_each_tag_opens_and_is_closed_by_its_own(tag: str) -> None:
    other = "</think>" if TAGS[tag] != "</think>" else "</thought>"
    text = f"{tag}a {other} b{TAGS[tag]}c"
    assert [(span.kind, span.text) for span in spans(text)] == [
        ("tag", tag), ("thinking", f"a {other} b"), ("tag", TAGS[tag]), ("answer", "c"),
    ]  # fmt: skip


def test_what_is_certain_is_not_held_back() -> None:
    parser = ThinkingParser()
    assert parser.feed("a < b, [x] and <div>\n") and not parser.holds
    assert not parser.feed("<thi") and parser.holds
    assert parser.feed("n>") == [Span("answer", "<thin>")]


@pytest.mark.parametrize(
    ("prompt", "tag"),
    [
        ("<|assistant|>\n<think>\n", "<think>"),
        ("<think>\n\n</think>\n\n", ""),
        ("<think>a</think> and [THINK]", "[THINK]"),
        ("nothing", ""),
    ],
)
def test_the_tag_that_a_prompt_leaves_open(prompt: str, tag: str) -> None:
    assert left_open(prompt) == tag


@pytest.mark.parametrize(
    ("reply", "tag"),
    [
        ("hm\n</think>\n\nyes", "<think>"),
        ("<think>\nhm\n</think>\n\nyes", ""),
        ("It ends with </think> then.", ""),
        ("```\n</think>\n```\n", ""),
        ("yes", ""),
    ],
)
def test_a_reply_of_which_only_the_text_is_left(reply: str, tag: str) -> None:
    """One that was imported, or that a killed process left."""
    assert opened_before(reply) == tag
