"""SQLite connections, transactions and error texts of a run, and the lock of its writer."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from arena.errors import ArenaError
from arena.file_lock import FileLock, LockHeld

RUN_FILE: Final = "run.db"
LOCK_FILE: Final = "run.lock"

LOCK_TIMEOUT: Final = 30.0
"""Seconds to wait for another program that has the file locked."""

WAL_SIZE_LIMIT: Final = 16 << 20
"""Bytes of the write-ahead log that stay on disk once all of it is in the database."""


class BadRun(ArenaError):
    """A folder that is not a run, or a run that cannot be read or written now."""


class RunLocked(BadRun):
    """A run that another process writes."""


ERROR_TEXTS: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space and go on, "
    "nothing that was stored is lost",
    sqlite3.SQLITE_IOERR: "it cannot be written or read: {error}; nothing that was stored is lost",
    sqlite3.SQLITE_READONLY: "it cannot be written: it is read-only; allow it or copy the folder",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; look at who may read and write its folder",
    sqlite3.SQLITE_BUSY: "another program holds it locked; end that program and try again",
    sqlite3.SQLITE_LOCKED: "another program holds it locked; end that program and try again",
    sqlite3.SQLITE_NOTADB: "it is not the file of a run; name another folder, or restore a copy",
    sqlite3.SQLITE_CORRUPT: "it is damaged ({error}); restore it from a copy or try "
    "sqlite3's .recover",
    sqlite3.SQLITE_CONSTRAINT: "something in it contradicts the rest: {error}; see arena verify",
}
"""Error texts by SQLite's primary result code."""

PRIMARY_CODE_MASK: Final = 0xFF
"""The bits of a result code that hold the kind of error."""


@contextmanager
def explain_errors(file: Path) -> Iterator[None]:
    """Turn errors of SQLite and of stored JSON into sentences about this file."""
    try:
        yield
    except sqlite3.Error as error:
        raise BadRun(f"{file}: {error_text(error)}") from error
    except msgspec.DecodeError as error:
        raise BadRun(f"{file}: something in it is garbled ({error}); see arena verify") from error


def error_text(error: sqlite3.Error) -> str:
    """Describe an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE_MASK
    return ERROR_TEXTS.get(code, "SQLite says: {error}").format(error=error)


def open_for_writing(file: Path) -> sqlite3.Connection:
    """Open an existing database; what is committed survives even a power cut."""
    with close_on_error(connect(file, "rw")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_SIZE_LIMIT}")
        return connection


def open_for_reading(file: Path) -> sqlite3.Connection:
    """Open a snapshot of a database that may be in use by a writer, or be read-only."""
    try:
        return begin_snapshot(connect(file, "ro"))
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & PRIMARY_CODE_MASK not in {
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
        }:
            raise
    if has_wal(file):
        raise BadRun(
            f"{file}: its writer was killed, and the folder is read-only; "
            "copy the folder to where you can write and read the copy"
        )
    return begin_snapshot(connect(file, "ro", immutable=1))


def has_wal(file: Path) -> bool:
    """Whether a part of what was committed is still in the write-ahead log only."""
    wal = file.with_name(f"{file.name}-wal")
    return wal.exists() and wal.stat().st_size > 0


def begin_snapshot(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Begin a read transaction, which does not see what is written from now on."""
    with close_on_error(connection):
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return connection


def connect(file: Path, mode: str, *, immutable: int = 0) -> sqlite3.Connection:
    """Open an existing database."""
    uri = f"file:{quote(str(file.absolute()))}?mode={mode}&immutable={immutable}"
    return sqlite3.connect(uri, uri=True, timeout=LOCK_TIMEOUT, isolation_level=None)


@contextmanager
def close_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Close a connection if an error occurs before it is passed on."""
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A write transaction: committed at the end, rolled back on any error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some errors have ended it already
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def close_database(connection: sqlite3.Connection) -> None:
    """Close a database; without readers its log is first merged into the file."""
    with suppress(sqlite3.Error):  # what is committed is safe in the log as well
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.close()


def lock_run(folder: Path) -> FileLock:
    """Lock a run, which one process at a time may write."""
    file = folder / LOCK_FILE
    try:
        return FileLock(file, create_mode=0o644)
    except LockHeld as held:
        raise RunLocked(
            f"{folder}: this run is being played by process {held.holder}; wait or stop it"
        ) from None
    except OSError as error:
        failed = "written" if error.filename else "locked"  # flock does not name the file
        raise BadRun(f"{file} cannot be {failed}: {error.strerror}") from error
