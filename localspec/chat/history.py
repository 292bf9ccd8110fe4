"""Conversations, saved as they happen."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from localspec.chat.database import Database
from localspec.chat.events import Message

_SCHEMA = """
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
CREATE INDEX message_of_conversation ON message (conversation_id, id)
"""
_VERSION = 1

_LISTED = """
SELECT id, model, updated_at,
    (SELECT count(*) FROM message WHERE conversation_id = conversation.id) AS num_messages,
    (SELECT substr(content, 1, 1000) FROM message
        WHERE conversation_id = conversation.id AND role = 'user' ORDER BY id LIMIT 1)
FROM conversation WHERE num_messages > 0 ORDER BY updated_at DESC, id DESC LIMIT ?
"""
_TITLE_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation in the list."""

    id: int
    title: str
    """The first line of the first question, shortened."""
    model: str
    updated_at: datetime
    num_messages: int


class History:
    """Raises LocalspecError when the file can't be used; one that is no database is moved aside."""

    def __init__(self, path: Path | None, why_in_memory: str = "") -> None:
        """Without a path it lasts as long as the program, for the reason given."""
        self.lasting = path is not None
        self._why_in_memory = why_in_memory
        self._database = Database(path, _SCHEMA, _VERSION)

    @property
    def notice(self) -> str:
        """What the user should know about the file, in a sentence; mostly empty."""
        if self._why_in_memory:
            return f"This conversation is not saved. {self._why_in_memory}"
        moved_to = self._database.moved_to
        return f"The history could not be read. It is kept as {moved_to}." if moved_to else ""

    def start(self, model: str) -> int:
        """A new conversation's id. It is listed from its first message on."""
        with self._database.transaction() as connection:
            sql = "INSERT INTO conversation (model, updated_at) VALUES (?, ?)"
            return _new_id(connection, sql, (model, time.time()))

    def append(
        self, conversation: int, message: Message, stats: dict[str, Any] | None = None
    ) -> int:
        """The message's id, never used again."""
        values = (conversation, message.role, _storable(message.content), _json(stats))
        with self._database.transaction() as connection:
            sql = "INSERT INTO message (conversation_id, role, content, stats) VALUES (?, ?, ?, ?)"
            message_id = _new_id(connection, sql, values)
            _touch(connection, message_id)
            return message_id

    def update(self, message_id: int, content: str, stats: dict[str, Any] | None = None) -> None:
        """A reply's content so far; stats that are not given stay."""
        values = (_storable(content), _json(stats), message_id)
        with self._database.transaction() as connection:
            sql = "UPDATE message SET content = ?, stats = coalesce(?, stats) WHERE id = ?"
            connection.execute(sql, values)
            _touch(connection, message_id)

    def messages(self, conversation: int) -> list[Message]:
        sql = "SELECT role, content FROM message WHERE conversation_id = ? ORDER BY id"
        return [Message(*row) for row in self._database.rows(sql, (conversation,))]

    def latest(self) -> Conversation | None:
        return next(iter(self.conversations(1)), None)

    def conversations(self, limit: int = 50) -> list[Conversation]:
        """The newest first."""
        return [
            Conversation(id_, _title(question), model, datetime.fromtimestamp(at, UTC), num)
            for id_, model, at, num, question in self._database.rows(_LISTED, (limit,))
        ]

    def remove_from(self, message_id: int) -> None:
        """Drop this message and all after it in its conversation."""
        with self._database.transaction() as connection:
            _touch(connection, message_id)
            sql = """DELETE FROM message WHERE id >= ?1 AND conversation_id =
                (SELECT conversation_id FROM message WHERE id = ?1)"""
            connection.execute(sql, (message_id,))

    def close(self) -> None:
        self._database.close()


def _new_id(connection: Connection, sql: str, values: tuple[Any, ...]) -> int:
    row = connection.execute(f"{sql} RETURNING id", values).fetchone()
    return int(row[0])


def _touch(connection: Connection, message_id: int) -> None:
    sql = """UPDATE conversation SET updated_at = ? WHERE id =
        (SELECT conversation_id FROM message WHERE id = ?)"""
    connection.execute(sql, (time.time(), message_id))


def _storable(text: str) -> str:
    """A terminal may deliver half a character, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _json(stats: dict[str, Any] | None) -> str | None:
    return None if stats is None else json.dumps(stats)


def _title(question: str | None) -> str:
    lines = (question or "").strip().splitlines()
    words = " ".join(lines[0].split()) if lines else ""
    return words if len(words) <= _TITLE_LENGTH else words[: _TITLE_LENGTH - 1].rstrip() + "…"
