"""The SQLite file behind the history: opened safely, never overwritten, one sentence on a fault."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import RLock
from time import monotonic, sleep
from typing import Any

from localspec.errors import LocalspecError

_NOT_A_DATABASE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_BUSY_TIMEOUT_S = 5.0

Migrations = Sequence[Sequence[str]]
"""Statements that bring a file from each version to the next; version 0 is an empty file."""


class Database:
    """One connection, shared by threads behind a lock. Every failure is a LocalspecError."""

    def __init__(
        self, path: Path | None, migrations: Migrations, patience_s: float = _BUSY_TIMEOUT_S
    ) -> None:
        """Without a path it is in memory, and gone with the program. A change that another
        process holds up for `patience_s` seconds fails."""
        self.path = path
        self.moved_to: Path | None = None
        """Where a file went that SQLite could not read."""
        self._lock = RLock()
        with self._failures("opened"):
            try:
                self._connection = _open(path, migrations)
            except sqlite3.DatabaseError as error:
                if path is None or _code(error) not in _NOT_A_DATABASE:
                    raise
                self.moved_to = _move_aside(path)
                self._connection = _open(path, migrations)
            self._connection.execute(f"PRAGMA busy_timeout = {round(patience_s * 1000)}")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing, also when the process is killed."""
        with self._lock, self._failures("written"), _transaction(self._connection):
            yield self._connection

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, self._failures("read"):
            return self._connection.execute(query, values).fetchall()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def _failures(self, what: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            message = f"The history {self.path} can't be {what}: {error}."
            raise LocalspecError(message, "The chat itself goes on without it.") from error


def _open(path: Path | None, migrations: Migrations) -> sqlite3.Connection:
    if path is not None:
        _create(path)
    connection = sqlite3.connect(
        path or ":memory:", timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    try:
        _prepare(connection, path, migrations)
    except BaseException:
        connection.close()
        raise
    return connection


def _create(path: Path) -> None:
    """Before SQLite does, so that no moment leaves it open to others; its side files inherit it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    # What a link leads to, or a device, is not ours to close to others.
    if stat.S_ISREG(path.lstat().st_mode):
        path.chmod(0o600)


def _prepare(connection: sqlite3.Connection, path: Path | None, migrations: Migrations) -> None:
    if _version(connection) > len(migrations):
        raise LocalspecError(
            f"The history {path} was written by a newer localspec.",
            "Update localspec, or move the file away.",
        )
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    # What is deleted is gone from the file, too.
    connection.execute("PRAGMA secure_delete = ON")
    if _version(connection) == len(migrations):
        # A file that may only be read is read.
        return
    with _transaction(connection):
        # Asked again under the write lock: another process may have been first.
        for statements in migrations[_version(connection) :]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """The first change to this mode needs the file alone, and SQLite doesn't wait for that."""
    deadline = monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if _code(error) not in _BUSY or monotonic() > deadline:
                raise
            sleep(0.01)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _move_aside(path: Path) -> Path:
    """Nothing is lost: the log of changes goes with its file."""
    aside = path.with_name(f"{path.name}.unreadable-{datetime.now():%Y%m%d-%H%M%S-%f}")
    for suffix in ("", "-wal", "-shm"):
        source = path.with_name(path.name + suffix)
        if source.exists():
            source.rename(aside.with_name(aside.name + suffix))
    return aside
