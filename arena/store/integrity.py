"""Integrity: whether a run's file holds together, before anybody looks at the games in it."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

from arena.store.schema import MIGRATIONS, statements

WORST: Final = 10
"""Lines of SQLite's own findings that are passed on."""

QUESTIONS: Final = {
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
"""What is to be nought, and what is wrong if it is not."""


def findings(connection: sqlite3.Connection, more: Sequence[str] = ()) -> Iterator[str]:
    """What is wrong with the file, each in words; `more` are scripts that made other tables."""
    try:
        yield from strange(connection, (*MIGRATIONS, *more))
        for (line,) in connection.execute(f"PRAGMA integrity_check({WORST})"):
            if line != "ok":
                yield f"the file is damaged: {line}"
        for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
            yield f"row {row} of {table} belongs to no {parent}"
        for question, wrong in QUESTIONS.items():
            (count,) = connection.execute(question).fetchone()
            if count:
                yield wrong.format(count=count)
    except sqlite3.DatabaseError as error:
        yield f"the file is damaged: {error}"


def strange(connection: sqlite3.Connection, scripts: Sequence[str]) -> Iterator[str]:
    """Tables, views, indices and triggers that are not what these scripts make."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        for script in scripts:
            for statement in statements(script):
                fresh.execute(statement)
        wanted, found = layout(fresh), layout(connection)
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            kind, _ = wanted.get(name) or found[name]
            what = "missing" if name not in found else "not as arena makes it"
            yield f"the {kind} {name!r} is {what}"


def layout(connection: sqlite3.Connection) -> dict[str, tuple[str, str | None]]:
    """What there is in a file by its name: its kind, and the statement that made it."""
    rows = connection.execute(
        "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    return {name: (kind, sql) for name, kind, sql in rows}
