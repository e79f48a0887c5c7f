"""Read blocks, sessions and faults from the database."""

import sqlite3
from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from arena.store.block import DROPPED_RECORDS, KEY_BYTES, GameResult, PlayedBlock


class BlockEntry(Struct, frozen=True):
    """The figures of a place at the table over all games of a block."""

    points: int
    placement: float
    wins: float
    faults: int
    decisions: int
    cpu: int


class Session(Struct, frozen=True):
    """A session in which games were played, by one process with its workers."""

    began: str
    """The time in UTC."""
    code: str
    """A hash of the parts of the program that decide the course of games."""
    package: str
    python: str
    workers: int
    sandbox: str | None = None
    """The sandbox level of the bots, if it is stored."""
    salt: str = ""
    """Added to the seed of its deals, so that no other session has the same deals."""


EndReason = Literal["finished", "settled", "part", "interrupted", "failed"]
"""All of the plan was played; the order was known before; all of one part was played; a signal
stopped it; some chunks could not be played."""


class SessionEnding(Struct, frozen=True):
    """How a session ended and what the run held then; a session that was killed has no ending."""

    session: int
    how: EndReason
    planned: int
    """The largest number of blocks that the plan could have."""
    blocks: int
    """Blocks in the run, including those of earlier sessions."""
    conflicts: int
    """Contradicting results in the run."""


class BlockRows(Struct, frozen=True):
    """The rows of a block that repeat its results for quick queries."""

    id: int
    """The row id, which rises as blocks are stored."""
    games: int
    """How many games it should have."""
    turns: tuple[int, ...]
    """The games that exist."""
    places: tuple[int, ...]
    """The places that have an entry."""
    entries: tuple[BlockEntry, ...]
    """The figures of each place, from which ratings are computed."""
    faults: tuple[tuple[int, int, int, str, str, str, int | None], ...]
    """Turn, number within the game, seat, bot, kind, text, and index of the choice."""
    dropped: bytes | None
    """The hashes of its records, if the records were dropped."""


class ContradictingResult(Struct, frozen=True):
    """Another result of a block, stored apart because it contradicts the first."""

    key: bytes
    session: Session | None
    results: tuple[GameResult, ...]
    packed_games: bytes


def read_block(connection: sqlite3.Connection, key: bytes) -> PlayedBlock | None:
    """Read a block as it was stored."""
    row = connection.execute(
        "SELECT id, variant, seats, number, seed FROM block WHERE key = ?", (key,)
    ).fetchone()
    if row is None:
        return None
    block_id, variant, seats, number, seed = row
    bots = connection.execute(
        "SELECT name FROM entry JOIN bot ON bot.id = bot WHERE block = ? ORDER BY place",
        (block_id,),
    )
    games = connection.execute(
        "SELECT seating, scores, ranks, points, faults, decisions, cpu FROM game"
        " WHERE block = ? ORDER BY turn",
        (block_id,),
    )
    packed = connection.execute("SELECT games FROM kept WHERE block = ?", (block_id,)).fetchone()
    return PlayedBlock(
        key=key,
        variant=variant,
        seats=seats,
        number=number,
        seed=seed,
        bots=tuple(name for (name,) in bots),
        results=tuple(GameResult(*map(parse_numbers, game)) for game in games),
        packed_games=packed[0] if packed else b"",
    )


