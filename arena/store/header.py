"""Header of a run (tournament, seed, bots), and the files created with a new run."""

import os
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from arena.bots.digest import SHORT_DIGITS, is_same_version
from arena.store import database, schema
from arena.store.database import BadRun, explain_errors, transaction

TOURNAMENT_FILE: Final = "tournament.yaml"
TEMPORARY_SUFFIX: Final = ".new"
"""Ends the name of a file that is still being written."""


class Entrant(Struct, frozen=True):
    """A bot of a run."""

    name: str
    version: str
    """The digest of the bot; runs of earlier releases have only its first 12 digits."""
    path: str
    """An absolute path, or the name of a reference bot."""

    @property
    def short_version(self) -> str:
        """The version as it is printed and stored in records."""
        return self.version[:SHORT_DIGITS]


class RunHeader(Struct, frozen=True):
    """All that is fixed before the first game."""

    name: str
    text: str
    """The content of the tournament's file."""
    settings: dict[str, Any]
    """Everything that decides what is played and how, as JSON."""
    seed: str
    commitment: str
    """A hash that commits to the seed and can be published before the first game."""
    bots: tuple[Entrant, ...]
    rating: dict[str, Any]
    created: str
    """The time in UTC, in ISO 8601 format."""

    def __post_init__(self) -> None:
        for name, times in Counter(bot.name for bot in self.bots).most_common(1):
            if times > 1:
                raise BadRun(f"two bots are called {name!r}; give one of them another name")


def canonical_json(value: object) -> str:
    """Encode a value as JSON that is the same for equal values."""
    return msgspec.json.encode(value, order="sorted").decode()


def utc_now(days_ago: int = 0) -> str:
    """The time in UTC now or some days ago, to the second; such texts compare like the times."""
    return (datetime.now(UTC) - timedelta(days=days_ago)).isoformat(timespec="seconds")


def find_run_file(folder: Path) -> Path:
    """Return the database of an existing run."""
    file = folder / database.RUN_FILE
    try:
        found = file.is_file()
    except OSError as error:
        raise BadRun(f"{folder}: {error.strerror}") from error
    if not found:
        why = f"it has no {database.RUN_FILE}" if folder.is_dir() else "there is no such folder"
        raise BadRun(f"{folder} is no run: {why}; name a folder that arena run has made")
    return file


def create_database(folder: Path, header: RunHeader) -> None:
    """Create the database of a run in an existing folder; it has its name only once it is whole."""
    file = folder / database.RUN_FILE
    if file.exists():
        raise BadRun(f"{folder} holds a run already; name another folder")
    begun = file.with_name(file.name + TEMPORARY_SUFFIX)
    try:
        for old in folder.glob(f"{begun.name}*"):
            old.unlink()
        begun.touch()
        with explain_errors(begun), closing(database.connect(begun, "rw")) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            schema.migrate(connection, begun)
            with transaction(connection):
                write_header(connection, folder, header)
        begun.rename(file)
        sync_folder(folder)
    except OSError as error:
        raise BadRun(f"{folder} cannot be written: {error.strerror}") from error


def write_tournament_file(folder: Path, text: str) -> None:
    """Write the tournament's file into the folder, completely or not at all."""
    file = folder / TOURNAMENT_FILE
    begun = file.with_name(file.name + TEMPORARY_SUFFIX)
    try:
        with begun.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        begun.rename(file)
    except OSError as error:
        raise BadRun(f"{file} cannot be written: {error.strerror}") from error


def sync_folder(folder: Path) -> None:
    """Make sure that the file names of a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_header(connection: sqlite3.Connection, folder: Path, header: RunHeader) -> None:
    """Write a header, within a transaction of the caller."""
    connection.execute(
        "INSERT OR REPLACE INTO header VALUES (1, ?, ?, ?, ?, ?, ?, ?)",
        (
            header.name,
            header.text,
            canonical_json(header.settings),
            header.seed,
            header.commitment,
            canonical_json(header.rating),
            header.created,
        ),
    )
    wanted = {bot.name: bot for bot in header.bots}
    rows = connection.execute(
        "SELECT name, version, EXISTS (SELECT 1 FROM entry WHERE bot = bot.id) FROM bot"
    ).fetchall()
    for name, version, played in rows:
        bot = wanted.get(name)
        if not played:
            # A run that is open beside this one refers to the other bots by their ids.
            if bot is None or not is_same_version(bot.version, version):
                connection.execute("DELETE FROM bot WHERE name = ?", (name,))
        elif bot is None:
            raise BadRun(
                f"{folder}: the bot {name!r} has played and cannot leave; name another folder"
            )
        elif not is_same_version(bot.version, version):
            raise BadRun(
                f"{folder}: the bot {name!r} has played as version {version[:SHORT_DIGITS]} and is "
                f"now {bot.short_version}; give it another name, or name another folder"
            )
    connection.executemany(
        "INSERT INTO bot (name, version, path, number) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET"
        " version = excluded.version, path = excluded.path, number = excluded.number",
        [(bot.name, bot.version, bot.path, number) for number, bot in enumerate(header.bots)],
    )


def read_header(connection: sqlite3.Connection, file: Path) -> RunHeader:
    """Read the header as it was written last."""
    row = connection.execute(
        "SELECT name, text, settings, seed, commitment, rating, created FROM header"
    ).fetchone()
    if row is None:
        raise BadRun(f"{file} does not say what it is about; restore it from a copy")
    name, text, settings, seed, commitment, rating, created = row
    bots = connection.execute("SELECT name, version, path FROM bot ORDER BY number")
    return RunHeader(
        name=name,
        text=text,
        settings=msgspec.json.decode(settings, type=dict[str, Any]),
        seed=seed,
        commitment=commitment,
        bots=tuple(Entrant(*bot) for bot in bots),
        rating=msgspec.json.decode(rating, type=dict[str, Any]),
        created=created,
    )
