"""Write a ladder into one archive, even while a night is played."""

import os
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from arena.bots.sandbox.limits import SandboxLevel
from arena.errors import ArenaError
from arena.file_lock import FileLock, LockHeld
from arena.ladder.cleanup import check_free_space
from arena.ladder.folder import BOTS_FOLDER, LOGS_FOLDER, UPLOADS_FOLDER
from arena.ladder.registry import copy_database
from arena.ladder.settings import SETTINGS_FILE, load_settings
from arena.store import database
from arena.store.header import TEMPORARY_SUFFIX, sync_folder

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


def back_up(folder: Path, file: Path, *, replace: bool = False) -> BackupResult:
    """Write a ladder into an archive, which is compressed if its name ends in .gz or .tgz.

    The database is copied first, as it stands at one moment; all versions that it knows have their
    files by then, which never change. Until the archive is whole it has another name. It may be
    read by its owner only, for it holds the secret of all deals.
    """
    load_settings(folder, SandboxLevel.NONE)
    if file.exists() and not replace:
        raise ArenaError(f"{file} is there already; name another file, or say --replace")
    if not file.parent.is_dir():
        raise ArenaError(f"{file.parent} is not a folder; make it first")
    begun, copy = (file.with_name(f"{file.name}{end}{TEMPORARY_SUFFIX}") for end in ("", ".db"))
    try:
        with lock_backup(begun, file), begun.open("wb") as stream:
            try:
                check_free_space(file.parent, needed_bytes(folder))
                versions = copy_database(folder, copy)
                gone = {one for one in versions if not (folder / BOTS_FOLDER / one[1]).is_dir()}
                kept = sorted(digest for _, digest in {*versions} - gone)
                mode: TarMode = "w|gz" if file.suffix in {".gz", ".tgz"} else "w|"
                with tarfile.open(fileobj=stream, mode=mode) as archive:
                    add_files(folder, copy, kept, archive)
                stream.flush()
                os.fsync(stream.fileno())
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
    archive.add(folder / SETTINGS_FILE, SETTINGS_FILE)
    archive.add(copy, database.RUN_FILE)
    for name in (BOTS_FOLDER, UPLOADS_FOLDER, LOGS_FOLDER):
        if (folder / name).is_dir():
            archive.add(folder / name, name, recursive=False)
    for digest in digests:
        archive.add(folder / BOTS_FOLDER / digest, f"{BOTS_FOLDER}/{digest}")


def lock_backup(begun: Path, file: Path) -> FileLock:
    """Create and lock the unfinished archive, which one process at a time may write."""
    try:
        return FileLock(begun, create_mode=0o600)
    except LockHeld:
        raise ArenaError(f"{file} is being written by another process; wait for it") from None


def needed_bytes(folder: Path) -> int:
    """The bytes that a copy of the database and the archive may take."""
    bots = sum(path.stat().st_size for path in (folder / BOTS_FOLDER).rglob("*") if path.is_file())
    stored = sum(path.stat().st_size for path in folder.glob(f"{database.RUN_FILE}*"))
    return 2 * stored + bots + SPARE_BYTES
