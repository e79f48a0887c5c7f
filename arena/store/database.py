"""The SQLite file of a run: opened to be written or read, and what its errors mean."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from arena.errors import ArenaError

FILE: Final = "run.db"

PATIENCE: Final = 30.0
"""Seconds to wait for another program that has the file locked."""

LOG_LEFT: Final = 16 << 20
"""Bytes of the log that stay on the disk once all of it is in the file."""


class BadRun(ArenaError):
    """A folder that is no run, or a run that cannot be read or written now."""


SENTENCES: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; make room and go on, nothing that was stored is lost",
    sqlite3.SQLITE_IOERR: "it cannot be written or read: {error}; nothing that was stored is lost",
    sqlite3.SQLITE_READONLY: "it cannot be written: it is read-only; allow it or copy the folder",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; look at who may read and write its folder",
    sqlite3.SQLITE_BUSY: "another program holds it locked; end that program and try again",
    sqlite3.SQLITE_LOCKED: "another program holds it locked; end that program and try again",
    sqlite3.SQLITE_NOTADB: "it is no run's file; name another folder, or restore it from a copy",
    sqlite3.SQLITE_CORRUPT: "it is damaged ({error}); restore it from a copy or try "
    "sqlite3's .recover",
    sqlite3.SQLITE_CONSTRAINT: "something in it contradicts the rest: {error}; see arena verify",
}
"""What a person is told, by SQLite's primary result code."""

PRIMARY: Final = 0xFF
"""The bits of a result code that tell the kind of error."""


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Turn errors of SQLite into sentences about this file."""
    try:
        yield
    except sqlite3.Error as error:
        raise BadRun(f"{file}: {sentence(error)}") from error
    except msgspec.DecodeError as error:
        raise BadRun(f"{file}: something in it is garbled ({error}); see arena verify") from error


def sentence(error: sqlite3.Error) -> str:
    """What an error of SQLite means."""
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY
    return SENTENCES.get(code, "SQLite says: {error}").format(error=error)


def for_writing(file: Path) -> sqlite3.Connection:
    """Open a file that is there; what is committed survives even a power cut."""
    with kept_open(connect(file, "rw")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA journal_size_limit = {LOG_LEFT}")
        return connection


def for_reading(file: Path) -> sqlite3.Connection:
    """Open a file that somebody may be writing, or that nobody can write, as it stands now."""
    try:
        return snapshot(connect(file, "ro"))
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & PRIMARY not in {
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
        }:
            raise
    if left_behind(file):
        raise BadRun(
            f"{file}: its writer was killed, and the folder is read-only; "
            "copy the folder to where you can write and read the copy"
        )
    return snapshot(connect(file, "ro", immutable=1))


def left_behind(file: Path) -> bool:
    """Whether a part of what was committed still stands in the log beside the file."""
    log = file.with_name(f"{file.name}-wal")
    return log.exists() and log.stat().st_size > 0


def snapshot(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The same, but nothing that is written from now on will show."""
    with kept_open(connection):
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return connection


def connect(file: Path, mode: str, *, immutable: int = 0) -> sqlite3.Connection:
    """Open a file that is there."""
    uri = f"file:{quote(str(file.absolute()))}?mode={mode}&immutable={immutable}"
    return sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)


@contextmanager
def kept_open(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A connection that stays open, unless something goes wrong before it is handed on."""
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; committed when this ends."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some errors have ended it already
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def close(connection: sqlite3.Connection) -> None:
    """Put all into the one file, unless somebody is reading it, and close."""
    with suppress(sqlite3.Error):  # what is committed is safe in the log as well
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.close()
