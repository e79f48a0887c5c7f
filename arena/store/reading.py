"""Blocks out of the file again, as they were put there."""

import sqlite3
from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from arena.store.block import GONE, KEY, Block, Result


class Entry(Struct, frozen=True):
    """What a place at the table came to over all games of a block."""

    points: int
    placement: float
    wins: float
    faults: int
    decisions: int
    cpu: int


class Session(Struct, frozen=True):
    """A sitting at which games were played."""

    began: str
    """When, in UTC."""
    code: str
    """A hash of the parts of the program that decide how games go."""
    package: str
    python: str
    workers: int
    sandbox: str | None = None
    """How strongly bots were walled in, if that is noted."""
    salt: str = ""
    """What was added to the seed for its deals, so that no other sitting has the same."""


How = Literal["finished", "settled", "part", "interrupted", "failed"]
"""All of the plan was played; the order was known before; all of one part was played; a signal
stopped it; some chunks could not be played."""


class Ending(Struct, frozen=True):
    """How a session ended, and what the run held then; a session that was killed has none."""

    session: int
    how: How
    planned: int
    """Blocks that the plan had, at the most."""
    blocks: int
    """Blocks that were kept, those of earlier sessions too."""
    conflicts: int
    """Results that were put aside by then."""


class Written(Struct, frozen=True):
    """What the file says of a block beside its results, so that it is quickly found."""

    id: int
    """Its number in the file, which rises as blocks are stored."""
    games: int
    """How many it should have."""
    turns: tuple[int, ...]
    """Those that are there."""
    places: tuple[int, ...]
    """Those that have an entry."""
    entries: tuple[Entry, ...]
    """What each place has come to, which is what ratings are made from."""
    faults: tuple[tuple[int, int, int, str, str, str, int | None], ...]
    """Turn, number within the game, seat, bot, kind, sentence, and the choice it was at."""
    dropped: bytes | None
    """The hashes of its records, if these were dropped."""


class Aside(Struct, frozen=True):
    """Another result of a block, put aside because it contradicts the first."""

    key: bytes
    session: Session | None
    results: tuple[Result, ...]
    kept: bytes


def read(connection: sqlite3.Connection, key: bytes) -> Block | None:
    """A block again as it was put there."""
    row = connection.execute(
        "SELECT id, variant, seats, number, seed FROM block WHERE key = ?", (key,)
    ).fetchone()
    if row is None:
        return None
    number, variant, seats, which, seed = row
    bots = connection.execute(
        "SELECT name FROM entry JOIN bot ON bot.id = bot WHERE block = ? ORDER BY place", (number,)
    )
    games = connection.execute(
        "SELECT seating, scores, ranks, points, faults, decisions, cpu FROM game"
        " WHERE block = ? ORDER BY turn",
        (number,),
    )
    kept = connection.execute("SELECT games FROM kept WHERE block = ?", (number,)).fetchone()
    return Block(
        key=key,
        variant=variant,
        seats=seats,
        number=which,
        seed=seed,
        bots=tuple(name for (name,) in bots),
        results=tuple(Result(*map(numbers, game)) for game in games),
        kept=kept[0] if kept else b"",
    )


def packed(connection: sqlite3.Connection, digits: str) -> Iterator[tuple[bytes, bytes]]:
    """Key and packed games of blocks whose keys begin with these digits, if they are there."""
    yield from connection.execute(
        "SELECT key, kept.games FROM block JOIN kept ON block = id"
        " WHERE key BETWEEN ? AND ? AND kept.games != ? ORDER BY key",
        (*between(digits), GONE),
    )


def faulty(connection: sqlite3.Connection, digits: str) -> set[bytes]:
    """The keys that begin with these digits of blocks in which somebody was at fault."""
    rows = connection.execute(
        "SELECT key FROM block WHERE key BETWEEN ? AND ?"
        " AND EXISTS (SELECT 1 FROM fault WHERE fault.block = block.id)",
        between(digits),
    )
    return {key for (key,) in rows}


