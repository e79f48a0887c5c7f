"""How a run is made and what it is about is written down: its folder, its file, its header."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.bots.contents import SHOWN, is_same
from arena.store import database, schema
from arena.store.database import BadRun, explained, transaction
from arena.store.header import Entrant, Header, canonical

TEXT: Final = "tournament.yaml"
NEW: Final = ".new"
"""Ends the name of a file that is not whole yet."""


def existing(folder: Path) -> Path:
    """The file of a run that is there."""
    file = folder / database.FILE
    try:
        found = file.is_file()
    except OSError as error:
        raise BadRun(f"{folder}: {error.strerror}") from error
    if not found:
        why = f"it has no {database.FILE}" if folder.is_dir() else "there is no such folder"
        raise BadRun(f"{folder} is no run: {why}; name a folder that arena run has made")
    return file


def make(folder: Path, header: Header) -> None:
    """Make a run in a folder that is there: the last step makes it one, and all before do not."""
    file = folder / database.FILE
    if file.exists():
        raise BadRun(f"{folder} holds a run already; name another folder")
    begun = file.with_name(file.name + NEW)
    try:
        for old in folder.glob(f"{begun.name}*"):
            old.unlink()
        begun.touch()
        with explained(begun), closing(database.connect(begun, "rw")) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            schema.migrate(connection, begun)
            with transaction(connection):
                write_header(connection, folder, header)
        begun.rename(file)
        sync(folder)
    except OSError as error:
        raise BadRun(f"{folder} cannot be written: {error.strerror}") from error


def write_text(folder: Path, text: str) -> None:
    """Put the tournament's file into the folder, whole or not at all."""
    file = folder / TEXT
    begun = file.with_name(file.name + NEW)
    try:
        with begun.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        begun.rename(file)
    except OSError as error:
        raise BadRun(f"{file} cannot be written: {error.strerror}") from error


def sync(folder: Path) -> None:
    """See to it that the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_header(connection: sqlite3.Connection, folder: Path, header: Header) -> None:
    """Write a header into the file, within a transaction of somebody else's."""
    connection.execute(
        "INSERT OR REPLACE INTO header VALUES (1, ?, ?, ?, ?, ?, ?, ?)",
        (
            header.name,
            header.text,
            canonical(header.settings),
            header.seed,
            header.commitment,
            canonical(header.rating),
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
            if bot is None or not is_same(
                bot.version, version
            ):  # who plays beside us knows the rest by id
                connection.execute("DELETE FROM bot WHERE name = ?", (name,))
        elif bot is None:
            raise BadRun(
                f"{folder}: the bot {name!r} has played and cannot leave; name another folder"
            )
        elif not is_same(bot.version, version):
            raise BadRun(
                f"{folder}: the bot {name!r} has played as version {version[:SHOWN]} and is now "
                f"{bot.shown}; give it another name, or name another folder"
            )
    connection.executemany(
        "INSERT INTO bot (name, version, path, number) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET"
        " version = excluded.version, path = excluded.path, number = excluded.number",
        [(bot.name, bot.version, bot.path, number) for number, bot in enumerate(header.bots)],
    )


def read_header(connection: sqlite3.Connection, file: Path) -> Header:
    """The header as it was written last."""
    row = connection.execute(
        "SELECT name, text, settings, seed, commitment, rating, created FROM header"
    ).fetchone()
    if row is None:
        raise BadRun(f"{file} does not say what it is about; restore it from a copy")
    name, text, settings, seed, commitment, rating, created = row
    bots = connection.execute("SELECT name, version, path FROM bot ORDER BY number")
    return Header(
        name=name,
        text=text,
        settings=msgspec.json.decode(settings, type=dict[str, Any]),
        seed=seed,
        commitment=commitment,
        bots=tuple(Entrant(*bot) for bot in bots),
        rating=msgspec.json.decode(rating, type=dict[str, Any]),
        created=created,
    )
