"""Finding conversations by what was said in them.

The index is SQLite's own (FTS5 with trigrams), so parts of words, code and scripts without spaces
are found. It is filled when somebody searches. Without it every message is looked at: the same
answer, later.
"""

from __future__ import annotations

import sqlite3
from functools import cached_property

from localspec.chat.database import Database
from localspec.errors import LocalspecError

_INDEX = "CREATE VIRTUAL TABLE IF NOT EXISTS message_text USING fts5(content, tokenize = 'trigram')"
_BATCH = 200
_LEAST = 3
"""Characters of a word that the index knows."""
_AROUND = 40
_SHOWN = 160
_LONGEST = 1000
"""Characters of a search; SQLite takes no pattern of any length."""


class Search:
    """Looks for words in all messages and titles of a history."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, text: str) -> dict[int, str]:
        """Each conversation that has all the words in one message, or in its title, with the
        newest such place; for a title it is empty."""
        words = text.replace("\0", " ")[:_LONGEST].split()
        if not words:
            return {}
        rows = self._titled(words) + self._said(words)
        return {conversation: " ".join(found.split()) for conversation, found in rows}

    def catch_up(self) -> bool:
        """Bring the index to what the messages are now; False if there can't be one."""
        if not self._can_index:
            return False
        try:
            while self._index_some():
                pass
        except LocalspecError:
            # Another process writes, or the disk is full.
            return False
        return True

    def _titled(self, words: list[str]) -> list[tuple[int, str]]:
        where = " AND ".join(r"title LIKE ? ESCAPE '\'" for _ in words)
        sql = f"SELECT id, '' FROM conversation WHERE {where}"
        return self._database.rows(sql, [_like(word) for word in words])

    def _said(self, words: list[str]) -> list[tuple[int, str]]:
        long = [word for word in words if len(word) >= _LEAST]
        if long and self.catch_up():
            phrases = " AND ".join('"' + word.replace('"', '""') + '"' for word in long)
            words = [word for word in words if len(word) < _LEAST]
            source = "message_text JOIN message ON message.id = message_text.rowid"
            where, values = ["message_text MATCH ?"], [phrases]
        else:
            source, where, values = "message", [], []
        first = max(long or words, key=len)
        where += [r"message.content LIKE ? ESCAPE '\'" for _ in words]
        # With max() the other columns are those of that row.
        sql = f"""SELECT conversation_id, substr(message.content,
                max(1, instr(lower(message.content), lower(?)) - {_AROUND}), {_SHOWN}),
                max(message.id)
            FROM {source} WHERE {" AND ".join(where)} GROUP BY conversation_id"""
        rows = self._database.rows(sql, [first, *values, *map(_like, words)])
        return [row[:2] for row in rows]

    def _index_some(self) -> bool:
        """In small steps, so that a reply that is saved meanwhile waits for one of them only."""
        with self._database.transaction() as connection:
            connection.execute(_INDEX)
            sql = f"SELECT message_id FROM unindexed LIMIT {_BATCH}"
            ids = connection.execute(sql).fetchall()
            connection.executemany("DELETE FROM message_text WHERE rowid = ?", ids)
            sql = """INSERT INTO message_text (rowid, content)
                SELECT id, content FROM message WHERE id = ?"""
            connection.executemany(sql, ids)
            connection.executemany("DELETE FROM unindexed WHERE message_id = ?", ids)
            return len(ids) == _BATCH

    @cached_property
    def _can_index(self) -> bool:
        """Asked on an empty database: a build may lack it."""
        connection = sqlite3.connect(":memory:")
        try:
            connection.execute(_INDEX)
        except sqlite3.Error:
            return False
        finally:
            connection.close()
        return True


def _like(word: str) -> str:
    for special in "\\%_":
        word = word.replace(special, f"\\{special}")
    return f"%{word}%"
