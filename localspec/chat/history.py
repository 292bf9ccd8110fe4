"""Conversations, saved as they happen."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from localspec.chat import rows
from localspec.chat.database import Database
from localspec.chat.events import Message
from localspec.chat.listing import LISTED, Conversation, listed
from localspec.chat.schema import MIGRATIONS
from localspec.chat.search import Search
from localspec.chat.tree import Node, Tree
from localspec.errors import LocalspecError

BEGINNING = 0
"""In the place of a message's number: before the first one."""
_KEEP_DELETED_S = 24 * 3600.0


class ConversationGone(LocalspecError):
    """Another process has deleted it, or a part of it."""


class History:
    """Raises LocalspecError when the file can't be used; one that is no database is moved aside."""

    def __init__(self, path: Path | None, why_in_memory: str = "", patience_s: float = 5.0) -> None:
        """Without a path it lasts as long as the program, for the reason given. Another process
        that writes is waited for, but for no longer than `patience_s`."""
        self.lasting = path is not None
        self._why_in_memory = why_in_memory
        self._database = Database(path, MIGRATIONS, patience_s)
        self._search = Search(self._database)
        self._deleted: set[int] = set()

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
            return rows.start(connection, model, time.time())

    def append(
        self,
        conversation: int,
        message: Message,
        stats: dict[str, Any] | None = None,
        *,
        after: int | None = None,
        system: str = "",
    ) -> int:
        """The message's id, never used again. It is put after the given message, or at the end
        of the branch that is shown, and is now that end. Raises ConversationGone."""
        with self._changes() as connection:
            if after is None:
                sql = "SELECT head_id FROM conversation WHERE id = ?"
                row = connection.execute(sql, (conversation,)).fetchone()
                after = row[0] if row else None
            values = (conversation, after or None, message.role, rows.storable(message.content))
            message_id = rows.insert(connection, *values, rows.storable(system), stats)
            rows.stand_at(connection, conversation, message_id)
            return message_id

    def update(self, message_id: int, content: str, stats: dict[str, Any] | None = None) -> None:
        """A reply's content so far; stats that are not given stay. Raises ConversationGone."""
        values = (rows.storable(content), rows.json_of(stats), message_id)
        with self._changes() as connection:
            sql = """UPDATE message SET content = ?, stats = coalesce(?, stats) WHERE id = ?
                RETURNING conversation_id"""
            row = connection.execute(sql, values).fetchone()
            if row is None:
                raise ConversationGone("The message has been deleted.")
            rows.touch(connection, row[0])

    def show(self, conversation: int, message_id: int) -> None:
        """From now on it stands at this message, or at its BEGINNING."""
        with self._changes() as connection:
            rows.stand_at(connection, conversation, message_id or None)

    def remove(self, conversation: int, message_id: int, head: int) -> None:
        """Drop a message that has none after it, and stand at `head` again."""
        with self._changes() as connection:
            rows.stand_at(connection, conversation, head or None)
            connection.execute("DELETE FROM message WHERE id = ?", (message_id,))

    def tree(self, conversation: int) -> Tree:
        """All versions of all turns. Raises LocalspecError for one that isn't there."""
        sql = "SELECT head_id FROM conversation WHERE id = ? AND deleted_at IS NULL"
        # Python's number may be larger than SQLite's.
        heads = self._database.rows(sql, (conversation,)) if conversation < 1 << 63 else []
        if not heads:
            hint = "`localspec sessions` lists them."
            raise LocalspecError(f"There is no conversation {conversation}.", hint)
        sql = """SELECT id, parent_id, role, content, system, stats FROM message
            WHERE conversation_id = ? ORDER BY id"""
        tree, nodes = Tree(), dict[int | None, Node]()
        for id_, parent, role, content, system, stats in self._database.rows(sql, (conversation,)):
            node = Node(role, content, nodes.get(parent), system, rows.stats_of(stats), id_)
            nodes[id_] = tree.add(node)
        tree.head = nodes.get(heads[0][0])
        return tree

    def messages(self, conversation: int) -> list[Message]:
        """The branch that is shown."""
        return [node.message for node in self.tree(conversation).path]

    def insert(self, tree: Tree, model: str, title: str = "", at: float | None = None) -> int:
        """A whole conversation at once, all or nothing; its id. The nodes learn theirs."""
        ids: dict[Node | None, int | None] = {None: None}
        with self._database.transaction() as connection:
            at = time.time() if at is None else at
            conversation = rows.start(
                connection, " ".join(rows.storable(model).split()), at, rows.storable(title)
            )
            for node in tree:
                values = (ids[node.parent], node.role, rows.storable(node.content))
                system = rows.storable(node.system)
                ids[node] = rows.insert(connection, conversation, *values, system, node.stats)
            sql = "UPDATE conversation SET head_id = ? WHERE id = ?"
            connection.execute(sql, (ids[tree.head], conversation))
        for each in tree:
            each.id = ids[each]
        return conversation

    def latest(self) -> Conversation | None:
        return next(iter(self.conversations(1)), None)

    def conversation(self, conversation: int) -> Conversation:
        """Raises LocalspecError for one that isn't there."""
        self.tree(conversation)
        found = self._database.rows(f"{LISTED} AND id = ?", (conversation,))
        if not found:
            raise LocalspecError(f"Conversation {conversation} is empty.")
        return listed(found[0])

    def conversations(self, limit: int = -1) -> list[Conversation]:
        """The newest first; a negative limit is none."""
        sql = f"{LISTED} ORDER BY updated_at DESC, id DESC LIMIT ?"
        return [listed(row) for row in self._database.rows(sql, (limit,))]

    def search(self, text: str) -> list[Conversation]:
        """Those with all the words in one message, or in their title; the newest first."""
        if not text.split():
            return self.conversations()
        found = self._search.find(rows.storable(text))
        return [
            listed(row, found[row[0]])
            for row in self._database.rows(f"{LISTED} ORDER BY updated_at DESC, id DESC")
            if row[0] in found
        ]

    def rename(self, conversation: int, title: str) -> None:
        """An empty title is the first question's again."""
        with self._changes() as connection:
            sql = "UPDATE conversation SET title = ? WHERE id = ?"
            connection.execute(sql, (" ".join(rows.storable(title).split()), conversation))

    def delete(self, conversation: int) -> None:
        """It can be restored until this history is closed."""
        with self._changes() as connection:
            sql = "UPDATE conversation SET deleted_at = ? WHERE id = ?"
            connection.execute(sql, (time.time(), conversation))
        self._deleted.add(conversation)

    def restore(self, conversation: int) -> None:
        """Undo `delete`. Raises ConversationGone."""
        with self._changes() as connection:
            sql = "UPDATE conversation SET deleted_at = NULL WHERE id = ? RETURNING id"
            if connection.execute(sql, (conversation,)).fetchone() is None:
                raise ConversationGone("The conversation is gone.")
        self._deleted.discard(conversation)

    def close(self) -> None:
        """What was deleted is gone now, and so is what a killed process deleted long ago."""
        try:
            self._purge()
        except LocalspecError:
            # It stays deleted, and the next one to close can do it.
            pass
        self._database.close()

    def _purge(self) -> None:
        ids = ", ".join(map(str, self._deleted)) or "NULL"
        old = f"deleted_at < {time.time() - _KEEP_DELETED_S}"
        where = f"deleted_at IS NOT NULL AND (id IN ({ids}) OR {old})"
        if not self._database.rows(f"SELECT 1 FROM conversation WHERE {where} LIMIT 1"):
            return
        gone = f"(SELECT id FROM conversation WHERE {where})"
        with self._database.transaction() as connection:
            connection.execute(f"DELETE FROM message WHERE conversation_id IN {gone}")
            connection.execute(f"DELETE FROM conversation WHERE {where}")
        self._search.catch_up()

    @contextmanager
    def _changes(self) -> Iterator[Connection]:
        try:
            with self._database.transaction() as connection:
                yield connection
        except LocalspecError as error:
            if isinstance(error.__cause__, sqlite3.IntegrityError):
                raise ConversationGone("The conversation has been deleted.") from error
            raise
