"""Tables of a run's database and the numbered migrations that create them."""

import shlex
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.store.database import BadRun, transaction

APPLICATION_ID: Final = 0x53746963
"""Marks an SQLite file as a run: the letters Stic."""

FIRST_TABLES: Final = """
CREATE TABLE header (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    settings TEXT NOT NULL,
    seed TEXT NOT NULL,
    commitment TEXT NOT NULL,
    rating TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    began TEXT NOT NULL,
    code TEXT NOT NULL,
    package TEXT NOT NULL,
    python TEXT NOT NULL,
    workers INTEGER NOT NULL
) STRICT;

CREATE TABLE bot (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    version TEXT NOT NULL,
    path TEXT NOT NULL,
    number INTEGER NOT NULL
) STRICT;

CREATE TABLE block (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE CHECK (length(key) = 16),
    variant TEXT NOT NULL,
    seats INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    games INTEGER NOT NULL,
    session INTEGER REFERENCES session
) STRICT;

CREATE INDEX cell ON block (variant, seats);

CREATE TABLE entry (
    block INTEGER NOT NULL REFERENCES block,
    place INTEGER NOT NULL,
    bot INTEGER NOT NULL REFERENCES bot,
    points INTEGER NOT NULL,
    placement REAL NOT NULL,
    wins REAL NOT NULL,
    faults INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    cpu INTEGER NOT NULL,
    PRIMARY KEY (block, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE game (
    block INTEGER NOT NULL REFERENCES block,
    turn INTEGER NOT NULL,
    seating TEXT NOT NULL,
    scores TEXT NOT NULL,
    ranks TEXT NOT NULL,
    points TEXT NOT NULL,
    faults TEXT NOT NULL,
    decisions TEXT NOT NULL,
    cpu TEXT NOT NULL,
    PRIMARY KEY (block, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE fault (
    block INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    bot INTEGER NOT NULL REFERENCES bot,
    fault TEXT NOT NULL,
    text TEXT NOT NULL,
    place INTEGER,
    PRIMARY KEY (block, turn, number),
    FOREIGN KEY (block, turn) REFERENCES game
) STRICT, WITHOUT ROWID;

CREATE TABLE kept (
    block INTEGER PRIMARY KEY REFERENCES block,
    games BLOB NOT NULL
) STRICT;

CREATE TABLE conflict (
    key BLOB NOT NULL,
    session INTEGER REFERENCES session,
    results TEXT NOT NULL,
    games BLOB NOT NULL,
    UNIQUE (key, results)
) STRICT;

CREATE VIEW games AS
SELECT lower(substr(hex(key), 1, 10)) || '-' || turn AS id, variant, seats, number, seed,
    (SELECT json_group_array((SELECT name FROM entry JOIN bot ON bot.id = bot
        WHERE entry.block = block.id AND place = seat.value))
        FROM json_each(seating) AS seat) AS bots,
    scores, ranks, points, faults, decisions, cpu
FROM block JOIN game ON game.block = block.id;
"""

SANDBOX_COLUMN: Final = "ALTER TABLE session ADD COLUMN sandbox TEXT;"

SALT_COLUMN: Final = "ALTER TABLE session ADD COLUMN salt TEXT NOT NULL DEFAULT '';"

EXCUSE_TABLE: Final = """
CREATE TABLE excuse (
    id INTEGER PRIMARY KEY,
    session INTEGER REFERENCES session,
    bot INTEGER NOT NULL REFERENCES bot,
    variant TEXT NOT NULL,
    seats INTEGER NOT NULL,
    chunk BLOB NOT NULL CHECK (length(chunk) = 16),
    text TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT;
"""

EVIDENCE_TABLES: Final = """
CREATE TABLE dropped (
    block INTEGER PRIMARY KEY REFERENCES block,
    digests BLOB NOT NULL
) STRICT;

CREATE TABLE ending (
    session INTEGER PRIMARY KEY REFERENCES session,
    how TEXT NOT NULL CHECK (how IN ('finished', 'settled', 'part', 'interrupted', 'failed')),
    planned INTEGER NOT NULL,
    blocks INTEGER NOT NULL,
    conflicts INTEGER NOT NULL
) STRICT;
"""
"""With these `arena verify` can tell missing results from results that never existed."""

MIGRATIONS: Final = (FIRST_TABLES, SANDBOX_COLUMN, SALT_COLUMN, EXCUSE_TABLE, EVIDENCE_TABLES)
"""Each leads from one version to the next; one that was released is never changed."""


def migrate(
    connection: sqlite3.Connection, file: Path, migrations: Sequence[str] = MIGRATIONS
) -> None:
    """Bring a database up to date, each migration in a transaction of its own."""
    check_version(connection, file, len(migrations), oldest=0)
    while schema_version(connection) < len(migrations):
        with transaction(connection):
            number = schema_version(connection)  # another process may have migrated it meanwhile
            if number >= len(migrations):
                return
            for statement in split_statements(migrations[number]):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number + 1}")


def check_version(
    connection: sqlite3.Connection,
    file: Path,
    newest: int = len(MIGRATIONS),
    oldest: int = len(MIGRATIONS),
) -> None:
    """Reject a file that is not a run, or that has a version outside of these bounds."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    found = schema_version(connection)
    if application != APPLICATION_ID and not (oldest == 0 and is_empty(connection)):
        raise BadRun(f"{file} is not the file of a run; a run is a folder that arena run has made")
    if found > newest:
        raise BadRun(
            f"{file} was made by a newer version of arena ({found}, this one knows {newest}); "
            "update arena"
        )
    if found < oldest:
        raise BadRun(
            f"{file} was made by an older version of arena ({found}, this one reads {oldest}); "
            f"'arena standings {shlex.quote(str(file.parent))}' brings it up to date"
        )


def is_outdated(connection: sqlite3.Connection) -> bool:
    """Whether this is a run written by an older version of the program."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return application == APPLICATION_ID and schema_version(connection) < len(MIGRATIONS)


def schema_version(connection: sqlite3.Connection) -> int:
    """Return how many migrations a database has had."""
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    return int(number)


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether a database has no tables yet."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return not tables


def split_statements(script: str) -> list[str]:
    """Split a script into statements, since `executescript` would end our transaction."""
    statements, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            statements.append(current.strip())
            current = ""
    return statements
