"""The registry: who is on the ladder, who wants to be, and which nights there were."""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import msgspec

from arena.errors import ArenaError
from arena.ladder import schema
from arena.ladder.facts import Aim, Fate, Night, Said, Submission, Summary, Version
from arena.ratings.cell import Cell
from arena.store import database
from arena.store.database import explained, transaction
from arena.store.founding import existing


class BadSubmission(ArenaError):
    """Something that cannot be submitted, or not now."""


def now() -> str:
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
        file = existing(folder)
        with explained(file), database.kept_open(database.for_writing(file)) as connection:
            schema.migrate(connection, file)
            return cls(file, connection)

    @classmethod
    def look(cls, folder: Path) -> Self:
        """The same, for those who may only read it."""
        file = existing(folder)
        with explained(file):
            return cls(file, database.for_reading(file))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):
            self.connection.close()

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """What a query finds."""
        with explained(self.file):
            return self.connection.execute(query, values).fetchall()

    def write(self, query: str, *values: object) -> int:
        """Change something; how many rows that were."""
        with explained(self.file), transaction(self.connection):
            return self.connection.execute(query, values).rowcount

    def versions(self, *, name: str | None = None) -> list[Version]:
        """All versions, or those of a name, in the order in which they came."""
        where, values = ("WHERE name = ?", (name,)) if name is not None else ("", ())
        query = f"SELECT {columns(Version)} FROM version {where} ORDER BY rowid"  # noqa: S608 (ours)
        with explained(self.file):
            return [
                msgspec.convert(dict_of(Version, row), Version) for row in self.rows(query, *values)
            ]

    def active(self) -> list[Version]:
        """Those who play."""
        return [one for one in self.versions() if one.state == "active"]

    def admit(self, version: Version) -> None:
        """A new version takes the place of the one before, within somebody else's transaction."""
        self.connection.execute(
            "UPDATE version SET state = 'superseded', until = ?"
            " WHERE name = ? AND state = 'active'",
            (version.submitted, version.name),
        )
        marks = ", ".join("?" * len(Version.__struct_fields__))
        self.connection.execute(
            f"INSERT INTO version ({columns(Version)}) VALUES ({marks})",  # noqa: S608 (ours)
            msgspec.structs.astuple(version),
        )

    def submission(self, number: str) -> Submission | None:
        """A submission by its id."""
        query = f"SELECT {columns(Submission)} FROM submission WHERE id = ?"  # noqa: S608 (ours)
        with explained(self.file):
            rows = self.rows(query, number)
            return msgspec.convert(dict_of(Submission, rows[0]), Submission) if rows else None

    def enter(self, submission: Submission, check: Callable[[], None] = lambda: None) -> None:
        """Take a submission, if it passes a check that nobody can come between."""
        marks = ", ".join("?" * len(Submission.__struct_fields__))
        with explained(self.file), transaction(self.connection):
            check()
            self.connection.execute(
                f"INSERT INTO submission ({columns(Submission)}) VALUES ({marks})",  # noqa: S608 (ours)
                msgspec.structs.astuple(submission),
            )

    def submissions(self, state: Fate | None = None) -> list[Submission]:
        """All submissions, or those in a state, the oldest first."""
        where, values = ("WHERE state = ?", (state,)) if state else ("", ())
        query = f"SELECT {columns(Submission)} FROM submission {where} ORDER BY sent, rowid"  # noqa: S608 (ours)
        with explained(self.file):
            found = self.rows(query, *values)
            return [msgspec.convert(dict_of(Submission, row), Submission) for row in found]

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

    def sent_since(self, owner: str, moment: str) -> int:
        """How many submissions of an owner came after a moment."""
        query = "SELECT count(*) FROM submission WHERE owner = ? AND sent > ?"
        ((count,),) = self.rows(query, owner, moment)
        return int(str(count))

    def begin(self, number: str) -> None:
        """A submission is being worked on."""
        with explained(self.file), transaction(self.connection):
            self.connection.execute("DELETE FROM step WHERE submission = ?", (number,))
            self.connection.execute(
                "UPDATE submission SET state = 'running', begun = ? WHERE id = ?", (now(), number)
            )

    def count_try(self, number: str, by: int = 1) -> int:
        """Count a try before it begins, or take one back; how many there were."""
        with explained(self.file), transaction(self.connection):
            rows = self.connection.execute(
                "UPDATE submission SET tries = tries + ? WHERE id = ? RETURNING tries", (by, number)
            ).fetchall()
        return int(rows[0][0]) if rows else 0

    def say(self, number: str, said: Said) -> None:
        """Store what is said to whoever sent something, cut to a length that can be shown."""
        self.write(
            "INSERT INTO step SELECT ?, count(*), ? FROM step WHERE submission = ?",
            number,
            msgspec.json.encode(said.bounded()).decode(),
            number,
        )

    def said(self, number: str, after: int = 0) -> list[Said]:
        """What was said of a submission, but for the first few."""
        rows = self.rows(
            "SELECT said FROM step WHERE submission = ? AND number >= ? ORDER BY number",
            number,
            after,
        )
        with explained(self.file):
            return [msgspec.json.decode(str(text), type=Said) for (text,) in rows]

    def end(self, number: str, state: Fate, bot: str | None = None) -> None:
        """Nothing more happens to a submission; one that is over stays as it is."""
        self.write(
            "UPDATE submission SET state = ?, bot = ?, ended = ?"
            " WHERE id = ? AND state IN ('waiting', 'running')",
            state,
            bot,
            now(),
            number,
        )

    def nights(self, before: int | None = None, most: int = -1) -> list[Night]:
        """All nights, the first one first; or the last few of them, or of those before one."""
        rows = self.rows(
            "SELECT number, began, ended, aim, bots, last, summary FROM night"
            " WHERE coalesce(number < ?, TRUE) ORDER BY number DESC LIMIT ?",
            before,
            most,
        )
        with explained(self.file):
            return [night_of(row) for row in reversed(rows)]

    def open_night(self) -> Night | None:
        """The night that was begun and has not ended."""
        rows = self.rows(
            "SELECT number, began, ended, aim, bots, last, summary FROM night WHERE ended IS NULL"
        )
        with explained(self.file):
            return night_of(rows[0]) if rows else None

    def counted(self) -> frozenset[Cell]:
        """The cells that are part of the overall rating since the last night or before."""
        rows = self.rows(
            "SELECT summary FROM night WHERE summary IS NOT NULL ORDER BY number DESC LIMIT 1"
        )
        with explained(self.file):
            told = [msgspec.json.decode(str(text), type=Summary) for (text,) in rows]
        return frozenset(cell for one in told for cell in one.counted)

    def new_night(self, aim: Aim, bots: Iterable[str]) -> Night:
        """A night begins."""
        with explained(self.file), transaction(self.connection):
            self.connection.execute(
                "INSERT INTO night (number, began, aim, bots, last) VALUES"
                " ((SELECT coalesce(max(number), 0) + 1 FROM night), ?, ?, ?,"
                " (SELECT coalesce(max(id), 0) FROM block))",
                (now(), text(aim), text(list(bots))),
            )
        night = self.open_night()
        if night is None:
            raise ArenaError(f"{self.file}: the night that was begun is gone; try again")
        return night

    def change_aim(self, night: Night, aim: Aim) -> Night:
        """Let a night that goes on end at another time, or after another number of games."""
        if aim != night.aim:
            self.write("UPDATE night SET aim = ? WHERE number = ?", text(aim), night.number)
        return msgspec.structs.replace(night, aim=aim)

    def sum_up(self, number: int, summary: Summary) -> None:
        """Write down what came of a night; whoever it retires is so with it or not at all."""
        with explained(self.file), transaction(self.connection):
            for bot, why in summary.retired:
                self.connection.execute(
                    "UPDATE version SET state = 'retired', why = ?, until = ?"
                    " WHERE bot = ? AND state = 'active'",
                    (why, now(), bot),
                )
            self.connection.execute(
                "UPDATE night SET summary = ? WHERE number = ?", (text(summary), number)
            )

    def end_night(self, number: int) -> None:
        """A night is over, and its pages are written."""
        self.write("UPDATE night SET ended = ? WHERE number = ?", now(), number)


def columns(kind: type[msgspec.Struct]) -> str:
    """The columns of a table that holds such structs."""
    return ", ".join(kind.__struct_fields__)


def dict_of(kind: type[msgspec.Struct], row: tuple[object, ...]) -> dict[str, object]:
    """A row with the names of its columns."""
    return dict(zip(kind.__struct_fields__, row, strict=True))


def text(thing: object) -> str:
    """Something as JSON."""
    return msgspec.json.encode(thing).decode()


def night_of(row: tuple[object, ...]) -> Night:
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
