"""Conversations on disk: kept through kills, other processes, newer and broken files."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from localspec.chat.events import Message
from localspec.chat.history import BEGINNING, ConversationGone, History
from localspec.errors import LocalspecError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "history.sqlite3"


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    history = History(path)
    yield history
    history.close()


def ask(history: History, question: str = "Hi", reply: str = "Hello") -> tuple[int, int, int]:
    conversation = history.start("pair")
    first = history.append(conversation, Message("user", question))
    second = history.append(conversation, Message("assistant", reply), {"num_tokens": 1})
    return conversation, first, second


def test_messages_come_back_in_order(history: History, path: Path) -> None:
    conversation, _, reply = ask(history)
    history.update(reply, "Hello there 🙂", {"num_tokens": 2})
    other = History(path)
    expected = [Message("user", "Hi"), Message("assistant", "Hello there 🙂")]
    assert other.messages(conversation) == expected
    other.close()


def test_a_conversation_without_messages_is_not_listed(history: History) -> None:
    history.start("pair")
    assert history.latest() is None
    assert history.conversations() == []


def test_the_conversation_that_changed_last_is_first(history: History) -> None:
    first, _, reply = ask(history, "one")
    second, _, _ = ask(history, "two")
    assert [c.id for c in history.conversations()] == [second, first]
    history.update(reply, "changed")
    assert [c.id for c in history.conversations()] == [first, second]
    latest = history.latest()
    assert latest is not None
    assert (latest.id, latest.title, latest.model, latest.num_messages) == (first, "one", "pair", 2)
    assert latest.updated_at.tzinfo is not None
    assert len(history.conversations(limit=1)) == 1


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("\n  What \t is this?\nIt is long.", "What is this?"),
        ("", ""),
        ("word " * 40, ("word " * 40)[:59].rstrip() + "…"),
    ],
)
def test_the_title_is_the_first_line_of_the_first_question(
    history: History, question: str, title: str
) -> None:
    conversation = history.start("pair")
    history.append(conversation, Message("user", question), system="Be brief.")
    latest = history.latest()
    assert latest is not None
    assert latest.title == title


def test_a_message_can_be_dropped_and_its_number_is_not_used_again(history: History) -> None:
    conversation, question, reply = ask(history)
    history.remove(conversation, reply, question)
    assert history.messages(conversation) == [Message("user", "Hi")]
    assert history.append(conversation, Message("assistant", "new")) > reply


def test_every_version_is_kept_and_one_is_shown(history: History) -> None:
    conversation, question, reply = ask(history)
    other = history.append(conversation, Message("assistant", "Hey"), after=question)
    edited = history.append(conversation, Message("user", "Ho"), after=BEGINNING, system="Brief.")
    assert history.messages(conversation) == [Message("user", "Ho")]
    tree = history.tree(conversation)
    assert [node.id for node in tree] == [question, reply, other, edited]
    assert [node.id for node in tree.first] == [question, edited]
    assert [node.id for node in tree.first[0].children] == [reply, other]
    assert tree.path[0].system == "Brief."
    history.show(conversation, reply)
    assert [message.content for message in history.messages(conversation)] == ["Hi", "Hello"]
    history.show(conversation, BEGINNING)
    assert history.messages(conversation) == []


def test_numbers_of_a_reply_come_back(history: History) -> None:
    conversation, _, reply = ask(history)
    history.update(reply, "Hello!")
    assert history.tree(conversation).path[-1].stats == {"num_tokens": 1}


def test_a_title_of_ones_own(history: History) -> None:
    conversation, _, _ = ask(history, "the question")
    history.rename(conversation, "  My\n title ")
    assert history.conversation(conversation).title == "My title"
    assert history.conversation(conversation).given_title == "My title"
    history.rename(conversation, "")
    assert history.conversation(conversation).title == "the question"


@pytest.mark.parametrize("number", [0, -1, 99, 1 << 80])
def test_a_number_that_no_conversation_has_is_one_sentence(history: History, number: int) -> None:
    with pytest.raises(LocalspecError, match="There is no conversation"):
        history.tree(number)


def test_a_deleted_conversation_can_be_restored_until_the_end(path: Path) -> None:
    history = History(path)
    kept, _, _ = ask(history, "kept")
    gone, _, _ = ask(history, "a secret")
    history.delete(gone)
    assert [c.id for c in history.conversations()] == [kept]
    assert history.search("secret") == []
    with pytest.raises(LocalspecError, match="no conversation"):
        history.tree(gone)
    history.restore(gone)
    assert [c.id for c in history.search("secret")] == [gone]
    history.delete(gone)
    history.close()
    # Nor can it be read from the file any more.
    assert b"a secret" not in b"".join(file.read_bytes() for file in path.parent.iterdir())
    history = History(path)
    with pytest.raises(ConversationGone):
        history.restore(gone)
    assert len(history.messages(kept)) == 2
    history.close()


def test_what_another_process_deleted_is_left_to_it(path: Path) -> None:
    first, second = History(path), History(path)
    conversation, _, _ = ask(first)
    first.delete(conversation)
    second.close()
    first.restore(conversation)
    assert len(first.messages(conversation)) == 2
    first.close()


def test_writing_to_a_deleted_conversation_brings_it_back(path: Path) -> None:
    first, second = History(path), History(path)
    conversation, _, reply = ask(first)
    first.delete(conversation)
    second.update(reply, "more")
    first.close()
    assert [message.content for message in second.messages(conversation)] == ["Hi", "more"]
    second.close()


def test_writing_to_what_is_gone_is_told_apart(path: Path) -> None:
    first, second = History(path), History(path)
    conversation, question, reply = ask(first)
    first.delete(conversation)
    first.close()
    with pytest.raises(ConversationGone):
        second.update(reply, "more")
    with pytest.raises(ConversationGone):
        second.append(conversation, Message("user", "more"), after=question)
    second.close()


def test_what_a_killed_process_deleted_long_ago_goes(path: Path) -> None:
    history = History(path)
    conversation, _, _ = ask(history)
    history.delete(conversation)
    history._deleted.clear()
    history.close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM message").fetchone() == (2,)
    connection.execute("UPDATE conversation SET deleted_at = deleted_at - 90000")
    connection.commit()
    History(path).close()
    assert connection.execute("SELECT count(*) FROM message").fetchone() == (0,)
    connection.close()


def test_a_locked_file_fails_soon(path: Path) -> None:
    """A process that held the file stopped the screen for five seconds at every save."""
    history = History(path, patience_s=0.01)
    conversation, _, _ = ask(history)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LocalspecError, match="locked"):
        history.append(conversation, Message("user", "more"))
    assert len(history.messages(conversation)) == 2
    other.close()
    history.append(conversation, Message("user", "more"))
    history.close()


def test_a_full_disk_is_one_sentence_and_loses_nothing(history: History) -> None:
    conversation, _, _ = ask(history)
    connection = history._database._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(LocalspecError, match="full"):
        history.append(conversation, Message("user", "x" * 100_000))
    assert len(history.messages(conversation)) == 2
    connection.execute("PRAGMA max_page_count = 1000000")
    history.append(conversation, Message("user", "x" * 100_000))
    assert len(history.messages(conversation)) == 3


def test_half_a_character_is_stored_as_a_question_mark(history: History) -> None:
    conversation, _, _ = ask(history, "a\udce4b")
    assert history.messages(conversation)[0].content == "a?b"


def test_what_was_saved_survives_a_kill(path: Path) -> None:
    code = (
        "import os, sys, pathlib; from localspec.chat.history import *\n"
        "h = History(pathlib.Path(sys.argv[1])); c = h.start('pair')\n"
        "m = h.append(c, Message('assistant', ''))\n"
        "h.update(m, 'Half a rep'); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 9
    history = History(path)
    latest = history.latest()
    assert latest is not None
    assert history.messages(latest.id) == [Message("assistant", "Half a rep")]
    history.close()


def test_several_writers_wait_for_each_other(path: Path) -> None:
    def write(index: int) -> None:
        history = History(path)
        for _ in range(10):
            ask(history, str(index))
        history.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    history = History(path)
    assert len(history.conversations()) == 40
    history.close()


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_only_the_owner_can_read_it(history: History, path: Path) -> None:
    ask(history)
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    History(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LocalspecError, match=r"newer localspec\. Update localspec"):
        History(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("garbage", [b"not a database at all" * 100, b"SQLite format 3\0" * 100])
def test_a_broken_file_is_moved_aside_whole(path: Path, garbage: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(garbage)
    history = History(path)
    (aside,) = [file for file in path.parent.iterdir() if "unreadable" in file.name]
    assert aside.read_bytes() == garbage
    assert str(aside) in history.notice
    conversation, _, _ = ask(history)
    assert len(history.messages(conversation)) == 2
    history.close()


def test_a_sound_file_has_no_notice(history: History) -> None:
    assert history.notice == ""


def test_a_place_that_can_not_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LocalspecError, match="can't be opened"):
        History(tmp_path / "file" / "history.sqlite3")


def test_use_after_closing_is_one_sentence(history: History) -> None:
    history.close()
    history.close()
    with pytest.raises(LocalspecError, match="closed database"):
        history.start("pair")


def test_an_unknown_conversation_is_one_sentence(history: History) -> None:
    with pytest.raises(LocalspecError, match="has been deleted"):
        history.append(99, Message("user", "Hi"))
    ask(history)


def test_a_history_in_memory_works_as_long_as_it_is_open() -> None:
    """Without a usable file there was no history at all, and no chat."""
    history = History(None, "The disk is away.")
    conversation, _, _ = ask(history)
    assert [message.content for message in history.messages(conversation)] == ["Hi", "Hello"]
    assert not history.lasting
    assert history.notice == "This conversation is not saved. The disk is away."
    history.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_the_mode_of_what_a_link_leads_to_stays(path: Path, tmp_path: Path) -> None:
    """A link to a device made the device private to its user."""
    other = tmp_path / "other"
    other.touch()
    other.chmod(0o644)
    path.parent.mkdir()
    path.symlink_to(other)
    History(path).close()
    assert stat.S_IMODE(other.stat().st_mode) == 0o644
