"""Reads blocks, sessions and faults from the database and checks its consistency."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final, Literal

import msgspec
from msgspec import Struct

from arena.store.block import DROPPED_RECORDS, KEY_BYTES, GameResult, PlayedBlock
from arena.store.schema import MIGRATIONS, split_statements

MAX_SQLITE_FINDINGS: Final = 10
"""Lines of SQLite's own findings that are passed on."""

CONSISTENCY_QUERIES: Final = {
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
    "SELECT count(*) FROM dropped WHERE block NOT IN (SELECT id FROM block)": (
        "the hashes of {count} blocks belong to no block"
    ),
    "SELECT count(*) FROM conflict WHERE key NOT IN (SELECT key FROM block)": (
        "{count} results that were put aside belong to no block"
    ),
}
"""What is to be nought, and what is wrong if it is not."""


def find_problems(
    connection: sqlite3.Connection, extra_scripts: Sequence[str] = ()
) -> Iterator[str]:
    """What is wrong with the file, each in words; `more` are scripts that made other tables."""
    try:
        yield from find_schema_differences(connection, (*MIGRATIONS, *extra_scripts))
        for (line,) in connection.execute(f"PRAGMA integrity_check({MAX_SQLITE_FINDINGS})"):
            if line != "ok":
                yield f"the file is damaged: {line}"
        for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
            yield f"row {row} of {table} belongs to no {parent}"
        for question, wrong in CONSISTENCY_QUERIES.items():
            (count,) = connection.execute(question).fetchone()
            if count:
                yield wrong.format(count=count)
    except sqlite3.DatabaseError as error:
        yield f"the file is damaged: {error}"


def find_schema_differences(
    connection: sqlite3.Connection, scripts: Sequence[str]
) -> Iterator[str]:
    """Tables, views, indices and triggers that are not what these scripts make."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        for script in scripts:
            for statement in split_statements(script):
                fresh.execute(statement)
        wanted, found = schema_layout(fresh), schema_layout(connection)
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            kind, _ = wanted.get(name) or found[name]
            what = "missing" if name not in found else "not as arena makes it"
            yield f"the {kind} {name!r} is {what}"


def schema_layout(connection: sqlite3.Connection) -> dict[str, tuple[str, str | None]]:
    """What there is in a file by its name: its kind, and the statement that made it."""
    rows = connection.execute(
        "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    return {name: (kind, sql) for name, kind, sql in rows}


class BlockEntry(Struct, frozen=True):
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


EndReason = Literal["finished", "settled", "part", "interrupted", "failed"]
"""All of the plan was played; the order was known before; all of one part was played; a signal
stopped it; some chunks could not be played."""


class SessionEnding(Struct, frozen=True):
    """How a session ended, and what the run held then; a session that was killed has none."""

    session: int
    how: EndReason
    planned: int
    """Blocks that the plan had, at the most."""
    blocks: int
    """Blocks that were kept, those of earlier sessions too."""
    conflicts: int
    """Results that were put aside by then."""


class BlockRows(Struct, frozen=True):
    """What the file says of a block beside its results, so that it is quickly found."""

    id: int
    """Its number in the file, which rises as blocks are stored."""
    games: int
    """How many it should have."""
    turns: tuple[int, ...]
    """Those that are there."""
    places: tuple[int, ...]
    """Those that have an entry."""
    entries: tuple[BlockEntry, ...]
    """What each place has come to, which is what ratings are made from."""
    faults: tuple[tuple[int, int, int, str, str, str, int | None], ...]
    """Turn, number within the game, seat, bot, kind, sentence, and the choice it was at."""
    dropped: bytes | None
    """The hashes of its records, if these were dropped."""


class ContradictingResult(Struct, frozen=True):
    """Another result of a block, put aside because it contradicts the first."""

    key: bytes
    session: Session | None
    results: tuple[GameResult, ...]
    kept: bytes


def read_block(connection: sqlite3.Connection, key: bytes) -> PlayedBlock | None:
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
    return PlayedBlock(
        key=key,
        variant=variant,
        seats=seats,
        number=which,
        seed=seed,
        bots=tuple(name for (name,) in bots),
        results=tuple(GameResult(*map(parse_numbers, game)) for game in games),
        kept=kept[0] if kept else b"",
    )


def packed_games(connection: sqlite3.Connection, digits: str) -> Iterator[tuple[bytes, bytes]]:
    """Key and packed games of blocks whose keys begin with these digits, if they are there."""
    yield from connection.execute(
        "SELECT key, kept.games FROM block JOIN kept ON block = id"
        " WHERE key BETWEEN ? AND ? AND kept.games != ? ORDER BY key",
        (*key_range(digits), DROPPED_RECORDS),
    )


def faulty_blocks(connection: sqlite3.Connection, digits: str) -> set[bytes]:
    """The keys that begin with these digits of blocks in which somebody was at fault."""
    rows = connection.execute(
        "SELECT key FROM block WHERE key BETWEEN ? AND ?"
        " AND EXISTS (SELECT 1 FROM fault WHERE fault.block = block.id)",
        key_range(digits),
    )
    return {key for (key,) in rows}


def key_range(digits: str) -> tuple[bytes, bytes]:
    """The first and the last key that begin with these hexadecimal digits."""
    low, high = (bytes.fromhex(digits.ljust(2 * KEY_BYTES, end)) for end in "0f")
    return low, high


def fault_counts(connection: sqlite3.Connection) -> dict[tuple[str, str], int]:
    """How many faults of each kind each bot has."""
    rows = connection.execute(
        "SELECT name, fault, count(*) FROM fault JOIN bot ON bot.id = bot GROUP BY bot, fault"
        " ORDER BY bot.number, fault"
    )
    return {(name, fault): count for name, fault, count in rows}


def read_block_rows(connection: sqlite3.Connection, key: bytes) -> BlockRows:
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
    return BlockRows(
        id=number,
        games=games,
        turns=tuple(turn for (turn,) in turns),
        places=tuple(place for place, *_ in entries),
        entries=tuple(BlockEntry(*row) for _, *row in entries),
        faults=tuple(faults),
        dropped=dropped[0] if dropped else None,
    )


def dropped_digests(connection: sqlite3.Connection) -> Iterator[tuple[bytes, bytes]]:
    """Key and hashes of the records of each block whose records were dropped."""
    yield from connection.execute(
        "SELECT key, digests FROM dropped JOIN block ON id = block ORDER BY key"
    )


def endings(connection: sqlite3.Connection) -> list[tuple[SessionEnding, int]]:
    """How sessions ended, and how many blocks there are of each and those before it."""
    rows = connection.execute(
        "SELECT session, how, planned, blocks, conflicts, (SELECT count(*) FROM block"
        " WHERE block.session IS NULL OR block.session <= ending.session)"
        " FROM ending ORDER BY session"
    )
    return [(SessionEnding(*row), kept) for *row, kept in rows]


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


def contradicting_results(connection: sqlite3.Connection) -> Iterator[ContradictingResult]:
    """All results that were put aside."""
    known = sessions(connection)
    for key, session, results, kept in connection.execute(
        "SELECT key, session, results, games FROM conflict ORDER BY key, results"
    ):
        told = msgspec.json.decode(results, type=tuple[GameResult, ...])
        yield ContradictingResult(key, known.get(session), told, kept)


def parse_numbers(field: str) -> tuple[int, ...]:
    """Numbers of each seat from JSON."""
    return msgspec.json.decode(field, type=tuple[int, ...])
