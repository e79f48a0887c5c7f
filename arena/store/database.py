"""SQLite connections, transactions and error texts of a run, and the lock for its writer."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from arena.errors import ArenaError

RUN_FILE: Final = "run.db"

LOCK_TIMEOUT: Final = 30.0
"""Seconds to wait for another program that has the file locked."""

WAL_SIZE_LIMIT: Final = 16 << 20
"""Bytes of the log that stay on the disk once all of it is in the file."""


class BadRun(ArenaError):
    """A folder that is no run, or a run that cannot be read or written now."""


ERROR_TEXTS: Final = {
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

PRIMARY_CODE_MASK: Final = 0xFF
"""The bits of a result code that tell the kind of error."""


@contextmanager
def explain_errors(file: Path) -> Iterator[None]:
    """Turn errors of SQLite into sentences about this file."""
    try:
        yield
    except sqlite3.Error as error:
        raise BadRun(f"{file}: {error_text(error)}") from error
    except msgspec.DecodeError as error:
        raise BadRun(f"{file}: something in it is garbled ({error}); see arena verify") from error


def error_text(error: sqlite3.Error) -> str:
    """What an error of SQLite means."""
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE_MASK
    return ERROR_TEXTS.get(code, "SQLite says: {error}").format(error=error)


def open_for_writing(file: Path) -> sqlite3.Connection:
    """Open a file that is there; what is committed survives even a power cut."""
    with close_on_error(connect(file, "rw")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_SIZE_LIMIT}")
        return connection


def open_for_reading(file: Path) -> sqlite3.Connection:
    """Open a file that somebody may be writing, or that nobody can write, as it stands now."""
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
    """Whether a part of what was committed still stands in the log beside the file."""
    log = file.with_name(f"{file.name}-wal")
    return log.exists() and log.stat().st_size > 0


def begin_snapshot(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The same, but nothing that is written from now on will show."""
    with close_on_error(connection):
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return connection


def connect(file: Path, mode: str, *, immutable: int = 0) -> sqlite3.Connection:
    """Open a file that is there."""
    uri = f"file:{quote(str(file.absolute()))}?mode={mode}&immutable={immutable}"
    return sqlite3.connect(uri, uri=True, timeout=LOCK_TIMEOUT, isolation_level=None)


@contextmanager
def close_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
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


LOCK_FILE: Final = "run.lock"


class Locked(BadRun):
    """A run that another process writes."""


class RunLock:
    """Held from its making until it is closed, or its process ends in whatever way."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / LOCK_FILE
        try:
            self.descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise BadRun(f"{self.file} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self.descriptor, 0)
            with suppress(OSError):  # on a full disk it is held, but does not say by whom
                os.pwrite(self.descriptor, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            holder = os.pread(self.descriptor, 20, 0).decode(errors="replace").strip()
            self.close()
            raise Locked(
                f"{folder}: this run is being played by process {holder or 'unknown'}; "
                "wait or stop it"
            ) from None
        except OSError as error:
            self.close()
            raise BadRun(f"{self.file} cannot be locked: {error.strerror}") from error
        os.register_at_fork(after_in_child=self.close)  # else a child would hold it as well

    def close(self) -> None:
        """Let another process write."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
