"""Code blocks of a conversation, the likeliest to be repeated first."""

import pytest

from localspec.chat.attachment import attached
from localspec.chat.events import Message
from localspec.chat.predictions import MAX_TEXTS, MIN_CHARS, code_blocks, predicted_texts

LONG = "".join(f"line {n} of a long enough block\n" for n in range(5))


def fenced(text: str) -> str:
    return f"See:\n```python\n{text}```\nThanks.\n"


def test_the_last_message_comes_first_and_twice_is_once() -> None:
    messages = [
        Message("system", fenced("s" + LONG)),
        Message("user", fenced("u1" + LONG)),
        Message("assistant", fenced("a1" + LONG)),
        Message("user", fenced("u2" + LONG) + fenced("u3" + LONG) + fenced("u1" + LONG)),
    ]
    heads = [text[:2] for text in predicted_texts(messages)]
    assert heads == ["u2", "u3", "u1", "a1"]


def test_what_was_just_written_is_meant_when_the_question_brings_no_text() -> None:
    messages = [
        Message("user", fenced("old" + LONG)),
        Message("assistant", fenced("new" + LONG)),
        Message("user", "Now rename it."),
    ]
    assert [text[:3] for text in predicted_texts(messages)] == ["new", "old"]


def test_short_blocks_are_left_out_and_many_are_cut() -> None:
    assert predicted_texts([Message("user", fenced("x" * (MIN_CHARS - 1) + "\n"))]) == []
    assert len(predicted_texts([Message("user", fenced("x" * MIN_CHARS + "\n"))])) == 1
    many = "".join(fenced(f"{n}" + LONG) for n in range(50))
    assert len(predicted_texts([Message("user", many)])) == MAX_TEXTS
    assert predicted_texts([]) == []


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("no block, ``` inside a line", []),
        ("```\na\n```", ["a\n"]),
        ("```py\na\n", ["a\n"]),
        ("~~~\na\n```\nb\n~~~\nc", ["a\n```\nb\n"]),
        ("````\n```\na\n```\n````\n", ["```\na\n```\n"]),
        ("```a```\nb", []),
        ("  ```\n  a\n  ```\n", ["  a\n"]),
        ("```\na\n```py\nb\n```\n", ["a\n```py\nb\n"]),
        ("```\n```\n```\n", [""]),
        ("`" * 5000, []),
    ],
)
def test_blocks_are_those_of_commonmark(text: str, blocks: list[str]) -> None:
    assert list(code_blocks(text)) == blocks


@pytest.mark.parametrize("text", [LONG, LONG + "```\nnested\n```\n" + LONG, "`````\n" + LONG])
def test_an_attached_file_is_predicted(text: str) -> None:
    message = attached("Sort it.", "some dir/a`b.py", text)
    assert message.startswith("Sort it.\n\na_b.py:\n\n```")
    assert predicted_texts([Message("user", message)]) == [text]


def test_a_line_of_a_megabyte_is_one_text() -> None:
    line = "word " * 200_000
    assert predicted_texts([Message("user", fenced(line + "\n"))]) == [line + "\n"]
