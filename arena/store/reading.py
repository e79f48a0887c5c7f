"""Blocks out of the file again, as they were put there."""

import sqlite3
from collections.abc import Iterator

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


class Written(Struct, frozen=True):
    """What the file says of a block beside its results, so that it is quickly found."""

    games: int
    """How many it should have."""
    turns: tuple[int, ...]
    """Those that are there."""
    entries: tuple[Entry, ...]
    """What each place has come to, which is what ratings are made from."""
    faults: tuple[tuple[int, int, str, str, str, int | None], ...]
    """Of each its turn, its seat, the bot, its kind, its sentence, and the choice it was at."""


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
        "SELECT points, placement, wins, faults, decisions, cpu"
        " FROM entry WHERE block = ? ORDER BY place",
        (number,),
    )
    faults = connection.execute(
        "SELECT turn, seat, bot.name, fault, text, place FROM fault JOIN bot ON bot.id = bot"
        " WHERE block = ? ORDER BY turn, fault.number",
        (number,),
    )
    return Written(
        games=games,
        turns=tuple(turn for (turn,) in turns),
        entries=tuple(Entry(*row) for row in entries),
        faults=tuple(faults),
    )


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
