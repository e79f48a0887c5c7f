"""The ladder's tables: owners, versions, submissions and nights, with their migrations."""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

import msgspec

from arena.errors import ArenaError
from arena.ladder.models import (
    Aim,
    Night,
    Submission,
    SubmissionMessage,
    SubmissionState,
    Summary,
    Version,
)
from arena.ratings.cell import Cell
from arena.store import database
from arena.store.database import BadRun, explain_errors, transaction
from arena.store.header import find_run_file
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
"""Each leads from one version to the next; one that was released is never changed."""


def schema_version(connection: sqlite3.Connection) -> int:
    """How many of the migrations a file has behind it."""
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'ladder'").fetchone()
    if not found:
        return 0
    (number,) = connection.execute("SELECT version FROM ladder").fetchone()
    return int(number)


def migrate(connection: sqlite3.Connection, file: Path) -> None:
    """Bring the tables up to date, each step in a transaction of its own."""
    if schema_version(connection) > len(MIGRATIONS):
        raise BadRun(f"{file} was made by a newer version of arena; update arena")
    while schema_version(connection) < len(MIGRATIONS):
        with transaction(connection):
            number = schema_version(connection)  # another process may have made this step by now
            if number >= len(MIGRATIONS):
                return
            for statement in split_statements(MIGRATIONS[number]):
                connection.execute(statement)
            connection.execute("INSERT OR REPLACE INTO ladder VALUES (1, ?)", (number + 1,))


class BadSubmission(ArenaError):
    """Something that cannot be submitted, or not now."""


