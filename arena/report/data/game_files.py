"""JavaScript files that carry the game lists and game records of a report."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import msgspec

from arena.ratings.cell import Cell
from arena.sanitize import to_json
from arena.store import block
from arena.store.run import Run
from arena.store.search import GameRow

BLOCKS_PER_PACK = 40
"""Blocks in a pack, about; a pack has some 200 kB."""
GAMES_PER_LIST = 1000
"""Games in a list, which then has some 60 kB."""


def pack_prefix_length(blocks: int) -> int:
    """The number of digits of a block's key that name its pack, in a run of so many blocks."""
    count = 1
    while blocks > BLOCKS_PER_PACK * 16**count:
        count += 1
    return count


def pack_prefixes(length: int) -> Iterator[str]:
    """The names of all packs, for prefixes of this length."""
    for number in range(16**length):
        yield f"{number:0{length}x}"


def pack_file(run: Run, prefix: str, *, hide_stderr: bool = False) -> bytes:
    """Build a pack: a script with the blocks whose keys begin with a prefix."""
    faulty = run.faulty_blocks(prefix) if hide_stderr else frozenset[bytes]()
    parts = [b"Stichkampf.pack({"]
    for key, games in run.packed_games(prefix):
        published = without_stderr(games) if key in faulty else games
        comma = b"," if len(parts) > 1 else b""
        parts += [comma, f'"{key.hex()}":"'.encode(), base64.b64encode(published), b'"']
    return b"".join([*parts, b"});\n"])


def without_stderr(games: bytes) -> bytes:
    """Remove stderr of bots from packed games."""
    return block.pack_games(map(block.without_stderr, block.unpack_games(games)))


def assignment_script(name: str, value: object) -> bytes:
    """A script that stores a value under a name for other scripts."""
    return f"(globalThis.Stichkampf ??= {{}}).{name} = {json_literal(value)};\n".encode()


def callback_script(name: str, value: object) -> bytes:
    """A script that passes a value to the function that has requested it."""
    return f"Stichkampf.{name}({json_literal(value)});\n".encode()


def json_literal(value: object) -> str:
    """A value as an expression that parses JSON."""
    return f"JSON.parse({msgspec.json.encode(to_json(value)).decode()})"


def game_list_count(games: int) -> int:
    """The number of lists that the games of a cell fill."""
    return -(-games // GAMES_PER_LIST)


def game_list_index(cells: list[tuple[Cell, int]], bots: list[tuple[str, str]]) -> bytes:
    """Build the index of the lists: cells with their games and lists, bots with their pages."""
    index = {
        "cells": [[str(cell), games, game_list_count(games)] for cell, games in cells],
        "bots": bots,
    }
    return assignment_script("listed", index)


def game_list_file(
    games: Iterable[GameRow], cell_index: int, number: int, bots: Mapping[str, int]
) -> bytes:
    """Build one list of games of the cell at this position of the index.

    Bots that joined the run after the index was built are in the next site.
    """
    known = (game for game in games if all(name in bots for name in game.bots))
    return callback_script(
        "list", [f"{cell_index}-{number}", [game_list_entry(game, bots) for game in known]]
    )


def split_into_lists(games: Iterator[GameRow]) -> Iterator[list[GameRow]]:
    """Split games into the parts that the lists have."""
    while part := list(islice(games, GAMES_PER_LIST)):
        yield part


def game_list_entry(game: GameRow, bots: Mapping[str, int]) -> list[object]:
    """A game in a list: id, then bots, scores, ranks and faults by seat."""
    seated = [bots[name] for name in game.bots]
    faults = list(game.faults) if any(game.faults) else 0
    return [game.id, seated, list(game.scores), list(game.ranks), faults]
