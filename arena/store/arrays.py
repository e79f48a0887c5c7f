"""Loads the blocks of a cell as NumPy arrays, ordered by block key, for the ratings."""

import sqlite3
from collections.abc import Set
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.ratings.cell import Cell
from arena.ratings.results import Floats, Ints, Results, SeatedGames
from arena.store.block import KEY_BYTES
from arena.store.database import BadRun

# SQLite evaluates a CROSS JOIN from the left: the blocks of the cell, then only their rows.

ENTRIES_QUERY: Final = """
SELECT block, bot, entry.points, placement, wins, entry.faults, decisions, cpu
FROM block CROSS JOIN entry ON block = id WHERE variant = ? AND seats = ? ORDER BY id, place
"""

GAMES_QUERY: Final = """
SELECT block, seating, ranks, points
FROM block CROSS JOIN game ON block = id WHERE variant = ? AND seats = ? ORDER BY id, turn
"""

TABLES_QUERY: Final = """
SELECT bot
FROM block CROSS JOIN entry ON block = id WHERE variant = ? AND seats = ? ORDER BY id, place
"""

EXCUSES_QUERY: Final = "SELECT bot FROM excuse WHERE variant = ? AND seats = ? ORDER BY id"

PARSE_BATCH: Final = 20_000
"""Games that are parsed at once."""


def load_results(
    connection: sqlite3.Connection, file: Path, cell: Cell, only: Set[bytes] | None = None
) -> Results:
    """Load the results of the blocks of a cell, all of them or only some."""
    ids, keys, games, numbers = block_columns(connection, file, cell)
    rows = number_rows(connection, ENTRIES_QUERY, cell, 8)
    if not np.array_equal(rows[:, 0], np.repeat(ids, cell.seats)):
        raise BadRun(f"{file}: the entries of {cell} are not complete; see arena verify")
    chosen = key_order(keys)
    if only is not None:
        chosen = chosen[[keys[index] in only for index in chosen.tolist()]]
    table = rows.reshape(-1, cell.seats, 8)[chosen]
    points, placement, wins = (table[:, :, column].copy() for column in (2, 3, 4))
    bots, faults, decisions, cpu = (table[:, :, one].astype(np.int64) for one in (1, 5, 6, 7))
    excused = number_rows(connection, EXCUSES_QUERY, cell, 1).astype(np.int64).ravel()
    number_of_bot = bot_numbers(connection)
    return Results(
        cell=cell,
        bot_indices=number_of_bot[bots],
        games=games[chosen],
        points=points,
        placement=placement,
        wins=wins,
        faults=faults,
        decisions=decisions,
        cpu=cpu,
        number=numbers[chosen],
        excused=number_of_bot[excused],
    )


def load_seated_games(connection: sqlite3.Connection, file: Path, cell: Cell) -> SeatedGames:
    """Load the games of a cell one by one."""
    ids, keys, games, _ = block_columns(connection, file, cell)
    tables = number_rows(connection, TABLES_QUERY, cell, 1).astype(np.int64)
    block, seating, ranks, points = parse_games(connection, file, cell)
    if len(tables) != len(ids) * cell.seats or not np.array_equal(block, np.repeat(ids, games)):
        raise BadRun(f"{file}: the games of {cell} are not complete; see arena verify")
    bot_indices = bot_numbers(connection)[tables].reshape(-1, cell.seats)
    rank = np.argsort(key_order(keys))  # of each block among all, by its key
    block_rank = np.repeat(rank, games)
    order = np.argsort(block_rank, kind="stable")
    seated = np.take_along_axis(np.repeat(bot_indices, games, axis=0), seating, axis=1)
    return SeatedGames(
        cell=cell,
        block=block_rank[order],
        bot_indices=seated[order],
        points=points[order].astype(np.float64),
        placement=placement_shares(ranks)[order],
    )


def storage_order(
    connection: sqlite3.Connection, file: Path, cell: Cell
) -> tuple[list[bytes], Ints]:
    """Return the keys of a cell's blocks in the order of `load_results`, and their row ids."""
    ids, keys, *_ = block_columns(connection, file, cell)
    chosen = key_order(keys)
    return [keys[index] for index in chosen.tolist()], ids[chosen]


def number_rows(connection: sqlite3.Connection, query: str, cell: Cell, count: int) -> Floats:
    """Return rows of numbers, which are small enough to be exact as floats."""
    rows = connection.execute(query, (cell.variant, cell.seats))
    return np.fromiter(chain.from_iterable(rows), np.float64).reshape(-1, count)


def parse_games(
    connection: sqlite3.Connection, file: Path, cell: Cell
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return block, seating, ranks and points of each game; many games are parsed in one call."""
    rows = connection.execute(GAMES_QUERY, (cell.variant, cell.seats))
    width = 1 + 3 * cell.seats
    parts = [np.empty((0, width), np.int64)]
    while batch := rows.fetchmany(PARSE_BATCH):
        text = ",".join(
            f"{block},{seating[1:-1]},{ranks[1:-1]},{points[1:-1]}"
            for block, seating, ranks, points in batch
        )
        try:
            parts.append(np.fromstring(text, np.int64, sep=",").reshape(len(batch), width))
        except ValueError as error:
            raise BadRun(f"{file}: a game of {cell} is garbled; see arena verify") from error
    table = np.concatenate(parts)
    seating, ranks, points = (table[:, 1 + cell.seats * n :][:, : cell.seats] for n in range(3))
    return table[:, 0], seating, ranks, points


def placement_shares(ranks: Ints) -> Floats:
    """Return the share of the others that each seat has beaten; a tie counts half."""
    seats = ranks.shape[1]
    beaten = np.zeros(ranks.shape, np.int64)
    for other in range(seats):
        beaten += np.sign(ranks[:, other, None] - ranks) + 1
    share: Floats = (beaten - 1) / (
        2 * (seats - 1)
    )  # each seat ties with itself, which does not count
    return share


def block_columns(
    connection: sqlite3.Connection, file: Path, cell: Cell
) -> tuple[Ints, list[bytes], Ints, Ints]:
    """Return id, key, count of games and number of the blocks of a cell in the order of ids."""
    rows = connection.execute(
        "SELECT id, key, games, number FROM block WHERE variant = ? AND seats = ? ORDER BY id",
        (cell.variant, cell.seats),
    ).fetchall()
    if any(len(row[1]) != KEY_BYTES for row in rows):
        raise BadRun(f"{file}: a block of {cell} has no whole key; see arena verify")
    ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    games = np.fromiter((row[2] for row in rows), np.int64, len(rows))
    numbers = np.fromiter((row[3] for row in rows), np.int64, len(rows))
    return ids, [row[1] for row in rows], games, numbers


def key_order(keys: list[bytes]) -> NDArray[np.intp]:
    """Return the indices that sort the keys."""
    words = np.frombuffer(b"".join(keys), dtype=">u8").reshape(-1, KEY_BYTES // 8)
    return np.lexsort(words.T[::-1])


def bot_numbers(connection: sqlite3.Connection) -> Ints:
    """Return the number of each bot among the run's bots, indexed by row id."""
    rows = connection.execute("SELECT id, number FROM bot").fetchall()
    numbers = np.full(max((bot_id for bot_id, _ in rows), default=0) + 1, -1, np.int64)
    for bot_id, number in rows:
        numbers[bot_id] = number
    return numbers
