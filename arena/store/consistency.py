"""Check the database of a run: its schema, SQLite's own checks, and rows that belong together."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

from arena.store.schema import MIGRATIONS, split_statements

MAX_SQLITE_FINDINGS: Final = 10
"""Limit for the findings of SQLite's own integrity check."""

CONSISTENCY_QUERIES: Final = {
    "SELECT count(*) FROM bot AS one WHERE number <> (SELECT count(*) FROM bot WHERE number < "
    "one.number)": "{count} bots have numbers that do not count them",
    "SELECT max(id) - count(*) FROM block": "{count} blocks have been taken away",
    "SELECT count(*) FROM game WHERE block NOT IN (SELECT id FROM block)": (
        "{count} games belong to no block"
    ),
    "SELECT count(*) FROM entry WHERE block NOT IN (SELECT id FROM block)": (
        "{count} entries belong to no block"
    ),
    "SELECT count(*) FROM kept WHERE block NOT IN (SELECT id FROM block)": (
        "the records of {count} blocks belong to no block"
    ),
    "SELECT count(*) FROM dropped WHERE block NOT IN (SELECT id FROM block)": (
        "the hashes of {count} blocks belong to no block"
    ),
    "SELECT count(*) FROM conflict WHERE key NOT IN (SELECT key FROM block)": (
        "{count} results that were put aside belong to no block"
    ),
}
"""Queries whose result must be 0, and the problem if it is not."""


def find_problems(
    connection: sqlite3.Connection, extra_scripts: Sequence[str] = ()
) -> Iterator[str]:
    """Yield what is wrong with a database; `extra_scripts` have created further tables."""
    try:
        yield from find_schema_differences(connection, (*MIGRATIONS, *extra_scripts))
        for (line,) in connection.execute(f"PRAGMA integrity_check({MAX_SQLITE_FINDINGS})"):
            if line != "ok":
                yield f"the file is damaged: {line}"
        for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
            yield f"row {row} of {table} belongs to no {parent}"
        for query, problem in CONSISTENCY_QUERIES.items():
            (count,) = connection.execute(query).fetchone()
            if count:
                yield problem.format(count=count)
    except sqlite3.DatabaseError as error:
        yield f"the file is damaged: {error}"


def find_schema_differences(
    connection: sqlite3.Connection, scripts: Sequence[str]
) -> Iterator[str]:
    """Yield the tables, views, indices and triggers that differ from what these scripts create."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        for script in scripts:
            for statement in split_statements(script):
                fresh.execute(statement)
        expected, actual = schema_layout(fresh), schema_layout(connection)
    for name in sorted(expected.keys() | actual.keys()):
        if expected.get(name) != actual.get(name):
            kind, _ = expected.get(name) or actual[name]
            problem = "missing" if name not in actual else "not as arena makes it"
            yield f"the {kind} {name!r} is {problem}"


def schema_layout(connection: sqlite3.Connection) -> dict[str, tuple[str, str | None]]:
    """Return the kind of each table, view, index and trigger, and the SQL that created it."""
    rows = connection.execute(
        "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    return {name: (kind, sql) for name, kind, sql in rows}