def utc_now() -> str:
    """The moment in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Registry:
    """The ladder's tables; many processes may read and write them at the same time."""

    def __init__(self, file: Path, connection: sqlite3.Connection) -> None:
        self.file = file
        self.connection = connection

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The registry of the ladder in a folder."""
        file = find_run_file(folder)
        with (
            explain_errors(file),
            database.close_on_error(database.open_for_writing(file)) as connection,
        ):
            migrate(connection, file)
            return cls(file, connection)

    @classmethod
    def open_read_only(cls, folder: Path) -> Self:
        """The same, for those who may only read it."""
        file = find_run_file(folder)
        with explain_errors(file):
            return cls(file, database.open_for_reading(file))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):
            self.connection.close()

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """What a query finds."""
        with explain_errors(self.file):
            return self.connection.execute(query, values).fetchall()

    def write(self, query: str, *values: object) -> int:
        """Change something; how many rows that were."""
        with explain_errors(self.file), transaction(self.connection):
            return self.connection.execute(query, values).rowcount

    def versions(self, *, name: str | None = None) -> list[Version]:
        """All versions, or those of a name, in the order in which they came."""
        where, values = ("WHERE name = ?", (name,)) if name is not None else ("", ())
        query = f"SELECT {column_names(Version)} FROM version {where} ORDER BY rowid"  # noqa: S608 (ours)
        with explain_errors(self.file):
            return [
                msgspec.convert(row_as_dict(Version, row), Version)
                for row in self.rows(query, *values)
            ]

    def active_versions(self) -> list[Version]:
        """Those who play."""
        return [one for one in self.versions() if one.state == "active"]

    def add_version(self, version: Version) -> None:
        """A new version takes the place of the one before, within somebody else's transaction."""
        self.connection.execute(
            "UPDATE version SET state = 'superseded', until = ?"
            " WHERE name = ? AND state = 'active'",
            (version.submitted, version.name),
        )
        marks = ", ".join("?" * len(Version.__struct_fields__))
        self.connection.execute(
            f"INSERT INTO version ({column_names(Version)}) VALUES ({marks})",  # noqa: S608 (ours)
            msgspec.structs.astuple(version),
        )

    def submission(self, submission_id: str) -> Submission | None:
        """A submission by its id."""
        query = f"SELECT {column_names(Submission)} FROM submission WHERE id = ?"  # noqa: S608 (ours)
        with explain_errors(self.file):
            rows = self.rows(query, submission_id)
            return msgspec.convert(row_as_dict(Submission, rows[0]), Submission) if rows else None

    def add_submission(
        self, submission: Submission, check: Callable[[], None] = lambda: None
    ) -> None:
        """Take a submission, if it passes a check that nobody can come between."""
        marks = ", ".join("?" * len(Submission.__struct_fields__))
        with explain_errors(self.file), transaction(self.connection):
            check()
            self.connection.execute(
                f"INSERT INTO submission ({column_names(Submission)}) VALUES ({marks})",  # noqa: S608 (ours)
                msgspec.structs.astuple(submission),
            )

    def submissions(self, state: SubmissionState | None = None) -> list[Submission]:
        """All submissions, or those in a state, the oldest first."""
        where, values = ("WHERE state = ?", (state,)) if state else ("", ())
        query = f"SELECT {column_names(Submission)} FROM submission {where} ORDER BY sent, rowid"  # noqa: S608 (ours)
        with explain_errors(self.file):
            found = self.rows(query, *values)
            return [msgspec.convert(row_as_dict(Submission, row), Submission) for row in found]

    def owners(self) -> list[str]:
        """The names of all owners who have a token, a version or an open submission."""
        rows = self.rows(
            "SELECT name FROM owner UNION SELECT owner FROM version WHERE owner <> ''"
            " UNION SELECT owner FROM submission WHERE state IN ('waiting', 'running') ORDER BY 1"
        )
        return [str(name) for (name,) in rows]

    def holdings(self, owner: str) -> tuple[list[str], list[str]]:
        """The digests of an owner's versions, and the ids of submissions that are not over."""
        digests = self.rows("SELECT digest FROM version WHERE owner = ?", owner)
        numbers = self.rows(
            "SELECT id FROM submission WHERE owner = ? AND state IN ('waiting', 'running')", owner
        )
        return [str(one) for (one,) in digests], [str(one) for (one,) in numbers]

    def count_sent_since(self, owner: str, moment: str) -> int:
        """How many submissions of an owner came after a moment."""
        query = "SELECT count(*) FROM submission WHERE owner = ? AND sent > ?"
        ((count,),) = self.rows(query, owner, moment)
        return int(str(count))

    def begin_submission(self, submission_id: str) -> None:
        """A submission is being worked on."""
        with explain_errors(self.file), transaction(self.connection):
            self.connection.execute("DELETE FROM step WHERE submission = ?", (submission_id,))
            self.connection.execute(
                "UPDATE submission SET state = 'running', begun = ? WHERE id = ?",
                (utc_now(), submission_id),
            )

    def count_try(self, submission_id: str, by: int = 1) -> int:
        """Count a try before it begins, or take one back; how many there were."""
        with explain_errors(self.file), transaction(self.connection):
            rows = self.connection.execute(
                "UPDATE submission SET tries = tries + ? WHERE id = ? RETURNING tries",
                (by, submission_id),
            ).fetchall()
        return int(rows[0][0]) if rows else 0

    def add_message(self, submission_id: str, message: SubmissionMessage) -> None:
        """Store what is said to whoever sent something, cut to a length that can be shown."""
        self.write(
            "INSERT INTO step SELECT ?, count(*), ? FROM step WHERE submission = ?",
            submission_id,
            msgspec.json.encode(message.within_limits()).decode(),
            submission_id,
        )

    def messages(self, submission_id: str, after: int = 0) -> list[SubmissionMessage]:
        """What was said of a submission, but for the first few."""
        rows = self.rows(
            "SELECT said FROM step WHERE submission = ? AND number >= ? ORDER BY number",
            submission_id,
            after,
        )
        with explain_errors(self.file):
            return [msgspec.json.decode(str(text), type=SubmissionMessage) for (text,) in rows]

    def end_submission(
        self, submission_id: str, state: SubmissionState, bot: str | None = None
    ) -> None:
        """Nothing more happens to a submission; one that is over stays as it is."""
        self.write(
            "UPDATE submission SET state = ?, bot = ?, ended = ?"
            " WHERE id = ? AND state IN ('waiting', 'running')",
            state,
            bot,
            utc_now(),
            submission_id,
        )

    def nights(self, before: int | None = None, limit: int = -1) -> list[Night]:
        """All nights, the first one first; or the last few of them, or of those before one."""
        rows = self.rows(
            "SELECT number, began, ended, aim, bots, last, summary FROM night"
            " WHERE coalesce(number < ?, TRUE) ORDER BY number DESC LIMIT ?",
            before,
            limit,
        )
        with explain_errors(self.file):
            return [parse_night(row) for row in reversed(rows)]

    def open_night(self) -> Night | None:
        """The night that was begun and has not ended."""
        rows = self.rows(
            "SELECT number, began, ended, aim, bots, last, summary FROM night WHERE ended IS NULL"
        )
        with explain_errors(self.file):
            return parse_night(rows[0]) if rows else None

    def counted_cells(self) -> frozenset[Cell]:
        """The cells that are part of the overall rating since the last night or before."""
        rows = self.rows(
            "SELECT summary FROM night WHERE summary IS NOT NULL ORDER BY number DESC LIMIT 1"
        )
        with explain_errors(self.file):
            told = [msgspec.json.decode(str(text), type=Summary) for (text,) in rows]
        return frozenset(cell for one in told for cell in one.counted)

    def begin_night(self, aim: Aim, bots: Iterable[str]) -> Night:
        """A night begins."""
        with explain_errors(self.file), transaction(self.connection):
            self.connection.execute(
                "INSERT INTO night (number, began, aim, bots, last) VALUES"
                " ((SELECT coalesce(max(number), 0) + 1 FROM night), ?, ?, ?,"
                " (SELECT coalesce(max(id), 0) FROM block))",
                (utc_now(), to_json(aim), to_json(list(bots))),
            )
        night = self.open_night()
        if night is None:
            raise ArenaError(f"{self.file}: the night that was begun is gone; try again")
        return night

    def change_aim(self, night: Night, aim: Aim) -> Night:
        """Let a night that goes on end at another time, or after another number of games."""
        if aim != night.aim:
            self.write("UPDATE night SET aim = ? WHERE number = ?", to_json(aim), night.number)
        return msgspec.structs.replace(night, aim=aim)

    def save_summary(self, number: int, summary: Summary) -> None:
        """Write down what came of a night; whoever it retires is so with it or not at all."""
        with explain_errors(self.file), transaction(self.connection):
            for bot, why in summary.retired:
                self.connection.execute(
                    "UPDATE version SET state = 'retired', why = ?, until = ?"
                    " WHERE bot = ? AND state = 'active'",
                    (why, utc_now(), bot),
                )
            self.connection.execute(
                "UPDATE night SET summary = ? WHERE number = ?", (to_json(summary), number)
            )

    def end_night(self, number: int) -> None:
        """A night is over, and its pages are written."""
        self.write("UPDATE night SET ended = ? WHERE number = ?", utc_now(), number)


def column_names(kind: type[msgspec.Struct]) -> str:
    """The columns of a table that holds such structs."""
    return ", ".join(kind.__struct_fields__)


def row_as_dict(kind: type[msgspec.Struct], row: tuple[object, ...]) -> dict[str, object]:
    """A row with the names of its columns."""
    return dict(zip(kind.__struct_fields__, row, strict=True))


def to_json(thing: object) -> str:
    """Something as JSON."""
    return msgspec.json.encode(thing).decode()


def parse_night(row: tuple[object, ...]) -> Night:
    """A night from its row."""
    number, began, ended, aim, bots, last, summary = row
    return msgspec.convert(
        {
            "number": number,
            "began": began,
            "ended": ended,
            "aim": msgspec.json.decode(str(aim)),
            "bots": msgspec.json.decode(str(bots)),
            "last": last,
            "summary": None if summary is None else msgspec.json.decode(str(summary)),
        },
        Night,
    )
