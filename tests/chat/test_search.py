"""What was said is found, with SQLite's index and without it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from localspec.chat.events import Message
from localspec.chat.history import History
from localspec.chat.search import Search


@pytest.fixture(params=["indexed", "read through"])
def history(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[History]:
    if request.param != "indexed":
        monkeypatch.setattr(Search, "_can_index", False)
    history = History(tmp_path / "history.sqlite3")
    yield history
    history.close()


def say(history: History, *contents: str) -> int:
    conversation = history.start("pair")
    for content in contents:
        history.append(conversation, Message("user", content))
    return conversation


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("inventory", [0]),
        ("VENTORY_val", [0]),
        ("py", [0]),
        ("inventory py", []),
        ("value total", [0]),
        ("在庫の", [1]),
        ("庫", [1]),
        ("🙂", [2]),
        ('say "hi"', [2]),
        ('"', [2]),
        ("100%", [3]),
        ("0%", [3]),
        ("a_b", [3]),
        ("\\d", [3]),
        ("AND OR NOT", []),
        ("NEAR(inventory)", []),
        ("inventory*", []),
        ("\0\0\0", []),
        ("\udce4", []),
        ("nowhere", []),
        ("titled", [4]),
        ("", [4, 3, 2, 1, 0]),
        (" \n", [4, 3, 2, 1, 0]),
    ],
)
def test_all_the_words_in_one_message(history: History, text: str, found: list[int]) -> None:
    ids = [
        say(history, "total_value is Inventory_Value now", "main.py"),
        say(history, "在庫の値です"),
        say(history, 'they say "hi" 🙂'),
        say(history, r"100% of a_b matched \d"),
        say(history, "something else, axb and 100"),
    ]
    history.rename(ids[4], "A titled talk")
    assert [ids.index(conversation.id) for conversation in history.search(text)] == found


def test_a_search_of_any_length(history: History) -> None:
    say(history, "x" * 2000)
    assert history.search("y" * 1_000_000) == []
    assert len(history.search("x" * 1_000_000)) == 1


def test_the_place_is_shown_in_one_line(history: History) -> None:
    say(history, "word " * 50 + "\n\nthe needle\n is here " + "word " * 50)
    [found] = history.search("NEEDLE")
    assert "the needle is here" in found.found
    assert len(found.found) <= 160
    assert history.conversations()[0].found == ""


def test_the_newest_place_of_several_is_shown(history: History) -> None:
    say(history, "first needle", "second needle")
    [found] = history.search("needle")
    assert found.found == "second needle"


def test_what_was_changed_or_dropped_is_not_found_any_more(history: History) -> None:
    conversation = history.start("pair")
    question = history.append(conversation, Message("user", "question"))
    reply = history.append(conversation, Message("assistant", "the first words"))
    assert history.search("first words")
    history.update(reply, "quite another text")
    assert history.search("another")
    assert not history.search("first words")
    history.remove(conversation, reply, question)
    assert not history.search("another")


def test_many_messages_are_all_indexed(history: History) -> None:
    ids = [say(history, f"number {index:04}") for index in range(450)]
    assert [found.id for found in history.search("0449")] == [ids[449]]
    assert len(history.search("number")) == 450


def test_an_index_that_cannot_be_written_only_costs_time(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = say(history, "the needle")
    history._database._connection.execute("PRAGMA query_only = ON")
    assert [found.id for found in history.search("needle")] == [conversation]
