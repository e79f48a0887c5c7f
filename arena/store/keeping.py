"""Blocks on their way into the file: each once, and what contradicts it beside it."""

import logging
import sqlite3
from collections.abc import Iterable
from math import lcm
from pathlib import Path

import msgspec

from arena.match.faults import Fault
from arena.store.block import Block, Result, unpack
from arena.store.database import BadRun
from arena.store.reading import Entry, Session, read

LOG = logging.getLogger(__name__)


def entries(results: Iterable[Result], seats: int) -> tuple[Entry, ...]:
    """What each place came to."""
    points, beaten, won, faults, decisions, cpu = ([0] * seats for _ in range(6))
    whole = lcm(*range(1, seats + 1))  # so that every share of a first rank is a whole number
    for result in results:
        share = whole // max(1, result.ranks.count(1))
        for seat, place in enumerate(result.seating):
            rank = result.ranks[seat]
            points[place] += result.points[seat]
            beaten[place] += sum((other > rank) - (other < rank) for other in result.ranks)
            beaten[place] += seats - 1
            won[place] += share if rank == 1 else 0
            faults[place] += result.faults[seat]
            decisions[place] += result.decisions[seat]
            cpu[place] += result.cpu[seat]
    return tuple(
        Entry(
            points=points[place],
            placement=beaten[place] / (2 * (seats - 1)),
            wins=won[place] / whole,
            faults=faults[place],
            decisions=decisions[place],
            cpu=cpu[place],
        )
        for place in range(seats)
    )


def outcome(results: Iterable[Result]) -> tuple[object, ...]:
    """What must be the same whoever plays a block: all but time."""
    return tuple((one.seating, one.scores, one.ranks, one.points) for one in results)


def comparable(block: Block) -> tuple[object, ...]:
    """The same with what the block is."""
    return (
        *(block.variant, block.seats, block.number, block.seed, block.bots),
        outcome(block.results),
    )


class Keeper:
    """Puts blocks into the file, within a transaction of somebody else's."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self.connection = connection
        self.file = file
        self.session: int | None = None
        self.bots: dict[str, int] = {}
        self.learn()

    def learn(self) -> None:
        """Find out under which number each bot is known to the file."""
        self.bots = dict(self.connection.execute("SELECT name, id FROM bot"))

    def add(self, block: Block) -> bool:
        """Put a block there; whether it is new."""
        check(block)
        known = read(self.connection, block.key)
        if known is None:
            self.insert(block)
        elif comparable(known) != comparable(block):
            self.conflict(block.key, block.results, block.kept)
            LOG.warning(
                "%s: block %s came out otherwise when it was played again; the first result stays",
                self.file,
                block.key.hex(),
            )
        return known is None

    def conflict(self, key: bytes, results: tuple[Result, ...], kept: bytes) -> None:
        """Put another result of a block beside the first."""
        self.connection.execute(
            "INSERT INTO conflict VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (key, self.session, text(results), kept),
        )

    def remove(self, key: bytes) -> None:
        """Delete a block with all its rows, so that it can be played again.

        The last block takes its number, since numbers that are missing mean that somebody else
        has taken blocks away.
        """
        execute = self.connection.execute
        execute("PRAGMA defer_foreign_keys = ON")  # until this transaction ends
        (number,) = execute("SELECT id FROM block WHERE key = ?", (key,)).fetchone()
        (last,) = execute("SELECT max(id) FROM block").fetchone()
        tables = execute(
            "SELECT t.name FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c"
            " WHERE t.type = 'table' AND c.name = 'block'"
        ).fetchall()
        for table, column in [*((table, "block") for (table,) in tables), ("block", "id")]:
            execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))  # noqa: S608
            execute(  # names of the schema, as above
                f"UPDATE {table} SET {column} = ? WHERE {column} = ?",  # noqa: S608
                (number, last),
            )

    def begin(self, session: Session) -> int | None:
        """Note who plays; the number under which the file knows it."""
        return self.connection.execute(
            "INSERT INTO session (began, code, package, python, workers, sandbox, salt)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            msgspec.structs.astuple(session),
        ).lastrowid

    def insert(self, block: Block) -> None:
        """Put a block there that is not there yet."""
        execute, many = self.connection.execute, self.connection.executemany
        try:
            bots = [self.bots[name] for name in block.bots]
        except KeyError as error:
            raise BadRun(f"{self.file}: there is no bot {error} in this run") from error
        number = execute(
            "INSERT INTO block (key, variant, seats, number, seed, games, session)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                block.key,
                block.variant,
                block.seats,
                block.number,
                block.seed,
                len(block.results),
                self.session,
            ),
        ).lastrowid
        many(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (number, place, bots[place], *msgspec.structs.astuple(one))
                for place, one in enumerate(entries(block.results, block.seats))
            ),
        )
        many(
            "INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (number, turn, *(text(field) for field in msgspec.structs.astuple(one)))
                for turn, one in enumerate(block.results)
            ),
        )
        execute("INSERT INTO kept VALUES (?, ?)", (number, block.kept))
        if any(any(one.faults) for one in block.results):
            many(
                "INSERT INTO fault VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (number, turn, count, one.seat, bots[seating[one.seat]], *told(one))
                    for turn, game in enumerate(unpack(block.kept))
                    for seating in (block.results[turn].seating,)
                    for count, one in enumerate(game.record.faults)
                ),
            )


def told(fault: Fault) -> tuple[str, str, int | None]:
    """What a list of faults says of one."""
    return fault.fault, fault.text, fault.place


def check(block: Block) -> None:
    """Refuse a block that cannot be right, which is a mistake of ours."""
    places = list(range(block.seats))
    if len(block.bots) != block.seats or not block.results:
        raise ValueError(f"block {block.key.hex()} has no bots or no games")
    for one in block.results:
        if sorted(one.seating) != places:
            raise ValueError(f"block {block.key.hex()} has a seating {one.seating}")


def text(field: object) -> str:
    """Something as JSON."""
    return msgspec.json.encode(field).decode()
