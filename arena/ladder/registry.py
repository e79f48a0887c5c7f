"""The ladder's tables: owners, versions, submissions and nights. All SQL of the ladder is here."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, fields
from pathlib import Path
from typing import Final, Self

import msgspec

from arena.errors import ArenaError
from arena.ladder import registry_schema
from arena.ladder.models import (
    Night,
    NightLimits,
    NightSummary,
    Submission,
    SubmissionMessage,
    SubmissionState,
    Version,
)
from arena.ratings.cell import Cell
from arena.store import database
from arena.store.block import DROPPED_RECORDS
from arena.store.database import BadRun, explain_errors, transaction
from arena.store.header import find_run_file, utc_now
from arena.store.run import Run
from arena.store.writing import to_json

VERSION_COLUMNS: Final = tuple(field.name for field in fields(Version))
SUBMISSION_COLUMNS: Final = Submission.__struct_fields__
NIGHT_COLUMNS: Final = "number, began, ended, aim, bots, last, summary"
MAX_BLOCK_ID: Final = 2**63 - 1


class BadSubmission(ArenaError):
    """Something that cannot be submitted, or not now."""


class Registry:
    """The ladder's tables; many processes may read and write them at the same time."""

    def __init__(self, file: Path, connection: sqlite3.Connection) -> None:
        self.file = file
        self.connection = connection

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the registry of the ladder in a folder, and bring its tables up to date."""
        file = find_run_file(folder)
        with (
            explain_errors(file),
            database.close_on_error(database.open_for_writing(file)) as connection,
        ):
            registry_schema.migrate(connection, file)
            return cls(file, connection)

    @classmethod
    def open_read_only(cls, folder: Path) -> Self:
        """Open the registry of the ladder in a folder as it stands now."""
        file = find_run_file(folder)
        with explain_errors(file):
            return cls(file, database.open_for_reading(file))

    @classmethod
    def of_run(cls, run: Run) -> Self:
        """The registry in an opened run: in the same snapshot, or the same transaction."""
        return cls(run.file, run.connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):
            self.connection.close()

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """The rows that a query finds."""
        with explain_errors(self.file):
            return self.connection.execute(query, values).fetchall()

    def write(self, query: str, *values: object) -> int:
        """Run a statement in its own transaction; return how many rows it changed."""
        with explain_errors(self.file), transaction(self.connection):
            return self.connection.execute(query, values).rowcount

    def schema_version(self) -> int:
        """The number of migrations that its tables have behind them; 0 if it is not a ladder."""
        with explain_errors(self.file):
            return registry_schema.schema_version(self.connection, self.file)

    def is_outdated(self) -> bool:
        """Whether its tables are those of an older program."""
        with explain_errors(self.file):
            return registry_schema.is_outdated(self.connection, self.file)

    def revision(self) -> tuple[object, ...]:
        """Numbers that change whenever something changes that pages show."""
        (row,) = self.rows(
            "SELECT (SELECT coalesce(max(id), 0) FROM block), (SELECT count(*) FROM version),"
            " (SELECT count(*) FROM version WHERE state = 'active'),"
            " (SELECT count(*) FROM night WHERE summary IS NOT NULL),"
            " (SELECT count(*) FROM night WHERE ended IS NOT NULL)"
        )
        return row

    def versions(self, *, name: str | None = None) -> list[Version]:
        """All versions, or those of a name, in the order in which they were accepted."""
        where, values = ("WHERE name = ?", (name,)) if name is not None else ("", ())
        query = f"SELECT {', '.join(VERSION_COLUMNS)} FROM version {where} ORDER BY rowid"  # noqa: S608 (ours)
        with explain_errors(self.file):
            return [
                msgspec.convert(dict(zip(VERSION_COLUMNS, row, strict=True)), Version)
                for row in self.rows(query, *values)
            ]

    def active_versions(self) -> list[Version]:
        """The versions that play."""
        return [one for one in self.versions() if one.state == "active"]

    def add_version(self, version: Version) -> None:
        """Add a version, which supersedes the one before, in the caller's transaction."""
        self.connection.execute(
            "UPDATE version SET state = 'superseded', until = ?"
            " WHERE name = ? AND state = 'active'",
            (version.submitted, version.name),
        )
        self.connection.execute(insert_statement("version", VERSION_COLUMNS), astuple(version))

    def set_token(self, owner: str, token_hash: bytes) -> None:
        """Store the hash of an owner's token in place of the one before."""
        self.write(
            "INSERT INTO owner (name, token, since) VALUES (?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET token = excluded.token",
            owner,
            token_hash,
            utc_now(),
        )

    def delete_token(self, owner: str) -> bool:
        """Delete the token of an owner; return whether there was one."""
        query = "UPDATE owner SET token = NULL WHERE name = ? AND token IS NOT NULL"
        return self.write(query, owner) > 0

    def find_tokens(self, token_hash: bytes) -> list[tuple[str, bytes]]:
        """The owners of the token with this hash, each with the hash that is stored."""
        rows = self.rows("SELECT name, token FROM owner WHERE token = ?", token_hash)
        return [(str(name), bytes(stored)) for name, stored in rows]  # type: ignore[call-overload]  # a blob

    def token_owners(self) -> list[tuple[str, bool, str]]:
        """All owners by name, whether each has a token, and since when the ladder knows them."""
        rows = self.rows("SELECT name, token IS NOT NULL, since FROM owner ORDER BY name")
        return [(str(name), bool(token), str(since)) for name, token, since in rows]

    def owners(self) -> list[str]:
        """The names of all owners who have a token, a version or an open submission."""
        rows = self.rows(
            "SELECT name FROM owner UNION SELECT owner FROM version WHERE owner <> ''"
            " UNION SELECT owner FROM submission WHERE state IN ('waiting', 'running') ORDER BY 1"
        )
        return [str(name) for (name,) in rows]

    def holdings(self, owner: str) -> tuple[list[str], list[str]]:
        """The digests of an owner's versions, and the ids of their open submissions."""
        digests = self.rows("SELECT digest FROM version WHERE owner = ?", owner)
        ids = self.rows(
            "SELECT id FROM submission WHERE owner = ? AND state IN ('waiting', 'running')", owner
        )
        return [str(one) for (one,) in digests], [str(one) for (one,) in ids]

    def submission(self, submission_id: str) -> Submission | None:
        """The submission with this id."""
        return next(iter(self.select_submissions("WHERE id = ?", submission_id)), None)

    def submissions(self, state: SubmissionState | None = None) -> list[Submission]:
        """All submissions, or those in a state, the oldest first."""
        where, values = ("WHERE state = ?", (state,)) if state else ("", ())
        return self.select_submissions(f"{where} ORDER BY sent, rowid", *values)

    def select_submissions(self, rest: str, *values: object) -> list[Submission]:
        """The submissions that the rest of a query selects."""
        query = f"SELECT {', '.join(SUBMISSION_COLUMNS)} FROM submission {rest}"  # noqa: S608 (ours)
        with explain_errors(self.file):
            return [
                msgspec.convert(dict(zip(SUBMISSION_COLUMNS, row, strict=True)), Submission)
                for row in self.rows(query, *values)
            ]

    def add_submission(
        self, submission: Submission, check: Callable[[], None] = lambda: None
    ) -> None:
        """Add a submission unless `check` raises; nothing else is written in between."""
        with explain_errors(self.file), transaction(self.connection):
            check()
            self.connection.execute(
                insert_statement("submission", SUBMISSION_COLUMNS),
                msgspec.structs.astuple(submission),
            )

    def count_sent_since(self, owner: str, moment: str) -> int:
        """How many submissions an owner has sent since a moment."""
        query = "SELECT count(*) FROM submission WHERE owner = ? AND sent > ?"
        ((count,),) = self.rows(query, owner, moment)
        return int(str(count))

    def open_submission_counts(self) -> dict[str, int]:
        """How many submissions wait and how many are processed, by state."""
        rows = self.rows(
            "SELECT state, count(*) FROM submission"
            " WHERE state IN ('waiting', 'running') GROUP BY state"
        )
        return {str(state): int(str(count)) for state, count in rows}

    def last_begun(self) -> dict[str, str]:
        """For each owner, when the last of their submissions was begun; empty if none was."""
        rows = self.rows("SELECT owner, max(begun) FROM submission GROUP BY owner")
        return {str(owner): str(moment or "") for owner, moment in rows}

    def begin_submission(self, submission_id: str) -> None:
        """Mark a submission as being processed, and delete the messages of an earlier try."""
        with explain_errors(self.file), transaction(self.connection):
            self.connection.execute("DELETE FROM step WHERE submission = ?", (submission_id,))
            self.connection.execute(
                "UPDATE submission SET state = 'running', begun = ? WHERE id = ?",
                (utc_now(), submission_id),
            )

    def count_try(self, submission_id: str, by: int = 1) -> int:
        """Count a try before it begins, or take one back; return how many there are."""
        with explain_errors(self.file), transaction(self.connection):
            rows = self.connection.execute(
                "UPDATE submission SET tries = tries + ? WHERE id = ? RETURNING tries",
                (by, submission_id),
            ).fetchall()
        return int(rows[0][0]) if rows else 0

    def add_message(self, submission_id: str, message: SubmissionMessage) -> None:
        """Store a message to the sender of a submission, with texts of limited length."""
        self.write(
            "INSERT INTO step SELECT ?, count(*), ? FROM step WHERE submission = ?",
            submission_id,
            to_json(message.within_limits()),
            submission_id,
        )

    def messages(self, submission_id: str, after: int = 0) -> list[SubmissionMessage]:
        """The messages about a submission, without the first few."""
        rows = self.rows(
            "SELECT said FROM step WHERE submission = ? AND number >= ? ORDER BY number",
            submission_id,
            after,
        )
        with explain_errors(self.file):
            return [msgspec.json.decode(str(text), type=SubmissionMessage) for (text,) in rows]

    def delete_messages_before(self, moment: str) -> None:
        """Delete the messages about submissions that ended before a moment."""
        self.write(
            "DELETE FROM step WHERE submission IN (SELECT id FROM submission WHERE ended < ?)",
            moment,
        )

    def accept_submission(self, submission_id: str, bot: str) -> None:
        """Mark a submission as accepted, in the caller's transaction."""
        self.connection.execute(
            "UPDATE submission SET state = 'accepted', bot = ?, ended = ? WHERE id = ?",
            (bot, utc_now(), submission_id),
        )

    def end_submission(
        self, submission_id: str, state: SubmissionState, bot: str | None = None
    ) -> None:
        """Give a submission its final state, unless it has one."""
        self.write(
            "UPDATE submission SET state = ?, bot = ?, ended = ?"
            " WHERE id = ? AND state IN ('waiting', 'running')",
            state,
            bot,
            utc_now(),
            submission_id,
        )

    def nights(self, before: int | None = None, limit: int = -1) -> list[Night]:
        """The last nights up to a limit, or the last before a night; by default all, in order."""
        rows = self.rows(
            f"SELECT {NIGHT_COLUMNS} FROM night"  # noqa: S608 (ours)
            " WHERE coalesce(number < ?, TRUE) ORDER BY number DESC LIMIT ?",
            before,
            limit,
        )
        with explain_errors(self.file):
            return [parse_night(row) for row in reversed(rows)]

    def open_night(self) -> Night | None:
        """The night that has begun and has not ended."""
        rows = self.rows(f"SELECT {NIGHT_COLUMNS} FROM night WHERE ended IS NULL")  # noqa: S608 (ours)
        with explain_errors(self.file):
            return parse_night(rows[0]) if rows else None

    def latest_night_times(self) -> tuple[int, str, str | None] | None:
        """The number of the latest night, when it began and when it ended."""
        rows = self.rows("SELECT number, began, ended FROM night ORDER BY number DESC LIMIT 1")
        with explain_errors(self.file):
            return msgspec.convert(rows[0], tuple[int, str, str | None]) if rows else None

    def counted_cells(self) -> frozenset[Cell]:
        """The cells that are part of the overall rating since the last night."""
        rows = self.rows(
            "SELECT summary FROM night WHERE summary IS NOT NULL ORDER BY number DESC LIMIT 1"
        )
        with explain_errors(self.file):
            summaries = [msgspec.json.decode(str(text), type=NightSummary) for (text,) in rows]
        return frozenset(cell for one in summaries for cell in one.counted)

    def begin_night(self, aim: NightLimits, bots: Iterable[str]) -> Night:
        """Begin a night of these versions."""
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

    def change_limits(self, night: Night, aim: NightLimits) -> Night:
        """Give a night another end."""
        if aim != night.aim:
            self.write("UPDATE night SET aim = ? WHERE number = ?", to_json(aim), night.number)
        return msgspec.structs.replace(night, aim=aim)

    def save_summary(self, number: int, summary: NightSummary) -> None:
        """Store the summary of a night, and retire versions in the same transaction."""
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
        """End a night, whose pages are written."""
        self.write("UPDATE night SET ended = ? WHERE number = ?", utc_now(), number)

    def night_totals(self, night: Night) -> tuple[int, int, int]:
        """The blocks and games of a night, and the number of its last block."""
        ((blocks, games, last),) = self.rows(
            "SELECT count(*), coalesce(sum(games), 0), coalesce(max(block.id), ?) FROM block"
            " JOIN session ON session.id = session WHERE salt = ?",
            night.last,
            night.salt,
        )
        return int(str(blocks)), int(str(games)), int(str(last))

    def block_keys(self, after: int, last: int) -> list[bytes]:
        """The keys of the blocks that were stored after one and up to another, in that order."""
        query = "SELECT key FROM block WHERE id > ? AND id <= ? ORDER BY id"
        with explain_errors(self.file):
            return [key for (key,) in self.connection.execute(query, (after, last))]

    def fault_counts(self, last: int = MAX_BLOCK_ID) -> dict[str, tuple[int, int]]:
        """For each version its games, and those with a fault of it, up to a block."""
        games = self.rows(
            "SELECT name, sum(games) FROM entry JOIN block ON block.id = block"
            " JOIN bot ON bot.id = bot WHERE block <= ? GROUP BY bot",
            last,
        )
        faults = self.rows(
            "SELECT name, count(*) FROM (SELECT DISTINCT bot, block, turn FROM fault"
            " WHERE block <= ?) JOIN bot ON bot.id = bot GROUP BY bot",
            last,
        )
        faulty = {name: int(str(count)) for name, count in faults}
        return {str(name): (int(str(count)), faulty.get(name, 0)) for name, count in games}

    def droppable_records(self, after: int, last: int, limit: int) -> list[tuple[int, bytes]]:
        """The first blocks between two with packed records and no active version at the table."""
        rows = self.rows(
            "SELECT block, games FROM kept WHERE block > ? AND block <= ? AND length(games) > ?"
            " AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.block = kept.block AND entry.bot IN"
            " (SELECT id FROM bot JOIN version ON version.bot = bot.name WHERE state = 'active'))"
            " ORDER BY block LIMIT ?",
            after,
            last,
            len(DROPPED_RECORDS),
            limit,
        )
        return [(int(str(block)), bytes(games)) for block, games in rows]  # type: ignore[call-overload]  # a blob

    def drop_records(self, hashes: Sequence[tuple[int, bytes]]) -> None:
        """Replace the records of blocks by their hashes."""
        with explain_errors(self.file), transaction(self.connection):
            self.connection.executemany("INSERT OR REPLACE INTO dropped VALUES (?, ?)", hashes)
            self.connection.executemany(
                "UPDATE kept SET games = ? WHERE block = ?",
                [(DROPPED_RECORDS, block) for block, _ in hashes],
            )


def is_ladder(folder: Path) -> bool:
    """Whether the run in a folder is that of a ladder."""
    with Run.open(folder) as run, explain_errors(run.file):
        return registry_schema.has_ladder_tables(run.connection)


def copy_database(folder: Path, copy: Path) -> list[tuple[str, str]]:
    """Copy a ladder's database as it stands; return its versions, each with its digest."""
    file = find_run_file(folder)
    copy.unlink(missing_ok=True)
    copy.touch(mode=0o600)
    with (
        explain_errors(file),
        closing(database.connect(file, "ro")) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")  # so that there is no second file
        (found,) = target.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise BadRun(f"{file}: it is damaged ({found}); restore it from an earlier backup")
        return target.execute("SELECT bot, digest FROM version").fetchall()


def insert_statement(table: str, columns: Sequence[str]) -> str:
    """The statement that inserts a row into a table."""
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 (ours)


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
