"""Write a ladder into one archive, even while a night is played."""

import fcntl
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal

from arena.errors import ArenaError
from arena.ladder.folder import BOTS, INCOMING, LOGS
from arena.ladder.settings import FILE
from arena.store import database
from arena.store.database import BadRun, explain_errors
from arena.store.header import TEMPORARY_SUFFIX, find_run_file, sync_folder

TarMode = Literal["w|", "w|gz"]

SPARE_BYTES: Final = 64 << 20
"""Bytes that have to stay free beside the backup."""


@dataclass(frozen=True)
class BackupResult:
    """A backup that was written."""

    size: int
    """Bytes of the archive."""
    missing: Sequence[str]
    """Versions whose files are gone from the ladder."""


def back_up(folder: Path, file: Path) -> BackupResult:
    """Write a ladder into an archive, which is compressed if its name ends in .gz or .tgz.

    The database is copied first, as it stands at one moment; all versions that it knows have their
    files by then, which never change. Until the archive is whole it has another name. It may be
    read by its owner only, for it holds the secret of all deals.
    """
    begun, copy = (file.with_name(f"{file.name}{end}{TEMPORARY_SUFFIX}") for end in ("", ".db"))
    try:
        descriptor = os.open(begun, os.O_RDWR | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            lock_backup(stream, file)
            try:
                stream.truncate()
                check_free_space(folder, file.parent)
                versions = copy_database(folder, copy)
                gone = {one for one in versions if not (folder / BOTS / one[1]).is_dir()}
                kept = sorted(digest for _, digest in {*versions} - gone)
                mode: TarMode = "w|gz" if file.suffix in {".gz", ".tgz"} else "w|"
                with tarfile.open(fileobj=stream, mode=mode) as archive:
                    add_files(folder, copy, kept, archive)
                stream.flush()
                os.fsync(descriptor)
                begun.rename(file)
            except BaseException:
                begun.unlink(missing_ok=True)
                raise
            finally:
                copy.unlink(missing_ok=True)
        sync_folder(file.parent)
        return BackupResult(file.stat().st_size, sorted(bot for bot, _ in gone))
    except OSError as error:
        place = str(error.filename or file)
        raise ArenaError(f"{folder} cannot be backed up: {place}: {error.strerror}") from error


def add_files(folder: Path, copy: Path, digests: Sequence[str], archive: tarfile.TarFile) -> None:
    """Put into an archive the settings, a copy of the database, and the files of versions."""
    archive.add(folder / FILE, FILE)
    archive.add(copy, database.RUN_FILE)
    for name in (BOTS, INCOMING, LOGS):
        if (folder / name).is_dir():
            archive.add(folder / name, name, recursive=False)
    for digest in digests:
        archive.add(folder / BOTS / digest, f"{BOTS}/{digest}")


def lock_backup(stream: BinaryIO, file: Path) -> None:
    """See that nobody else writes the same backup until this stream is closed."""
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ArenaError(f"{file} is being written by another process; wait for it") from None


def check_free_space(folder: Path, target: Path) -> None:
    """Refuse to begin where there is no room for a copy of the database and the archive."""
    bots = sum(path.stat().st_size for path in (folder / BOTS).rglob("*") if path.is_file())
    stored = sum(path.stat().st_size for path in folder.glob(f"{database.RUN_FILE}*"))
    needed = 2 * stored + bots + SPARE_BYTES
    free = shutil.disk_usage(target).free
    if free < needed:
        raise ArenaError(
            f"{target}: only {free >> 20} MiB are free on its disk; make room for {needed >> 20}"
        )


def copy_database(folder: Path, copy: Path) -> list[tuple[str, str]]:
    """Copy the database as it stands; the versions in it, each with its digest."""
    file = find_run_file(folder)
    copy.unlink(missing_ok=True)
    copy.touch(mode=0o600)
    with (
        explain_errors(file),
        closing(database.connect(file, "ro")) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")  # so that there is no second file
        (found,) = target.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise BadRun(f"{file}: it is damaged ({found}); restore it from an earlier backup")
        return target.execute("SELECT bot, digest FROM version").fetchall()
