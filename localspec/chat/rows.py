"""A conversation's and a message's row, as the database takes and gives them."""

from __future__ import annotations

import json
import time
from sqlite3 import Connection
from typing import Any


def start(connection: Connection, model: str, at: float, title: str = "") -> int:
    sql = "INSERT INTO conversation (model, updated_at, title) VALUES (?, ?, ?) RETURNING id"
    return int(connection.execute(sql, (model, at, title)).fetchone()[0])


def insert(
    connection: Connection,
    conversation: int,
    parent: int | None,
    role: str,
    content: str,
    system: str,
    stats: dict[str, Any] | None,
) -> int:
    sql = """INSERT INTO message (conversation_id, parent_id, role, content, system, stats)
        VALUES (?, ?, ?, ?, ?, ?) RETURNING id"""
    values = (conversation, parent, role, content, system, json_of(stats))
    return int(connection.execute(sql, values).fetchone()[0])


def stand_at(connection: Connection, conversation: int, message_id: int | None) -> None:
    sql = "UPDATE conversation SET head_id = ? WHERE id = ?"
    connection.execute(sql, (message_id, conversation))
    touch(connection, conversation)


def touch(connection: Connection, conversation: int) -> None:
    """One that is written to isn't deleted, whoever else wanted that."""
    sql = "UPDATE conversation SET updated_at = ?, deleted_at = NULL WHERE id = ?"
    connection.execute(sql, (time.time(), conversation))


def storable(text: str) -> str:
    """A terminal may deliver half a character, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def json_of(stats: dict[str, Any] | None) -> str | None:
    return None if stats is None else json.dumps(stats)


def stats_of(text: str | None) -> dict[str, Any] | None:
    try:
        stats = json.loads(text) if text else None
    except ValueError:
        return None
    return stats if isinstance(stats, dict) else None
