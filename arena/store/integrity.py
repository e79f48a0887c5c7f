"""Integrity: whether a run's file holds together, before anybody looks at the games in it."""

import sqlite3
from collections.abc import Iterator
from typing import Final

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
}
"""What is to be nought, and what is wrong if it is not."""


def findings(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with the file, each in words."""
    try:
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
