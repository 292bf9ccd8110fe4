"""Files of earlier versions are brought to the newest, and nothing in them is lost."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from localspec.chat.events import Message
from localspec.chat.history import History
from localspec.chat.schema import MIGRATIONS
from localspec.errors import LocalspecError

VERSION_1 = """
CREATE TABLE conversation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model TEXT NOT NULL,
    updated_at REAL NOT NULL
);
CREATE TABLE message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversation,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    stats TEXT
);
CREATE INDEX message_of_conversation ON message (conversation_id, id);
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
INSERT INTO conversation VALUES (3, 'pair', 1000.5), (4, 'other', 2000), (5, 'empty', 1);
INSERT INTO message VALUES
    (1, 3, 'system', 'Be brief.', NULL), (2, 3, 'user', 'Hi', NULL),
    (3, 4, 'user', 'In between', NULL), (4, 3, 'assistant', 'Hello 🙂', '{"num_tokens": 2}'),
    (6, 3, 'system', '', NULL), (7, 3, 'user', 'More', NULL), (9, 3, 'assistant', '', NULL);
"""
"""As the first version wrote it: a system prompt is a message, and an empty one takes it away."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "history.sqlite3"
    connection = sqlite3.connect(path)
    connection.executescript(VERSION_1)
    connection.close()
    return path


def test_a_file_of_version_1_is_read_whole(path: Path) -> None:
    history = History(path)
    nodes = history.tree(3).path
    assert [(node.id, node.role, node.content, node.system) for node in nodes] == [
        (2, "user", "Hi", "Be brief."),
        (4, "assistant", "Hello 🙂", ""),
        (7, "user", "More", ""),
        (9, "assistant", "", ""),
    ]
    assert nodes[1].stats == {"num_tokens": 2}
    assert history.messages(4) == [Message("user", "In between")]
    assert [(c.id, c.title, c.model) for c in history.conversations()] == [
        (4, "In between", "other"),
        (3, "Hi", "pair"),
    ]
    assert history.conversation(3).updated_at.timestamp() == 1000.5
    assert [found.id for found in history.search("hello")] == [3]
    assert history.append(3, Message("user", "And on")) > 9
    history.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (*MIGRATIONS[:1], (*MIGRATIONS[1], "CREATE NONSENSE"))
    monkeypatch.setattr("localspec.chat.history.MIGRATIONS", broken)
    with pytest.raises(LocalspecError, match="can't be opened"):
        History(path)
    monkeypatch.undo()
    test_a_file_of_version_1_is_read_whole(path)


def test_two_processes_that_open_it_at_once_bring_it_up_once(path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        for history in pool.map(History, [path] * 4):
            assert len(history.messages(3)) == 4
            history.close()


def test_a_new_file_is_as_a_migrated_one(path: Path, tmp_path: Path) -> None:
    History(path).close()
    History(tmp_path / "new").close()

    def schema(file: Path) -> list[str]:
        connection = sqlite3.connect(file)
        rows = connection.execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall()
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.close()
        return [" ".join((row[0] or "").split()) for row in rows] + [str(version)]

    assert schema(path) == schema(tmp_path / "new")
    assert schema(path)[-1] == str(len(MIGRATIONS))