def packed_games(connection: sqlite3.Connection, digits: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and packed games of blocks whose keys begin with these hexadecimal digits."""
    yield from connection.execute(
        "SELECT key, kept.games FROM block JOIN kept ON block = id"
        " WHERE key BETWEEN ? AND ? AND kept.games != ? ORDER BY key",
        (*key_range(digits), DROPPED_RECORDS),
    )


def faulty_blocks(connection: sqlite3.Connection, digits: str) -> set[bytes]:
    """Return the keys of blocks with a fault that begin with these hexadecimal digits."""
    rows = connection.execute(
        "SELECT key FROM block WHERE key BETWEEN ? AND ?"
        " AND EXISTS (SELECT 1 FROM fault WHERE fault.block = block.id)",
        key_range(digits),
    )
    return {key for (key,) in rows}


def key_range(digits: str) -> tuple[bytes, bytes]:
    """Return the first and the last key that begin with these hexadecimal digits."""
    low, high = (bytes.fromhex(digits.ljust(2 * KEY_BYTES, end)) for end in "0f")
    return low, high


def fault_counts(connection: sqlite3.Connection) -> dict[tuple[str, str], int]:
    """Count the faults by bot and kind."""
    rows = connection.execute(
        "SELECT name, fault, count(*) FROM fault JOIN bot ON bot.id = bot GROUP BY bot, fault"
        " ORDER BY bot.number, fault"
    )
    return {(name, fault): count for name, fault, count in rows}


def read_block_rows(connection: sqlite3.Connection, key: bytes) -> BlockRows:
    """Read the rows of a block that repeat its results."""
    block_id, games = connection.execute(
        "SELECT id, games FROM block WHERE key = ?", (key,)
    ).fetchone()
    turns = connection.execute("SELECT turn FROM game WHERE block = ? ORDER BY turn", (block_id,))
    entries = connection.execute(
        "SELECT place, points, placement, wins, faults, decisions, cpu"
        " FROM entry WHERE block = ? ORDER BY place",
        (block_id,),
    ).fetchall()
    faults = connection.execute(
        "SELECT turn, fault.number, seat, bot.name, fault, text, place"
        " FROM fault JOIN bot ON bot.id = bot WHERE block = ? ORDER BY turn, fault.number",
        (block_id,),
    )
    dropped = connection.execute(
        "SELECT digests FROM dropped WHERE block = ?", (block_id,)
    ).fetchone()
    return BlockRows(
        id=block_id,
        games=games,
        turns=tuple(turn for (turn,) in turns),
        places=tuple(place for place, *_ in entries),
        entries=tuple(BlockEntry(*row) for _, *row in entries),
        faults=tuple(faults),
        dropped=dropped[0] if dropped else None,
    )


def dropped_digests(connection: sqlite3.Connection) -> Iterator[tuple[bytes, bytes]]:
    """Yield the key of each block whose records were dropped, and their hashes."""
    yield from connection.execute(
        "SELECT key, digests FROM dropped JOIN block ON id = block ORDER BY key"
    )


def read_endings(connection: sqlite3.Connection) -> list[tuple[SessionEnding, int]]:
    """Return how sessions ended, each with the blocks stored by it and all earlier sessions."""
    rows = connection.execute(
        "SELECT session, how, planned, blocks, conflicts, (SELECT count(*) FROM block"
        " WHERE block.session IS NULL OR block.session <= ending.session)"
        " FROM ending ORDER BY session"
    )
    return [(SessionEnding(*row), stored) for *row, stored in rows]


def read_sessions(connection: sqlite3.Connection) -> dict[int, Session]:
    """Return all sessions by row id."""
    rows = connection.execute(
        "SELECT id, began, code, package, python, workers, sandbox, salt FROM session"
    )
    return {session_id: Session(*row) for session_id, *row in rows}


def session_of(connection: sqlite3.Connection, key: bytes) -> Session | None:
    """Return the session in which a block was played, if it is stored."""
    row = connection.execute(
        "SELECT began, code, package, python, workers, sandbox, salt"
        " FROM block JOIN session ON session.id = session WHERE key = ?",
        (key,),
    ).fetchone()
    return Session(*row) if row else None


def contradicting_results(connection: sqlite3.Connection) -> Iterator[ContradictingResult]:
    """Yield all results that contradict those of a block."""
    session_by_id = read_sessions(connection)
    for key, session, results, packed in connection.execute(
        "SELECT key, session, results, games FROM conflict ORDER BY key, results"
    ):
        decoded = msgspec.json.decode(results, type=tuple[GameResult, ...])
        yield ContradictingResult(key, session_by_id.get(session), decoded, packed)


def parse_numbers(field: str) -> tuple[int, ...]:
    """Decode a JSON list with a number for each seat."""
    return msgspec.json.decode(field, type=tuple[int, ...])
