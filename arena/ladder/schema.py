"""The ladder's own tables, beside those of the store in the same file."""

import sqlite3
from pathlib import Path
from typing import Final

from arena.store.database import BadRun, transaction
from arena.store.schema import statements

BEGINNING: Final = """
CREATE TABLE owner (
    name TEXT PRIMARY KEY,
    token BLOB UNIQUE,
    since TEXT NOT NULL
) STRICT;

CREATE TABLE version (
    bot TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    number INTEGER NOT NULL,
    owner TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    message TEXT NOT NULL,
    submitted TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'superseded', 'retired')),
    why TEXT NOT NULL DEFAULT '',
    until TEXT,
    author TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    UNIQUE (name, number)
) STRICT;

CREATE TABLE submission (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    file TEXT NOT NULL,
    name TEXT NOT NULL,
    message TEXT NOT NULL,
    size INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'accepted', 'refused', 'broken')),
    sent TEXT NOT NULL,
    begun TEXT,
    ended TEXT,
    bot TEXT
) STRICT;

CREATE INDEX submitted ON submission (owner, sent);
CREATE INDEX waiting ON submission (state, sent);

CREATE TABLE step (
    submission TEXT NOT NULL REFERENCES submission ON DELETE CASCADE,
    number INTEGER NOT NULL,
    said TEXT NOT NULL,
    PRIMARY KEY (submission, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE night (
    number INTEGER PRIMARY KEY,
    began TEXT NOT NULL,
    ended TEXT,
    aim TEXT NOT NULL,
    bots TEXT NOT NULL,
    last INTEGER NOT NULL,
    summary TEXT
) STRICT;

CREATE TABLE ladder (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
"""

TRIES: Final = "ALTER TABLE submission ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;"

MIGRATIONS: Final = (BEGINNING, TRIES)
"""Each leads from one version to the next; one that was released is never changed."""


def version(connection: sqlite3.Connection) -> int:
    """How many of the migrations a file has behind it."""
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'ladder'").fetchone()
    if not found:
        return 0
    (number,) = connection.execute("SELECT version FROM ladder").fetchone()
    return int(number)


def migrate(connection: sqlite3.Connection, file: Path) -> None:
    """Bring the tables up to date, each step in a transaction of its own."""
    if version(connection) > len(MIGRATIONS):
        raise BadRun(f"{file} was made by a newer version of arena; update arena")
    while version(connection) < len(MIGRATIONS):
        with transaction(connection):
            number = version(connection)  # another process may have made this step by now
            if number >= len(MIGRATIONS):
                return
            for statement in statements(MIGRATIONS[number]):
                connection.execute(statement)
            connection.execute("INSERT OR REPLACE INTO ladder VALUES (1, ?)", (number + 1,))