def between(digits: str) -> tuple[bytes, bytes]:
    """The first and the last key that begin with these hexadecimal digits."""
    low, high = (bytes.fromhex(digits.ljust(2 * KEY, end)) for end in "0f")
    return low, high


def faulted(connection: sqlite3.Connection) -> dict[tuple[str, str], int]:
    """How many faults of each kind each bot has."""
    rows = connection.execute(
        "SELECT name, fault, count(*) FROM fault JOIN bot ON bot.id = bot GROUP BY bot, fault"
        " ORDER BY bot.number, fault"
    )
    return {(name, fault): count for name, fault, count in rows}


def written(connection: sqlite3.Connection, key: bytes) -> Written:
    """What the file says of a block beside its results."""
    number, games = connection.execute(
        "SELECT id, games FROM block WHERE key = ?", (key,)
    ).fetchone()
    turns = connection.execute("SELECT turn FROM game WHERE block = ? ORDER BY turn", (number,))
    entries = connection.execute(
        "SELECT place, points, placement, wins, faults, decisions, cpu"
        " FROM entry WHERE block = ? ORDER BY place",
        (number,),
    ).fetchall()
    faults = connection.execute(
        "SELECT turn, fault.number, seat, bot.name, fault, text, place"
        " FROM fault JOIN bot ON bot.id = bot WHERE block = ? ORDER BY turn, fault.number",
        (number,),
    )
    dropped = connection.execute(
        "SELECT digests FROM dropped WHERE block = ?", (number,)
    ).fetchone()
    return Written(
        id=number,
        games=games,
        turns=tuple(turn for (turn,) in turns),
        places=tuple(place for place, *_ in entries),
        entries=tuple(Entry(*row) for _, *row in entries),
        faults=tuple(faults),
        dropped=dropped[0] if dropped else None,
    )


def dropped(connection: sqlite3.Connection) -> Iterator[tuple[bytes, bytes]]:
    """Key and hashes of the records of each block whose records were dropped."""
    yield from connection.execute(
        "SELECT key, digests FROM dropped JOIN block ON id = block ORDER BY key"
    )


def endings(connection: sqlite3.Connection) -> list[tuple[Ending, int]]:
    """How sessions ended, and how many blocks there are of each and those before it."""
    rows = connection.execute(
        "SELECT session, how, planned, blocks, conflicts, (SELECT count(*) FROM block"
        " WHERE block.session IS NULL OR block.session <= ending.session)"
        " FROM ending ORDER BY session"
    )
    return [(Ending(*row), kept) for *row, kept in rows]


def sessions(connection: sqlite3.Connection) -> dict[int, Session]:
    """All sittings, by their numbers in the file."""
    rows = connection.execute(
        "SELECT id, began, code, package, python, workers, sandbox, salt FROM session"
    )
    return {number: Session(*row) for number, *row in rows}


def session_of(connection: sqlite3.Connection, key: bytes) -> Session | None:
    """The sitting at which a block was played, if it is noted."""
    row = connection.execute(
        "SELECT began, code, package, python, workers, sandbox, salt"
        " FROM block JOIN session ON session.id = session WHERE key = ?",
        (key,),
    ).fetchone()
    return Session(*row) if row else None


def asides(connection: sqlite3.Connection) -> Iterator[Aside]:
    """All results that were put aside."""
    known = sessions(connection)
    for key, session, results, kept in connection.execute(
        "SELECT key, session, results, games FROM conflict ORDER BY key, results"
    ):
        told = msgspec.json.decode(results, type=tuple[Result, ...])
        yield Aside(key, known.get(session), told, kept)


def numbers(field: str) -> tuple[int, ...]:
    """Numbers of each seat from JSON."""
    return msgspec.json.decode(field, type=tuple[int, ...])
