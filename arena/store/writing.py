"""Writes blocks to the database, each once, and stores contradicting results apart."""

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from math import lcm
from pathlib import Path

import msgspec

from arena.store.block import GameResult, PlayedBlock, unpack_games
from arena.store.database import BadRun
from arena.store.reading import BlockEntry, Session, read_block

LOG = logging.getLogger(__name__)


def block_entries(results: Iterable[GameResult], seats: int) -> tuple[BlockEntry, ...]:
    """Sum up the results of a block for each place."""
    points, beaten, wins, faults, decisions, cpu = ([0] * seats for _ in range(6))
    win_units = lcm(*range(1, seats + 1))  # every share of a first rank is a whole number of them
    for result in results:
        share = win_units // max(1, result.ranks.count(1))
        for seat, place in enumerate(result.seating):
            rank = result.ranks[seat]
            points[place] += result.points[seat]
            beaten[place] += sum((other > rank) - (other < rank) for other in result.ranks)
            beaten[place] += seats - 1
            wins[place] += share if rank == 1 else 0
            faults[place] += result.faults[seat]
            decisions[place] += result.decisions[seat]
            cpu[place] += result.cpu[seat]
    return tuple(
        BlockEntry(
            points=points[place],
            placement=beaten[place] / (2 * (seats - 1)),
            wins=wins[place] / win_units,
            faults=faults[place],
            decisions=decisions[place],
            cpu=cpu[place],
        )
        for place in range(seats)
    )


def comparable_results(results: Iterable[GameResult]) -> tuple[object, ...]:
    """Return the results that must be equal whenever a block is played."""
    return tuple((one.seating, one.scores, one.ranks, one.points) for one in results)


def comparable_block(block: PlayedBlock) -> tuple[object, ...]:
    """Return the comparable results of a block together with what identifies it."""
    return (
        *(block.variant, block.seats, block.number, block.seed, block.bots),
        comparable_results(block.results),
    )


class BlockWriter:
    """Writes blocks to a database, within transactions of the caller."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self.connection = connection
        self.file = file
        self.session_id: int | None = None
        self.bot_ids: dict[str, int] = {}
        self.load_bot_ids()

    def load_bot_ids(self) -> None:
        """Read the row id of each bot."""
        self.bot_ids = dict(self.connection.execute("SELECT name, id FROM bot"))

    def add(self, block: PlayedBlock) -> bool:
        """Store a block unless it is there already; return whether it is new."""
        check_block(block)
        stored = read_block(self.connection, block.key)
        if stored is None:
            self.insert(block)
        elif comparable_block(stored) != comparable_block(block):
            self.add_conflict(block.key, block.results, block.packed_games)
            LOG.warning(
                "%s: block %s has another result after a replay; the first result is stored",
                self.file,
                block.key.hex(),
            )
        return stored is None

    def add_conflict(
        self, key: bytes, results: tuple[GameResult, ...], packed_games: bytes
    ) -> None:
        """Store another result of a block beside the first."""
        self.connection.execute(
            "INSERT INTO conflict VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (key, self.session_id, to_json(results), packed_games),
        )

    def remove(self, key: bytes) -> None:
        """Delete a block with all its rows, so that it can be played again.

        The last block gets its row id, since a gap in the ids means that blocks were deleted by
        another program.
        """
        execute = self.connection.execute
        execute("PRAGMA defer_foreign_keys = ON")  # until this transaction ends
        (block_id,) = execute("SELECT id FROM block WHERE key = ?", (key,)).fetchone()
        (last_id,) = execute("SELECT max(id) FROM block").fetchone()
        tables = execute(
            "SELECT t.name FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c"
            " WHERE t.type = 'table' AND c.name = 'block'"
        ).fetchall()
        for table, column in [*((table, "block") for (table,) in tables), ("block", "id")]:
            execute(f"DELETE FROM {table} WHERE {column} = ?", (block_id,))  # noqa: S608
            execute(  # names of the schema, as above
                f"UPDATE {table} SET {column} = ? WHERE {column} = ?",  # noqa: S608
                (block_id, last_id),
            )

    def add_session(self, session: Session) -> int | None:
        """Store a session and return its row id."""
        return self.connection.execute(
            "INSERT INTO session (began, code, package, python, workers, sandbox, salt)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            msgspec.structs.astuple(session),
        ).lastrowid

    def insert(self, block: PlayedBlock) -> None:
        """Store a block that is not in the database yet."""
        execute, many = self.connection.execute, self.connection.executemany
        try:
            bots = [self.bot_ids[name] for name in block.bots]
        except KeyError as error:
            raise BadRun(f"{self.file}: there is no bot {error} in this run") from error
        block_id = execute(
            "INSERT INTO block (key, variant, seats, number, seed, games, session)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                block.key,
                block.variant,
                block.seats,
                block.number,
                block.seed,
                len(block.results),
                self.session_id,
            ),
        ).lastrowid
        many(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (block_id, place, bots[place], *msgspec.structs.astuple(one))
                for place, one in enumerate(block_entries(block.results, block.seats))
            ),
        )
        many(
            "INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (block_id, turn, *(to_json(field) for field in msgspec.structs.astuple(one)))
                for turn, one in enumerate(block.results)
            ),
        )
        execute("INSERT INTO kept VALUES (?, ?)", (block_id, block.packed_games))
        if any(any(one.faults) for one in block.results):
            many(
                "INSERT INTO fault VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                ((block_id, *row) for row in fault_rows(block, bots)),
            )


def fault_rows(block: PlayedBlock, bots: Sequence[int]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the faults of a block, given the row id of the bot at each place."""
    for turn, game in enumerate(unpack_games(block.packed_games)):
        seating = block.results[turn].seating
        for number, fault in enumerate(game.record.faults):
            bot = bots[seating[fault.seat]]
            yield turn, number, fault.seat, bot, fault.fault, fault.text, fault.place


def check_block(block: PlayedBlock) -> None:
    """Reject a block that cannot be right, which is a mistake of this program."""
    places = list(range(block.seats))
    if len(block.bots) != block.seats or not block.results:
        raise ValueError(f"block {block.key.hex()} has no bots or no games")
    for one in block.results:
        if sorted(one.seating) != places:
            raise ValueError(f"block {block.key.hex()} has a seating {one.seating}")


def to_json(value: object) -> str:
    """Encode a value as JSON."""
    return msgspec.json.encode(value).decode()
