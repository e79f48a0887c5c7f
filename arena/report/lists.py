"""Lists: the games of a run in files that the page of games loads one after another."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from arena.ratings.cell import Cell
from arena.report.scripts import assign, call
from arena.store.listing import Game

AT_ONCE = 1000
"""Games in a file: some 60 kB."""


def files(games: int) -> int:
    """How many files the games of a cell take."""
    return -(-games // AT_ONCE)


def index(cells: list[tuple[Cell, int]], bots: list[tuple[str, str]]) -> bytes:
    """What there is: cells with the number of their games, bots with their pages."""
    told = {
        "cells": [[str(cell), games, files(games)] for cell, games in cells],
        "bots": bots,
    }
    return assign("listed", told)


def part(games: Iterable[Game], place: int, number: int, bots: Mapping[str, int]) -> bytes:
    """One file of the games of the cell that is at this place in the index.

    While a run goes on bots may join that the index does not have; they wait for the next one.
    """
    known = (game for game in games if all(name in bots for name in game.bots))
    return call("list", [f"{place}-{number}", [row(game, bots) for game in known]])


def batches(games: Iterator[Game]) -> Iterator[list[Game]]:
    """Games, as many at a time as a file takes."""
    while some := list(islice(games, AT_ONCE)):
        yield some


def row(game: Game, bots: Mapping[str, int]) -> list[object]:
    """A game: its id, and for each seat the bot's number, its score, its rank and its faults."""
    seated = [bots[name] for name in game.bots]
    faults = list(game.faults) if any(game.faults) else 0
    return [game.id, seated, list(game.scores), list(game.ranks), faults]
