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
"""Blocks in a file, about: some 200 kB."""


def prefix_length(blocks: int) -> int:
    """How many digits of a block's key tell its file, where there are so many blocks."""
    count = 1
    while blocks > BLOCKS_PER_PACK * 16**count:
        count += 1
    return count


def pack_prefixes(length: int) -> Iterator[str]:
    """What the files are called, where so many digits tell them."""
    for number in range(16**length):
        yield f"{number:0{length}x}"


def pack_file(run: Run, prefix: str, *, hide_stderr: bool = False) -> bytes:
    """The blocks whose keys begin so, as a script; what bots wrote to stderr may be hidden."""
    faulty = run.faulty_blocks(prefix) if hide_stderr else frozenset[bytes]()
    parts = [b"Stichkampf.pack({"]
    for key, games in run.packed_games(prefix):
        shown = without_stderr(games) if key in faulty else games
        comma = b"," if len(parts) > 1 else b""
        parts += [comma, f'"{key.hex()}":"'.encode(), base64.b64encode(shown), b'"']
    return b"".join([*parts, b"});\n"])


def without_stderr(games: bytes) -> bytes:
    """Packed games without what bots wrote to stderr."""
    return block.pack_games(map(block.without_stderr, block.unpack_games(games)))


def assign_script(name: str, value: object) -> bytes:
    """A script that sets a value for others to find."""
    return f"(globalThis.Stichkampf ??= {{}}).{name} = {json_literal(value)};\n".encode()


def call_script(name: str, value: object) -> bytes:
    """A script that hands a value to who has asked for it."""
    return f"Stichkampf.{name}({json_literal(value)});\n".encode()


def json_literal(value: object) -> str:
    """A value, written as a text that is parsed."""
    return f"JSON.parse({msgspec.json.encode(to_json(value)).decode()})"


GAMES_PER_LIST = 1000
"""Games in a file: some 60 kB."""


def list_count(games: int) -> int:
    """How many files the games of a cell take."""
    return -(-games // GAMES_PER_LIST)


def list_index(cells: list[tuple[Cell, int]], bots: list[tuple[str, str]]) -> bytes:
    """What there is: cells with the number of their games, bots with their pages."""
    told = {
        "cells": [[str(cell), games, list_count(games)] for cell, games in cells],
        "bots": bots,
    }
    return assign_script("listed", told)


def list_file(games: Iterable[GameRow], place: int, number: int, bots: Mapping[str, int]) -> bytes:
    """One file of the games of the cell that is at this place in the index.

    While a run goes on bots may join that the index does not have; they wait for the next one.
    """
    known = (game for game in games if all(name in bots for name in game.bots))
    return call_script("list", [f"{place}-{number}", [game_row(game, bots) for game in known]])


def split_games(games: Iterator[GameRow]) -> Iterator[list[GameRow]]:
    """Games, as many at a time as a file takes."""
    while some := list(islice(games, GAMES_PER_LIST)):
        yield some


def game_row(game: GameRow, bots: Mapping[str, int]) -> list[object]:
    """A game: its id, and for each seat the bot's number, its score, its rank and its faults."""
    seated = [bots[name] for name in game.bots]
    faults = list(game.faults) if any(game.faults) else 0
    return [game.id, seated, list(game.scores), list(game.ranks), faults]
