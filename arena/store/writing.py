"""Writes blocks to the database, each once, and keeps contradicting results apart."""

import logging
import sqlite3
from collections.abc import Iterable
from math import lcm
from pathlib import Path

import msgspec

from arena.referee.faults import Fault
from arena.store.block import GameResult, PlayedBlock, unpack_games
from arena.store.database import BadRun
from arena.store.reading import BlockEntry, Session, read_block

LOG = logging.getLogger(__name__)


def block_entries(results: Iterable[GameResult], seats: int) -> tuple[BlockEntry, ...]:
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
        BlockEntry(
            points=points[place],
            placement=beaten[place] / (2 * (seats - 1)),
            wins=won[place] / whole,
            faults=faults[place],
            decisions=decisions[place],
            cpu=cpu[place],
        )
        for place in range(seats)
    )


def comparable_results(results: Iterable[GameResult]) -> tuple[object, ...]:
    """What must be the same whoever plays a block: all but time."""
    return tuple((one.seating, one.scores, one.ranks, one.points) for one in results)


def comparable_block(block: PlayedBlock) -> tuple[object, ...]:
    """The same with what the block is."""
    return (
        *(block.variant, block.seats, block.number, block.seed, block.bots),
        comparable_results(block.results),
    )


class BlockWriter:
    """Puts blocks into the file, within a transaction of somebody else's."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self.connection = connection
        self.file = file
        self.session_number: int | None = None
        self.bot_ids: dict[str, int] = {}
        self.load_bot_ids()

    def load_bot_ids(self) -> None:
        """Find out under which number each bot is known to the file."""
        self.bot_ids = dict(self.connection.execute("SELECT name, id FROM bot"))

    def add(self, block: PlayedBlock) -> bool:
        """Put a block there; whether it is new."""
        check_block(block)
        known = read_block(self.connection, block.key)
        if known is None:
            self.insert(block)
        elif comparable_block(known) != comparable_block(block):
            self.add_conflict(block.key, block.results, block.kept)
            LOG.warning(
                "%s: block %s came out otherwise when it was played again; the first result stays",
                self.file,
                block.key.hex(),
            )
        return known is None

    def add_conflict(self, key: bytes, results: tuple[GameResult, ...], kept: bytes) -> None:
        """Put another result of a block beside the first."""
        self.connection.execute(
            "INSERT INTO conflict VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (key, self.session_number, to_json(results), kept),
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

    def add_session(self, session: Session) -> int | None:
        """Note who plays; the number under which the file knows it."""
        return self.connection.execute(
            "INSERT INTO session (began, code, package, python, workers, sandbox, salt)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            msgspec.structs.astuple(session),
        ).lastrowid

    def insert(self, block: PlayedBlock) -> None:
        """Put a block there that is not there yet."""
        execute, many = self.connection.execute, self.connection.executemany
        try:
            bots = [self.bot_ids[name] for name in block.bots]
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
                self.session_number,
            ),
        ).lastrowid
        many(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (number, place, bots[place], *msgspec.structs.astuple(one))
                for place, one in enumerate(block_entries(block.results, block.seats))
            ),
        )
        many(
            "INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (number, turn, *(to_json(field) for field in msgspec.structs.astuple(one)))
                for turn, one in enumerate(block.results)
            ),
        )
        execute("INSERT INTO kept VALUES (?, ?)", (number, block.kept))
        if any(any(one.faults) for one in block.results):
            many(
                "INSERT INTO fault VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (number, turn, count, one.seat, bots[seating[one.seat]], *fault_columns(one))
                    for turn, game in enumerate(unpack_games(block.kept))
                    for seating in (block.results[turn].seating,)
                    for count, one in enumerate(game.record.faults)
                ),
            )


def fault_columns(fault: Fault) -> tuple[str, str, int | None]:
    """What a list of faults says of one."""
    return fault.fault, fault.text, fault.place


def check_block(block: PlayedBlock) -> None:
    """Refuse a block that cannot be right, which is a mistake of ours."""
    places = list(range(block.seats))
    if len(block.bots) != block.seats or not block.results:
        raise ValueError(f"block {block.key.hex()} has no bots or no games")
    for one in block.results:
        if sorted(one.seating) != places:
            raise ValueError(f"block {block.key.hex()} has a seating {one.seating}")


def to_json(value: object) -> str:
    """Something as JSON."""
    return msgspec.json.encode(value).decode()
