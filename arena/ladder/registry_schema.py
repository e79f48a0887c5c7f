"""The ladder's tables in `run.db`: their schema, and the migrations to the newest version."""

import sqlite3
from pathlib import Path
from typing import Final

from arena.store.database import BadRun, transaction
from arena.store.schema import split_statements

FIRST_SCHEMA: Final = """
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

ADD_TRIES: Final = "ALTER TABLE submission ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;"

MIGRATIONS: Final = (FIRST_SCHEMA, ADD_TRIES)
"""Each leads from one version to the next; a released one is never changed."""


def has_ladder_tables(connection: sqlite3.Connection) -> bool:
    """Whether the run in a file is that of a ladder."""
    query = "SELECT 1 FROM sqlite_schema WHERE name = 'ladder'"
    return connection.execute(query).fetchone() is not None


def schema_version(connection: sqlite3.Connection, file: Path) -> int:
    """The number of migrations that a file has behind it; rejects a file of a newer program."""
    if not has_ladder_tables(connection):
        return 0
    row = connection.execute("SELECT version FROM ladder").fetchone()
    if row is None:
        raise BadRun(f"{file} does not say how its ladder was made; restore it from a copy")
    if row[0] > len(MIGRATIONS):
        raise BadRun(f"{file} was made by a newer version of arena; update arena")
    return int(row[0])


def is_outdated(connection: sqlite3.Connection, file: Path) -> bool:
    """Whether migrations are left to be made."""
    return schema_version(connection, file) < len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, file: Path) -> None:
    """Bring the tables up to date, each migration in its own transaction."""
    while is_outdated(connection, file):
        with transaction(connection):
            if not is_outdated(connection, file):  # another process has made this migration
                return
            number = schema_version(connection, file)
            for statement in split_statements(MIGRATIONS[number]):
                connection.execute(statement)
            connection.execute("INSERT OR REPLACE INTO ladder VALUES (1, ?)", (number + 1,))
