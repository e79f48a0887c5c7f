"""Finds games and faults by bot, variant, seats or game id."""

import sqlite3
from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict, astuple

from arena.store.block import KEY_BYTES, PlayedBlock
from arena.store.database import BadRun
from arena.store.reading import parse_numbers

ID_DIGITS: Final = 10
"""Hexadecimal digits of the block's key at the start of a game's id."""

MAX_NAMED_IDS: Final = 5
"""Limit for the ids that an error lists."""


class UnknownGame(BadRun):
    """An id that belongs to no game, or to several."""


class GameRow(Struct, frozen=True):
    """A game in a list; the fields after `seed` have a value for each seat."""

    id: str
    variant: str
    seats: int
    number: int
    """The number of its block among those of its table and variant."""
    seed: int
    bots: tuple[str, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    points: tuple[int, ...]
    faults: tuple[int, ...]
    decisions: tuple[int, ...]
    cpu: tuple[int, ...]


class FaultRow(Struct, frozen=True):
    """A fault in a list."""

    game: str
    variant: str
    seed: int
    bots: tuple[str, ...]
    """The bot in each seat."""
    seat: int
    bot: str
    fault: str
    text: str
    place: int | None
    """The index of the choice that the referee made instead."""

    @property
    def turn(self) -> int:
        """The index of the game in its block, which is part of its id."""
        return int(self.game.rpartition("-")[2])


class GameFilter(Struct, frozen=True):
    """A search for games or faults; None matches everything."""

    bot: str | None = None
    variant: str | None = None
    seats: int | None = None
    fault: bool = False
    """Only games with a fault, of `bot` if it is given."""


class GameSlice(Struct, frozen=True):
    """A part of the games that were found: those after a block key and turn, with an offset."""

    first: int = 0
    most: int = -1
    """At most so many games; below 0 all."""
    key: bytes = b""
    turn: int = -1


ALL_GAMES: Final = GameSlice()


class IndexedGame(NamedTuple):
    """A game with the block key and turn that games are sorted by."""

    key: bytes
    turn: int
    game: GameRow


GAMES_QUERY: Final = """
SELECT block.id, key, turn, variant, seats, number, seed, seating,
    scores, ranks, points, faults, decisions, cpu
FROM block JOIN game ON block = block.id
WHERE key >= :key AND (key > :key OR turn > :turn)
    AND (:variant IS NULL OR variant = :variant) AND (:seats IS NULL OR seats = :seats)
    AND (:bot IS NULL OR EXISTS (SELECT 1 FROM entry
        WHERE block = block.id AND bot = (SELECT id FROM bot WHERE name = :bot)))
    AND (NOT :fault OR EXISTS (SELECT 1 FROM fault
        WHERE block = block.id AND turn = game.turn
            AND (:bot IS NULL OR bot = (SELECT id FROM bot WHERE name = :bot))))
ORDER BY key, turn LIMIT :most OFFSET :first
"""

FAULTS_QUERY: Final = """
SELECT block.id, key, turn, variant, block.seed, seating, seat, bot.name, fault, text, place
FROM fault JOIN block ON block.id = block JOIN game USING (block, turn) JOIN bot ON bot.id = bot
WHERE (:variant IS NULL OR variant = :variant) AND (:seats IS NULL OR seats = :seats)
    AND (:bot IS NULL OR bot.name = :bot)
ORDER BY key, turn, fault.number
"""


def game_id(key: bytes, turn: int) -> str:
    """Return the id of a game: the beginning of its block's key, and its turn from 0."""
    return f"{short_key(key)}-{turn}"


def short_key(key: bytes) -> str:
    """Return the beginning of a block's key, as ids of games have it."""
    return key.hex()[:ID_DIGITS]


def find_indexed_games(
    connection: sqlite3.Connection, game_filter: GameFilter, portion: GameSlice = ALL_GAMES
) -> Iterator[IndexedGame]:
    """Yield games in the order of block key and turn; not all are in memory at once."""
    rows = connection.execute(GAMES_QUERY, asdict(game_filter) | asdict(portion))
    previous = -1
    table: tuple[str, ...] = ()
    for block, key, turn, variant, seats, number, seed, seating, *fields in rows:
        if block != previous:
            previous, table = block, table_bots(connection, block)
        bots = tuple(table[place] for place in parse_numbers(seating))
        game = GameRow(
            game_id(key, turn), variant, seats, number, seed, bots, *map(parse_numbers, fields)
        )
        yield IndexedGame(key, turn, game)


def game_rows(block: PlayedBlock) -> tuple[GameRow, ...]:
    """The games of a block: the same deal in each seating."""
    rows = []
    for turn, result in enumerate(block.results):
        seating, *figures = astuple(result)
        bots = tuple(block.bots[place] for place in seating)
        shared = block.variant, block.seats, block.number, block.seed
        rows.append(GameRow(game_id(block.key, turn), *shared, bots, *figures))
    return tuple(rows)


def find_games(
    connection: sqlite3.Connection, game_filter: GameFilter, portion: GameSlice = ALL_GAMES
) -> Iterator[GameRow]:
    """Yield games in the order of their ids; not all are in memory at once."""
    return (indexed.game for indexed in find_indexed_games(connection, game_filter, portion))


def find_faults(connection: sqlite3.Connection, game_filter: GameFilter) -> Iterator[FaultRow]:
    """Yield faults in the order of the ids of their games."""
    rows = connection.execute(FAULTS_QUERY, asdict(game_filter))
    for block, key, turn, variant, seed, seating, *rest in rows:
        table = table_bots(connection, block)
        yield FaultRow(
            game_id(key, turn),
            variant,
            seed,
            tuple(table[place] for place in parse_numbers(seating)),
            *rest,
        )


def table_bots(connection: sqlite3.Connection, block: int) -> tuple[str, ...]:
    """Return the names of the bots of a block by place."""
    rows = connection.execute(
        "SELECT name FROM entry JOIN bot ON bot.id = bot WHERE block = ? ORDER BY place", (block,)
    )
    return tuple(name for (name,) in rows)


def find_game(connection: sqlite3.Connection, game_id_prefix: str) -> tuple[bytes, int]:
    """Find the block key and turn of a game by its id, whose digits may be more or fewer."""
    digits, _, turn = game_id_prefix.strip().lower().partition("-")
    if not digits or set(digits) - set("0123456789abcdef") or len(digits) > 2 * KEY_BYTES:
        raise UnknownGame(
            f"{game_id_prefix!r} is no game's id; ids look like 1f0a2b3c4d-2, see arena games"
        )
    found = connection.execute(
        "SELECT key, games FROM block WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?",
        (
            bytes.fromhex(digits.ljust(2 * KEY_BYTES, "0")),
            bytes.fromhex(digits.ljust(2 * KEY_BYTES, "f")),
            MAX_NAMED_IDS,
        ),
    ).fetchall()
    if not found:
        raise UnknownGame(
            f"there is no game {game_id_prefix}; {nearest_game_hint(connection, digits)}"
        )
    if len(found) > 1:
        length = max(ID_DIGITS, len(digits)) + 4
        keys = ", ".join(key.hex()[:length] for key, _ in found)
        raise UnknownGame(f"{game_id_prefix} may be one of several, {keys}; give more digits")
    ((key, games),) = found
    if not turn and games == 1:
        return key, 0
    if not turn.isdecimal() or int(turn) >= games:
        block = short_key(key)
        raise UnknownGame(
            f"there is no game {game_id_prefix}; the games of this block are {block}-0 to "
            f"{block}-{games - 1}"
        )
    return key, int(turn)


def nearest_game_hint(connection: sqlite3.Connection, digits: str) -> str:
    """Suggest the game whose id is closest to these digits."""
    start = bytes.fromhex(digits.ljust(2 * KEY_BYTES, "0"))
    for query in (
        "SELECT key FROM block WHERE key <= ? ORDER BY key DESC LIMIT 1",
        "SELECT key FROM block WHERE key >= ? ORDER BY key LIMIT 1",
    ):
        row = connection.execute(query, (start,)).fetchone()
        if row:
            return f"did you mean {game_id(row[0], 0)}?"
    return "no game is stored yet"
