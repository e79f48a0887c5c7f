"""Extremes: the games in which a bot did best and worst, against the others at its table."""

from typing import NamedTuple

import numpy as np

from arena.ratings.cell import Cell
from arena.ratings.points import centre
from arena.ratings.results import Seatings
from arena.store.listing import game_id

MOST = 5
"""Games of each kind that are kept of a bot."""


class Outstanding(NamedTuple):
    """A game that a bot did well or badly in."""

    weight: float
    """How many deviations it is above the mean of its table, so that variants can be compared."""
    game: str
    cell: Cell
    seat: int
    points: int
    above: float
    """Points above the mean of the table."""


def outstanding(seatings: Seatings, keys: list[bytes], bots: int) -> list[list[Outstanding]]:
    """For each bot its best games of a cell and its worst, the best first."""
    games, seats = seatings.who.shape
    above = centre(seatings.points)
    scale = max(float(above.std()), 1e-9) if games else 1.0
    turn = np.arange(games) - np.searchsorted(seatings.block, seatings.block)
    flat, who = above.ravel(), seatings.who.ravel()
    order = np.lexsort((flat, who))
    ends = np.cumsum(np.bincount(who, minlength=bots))

    def tell(place: int) -> Outstanding:
        game, seat = divmod(place, seats)
        return Outstanding(
            flat[place] / scale,
            game_id(keys[seatings.block[game]], int(turn[game])),
            seatings.cell,
            seat,
            int(seatings.points[game, seat]),
            float(flat[place]),
        )

    found = []
    for bot in range(bots):
        own = order[ends[bot - 1] if bot else 0 : ends[bot]][::-1]
        chosen = own if len(own) <= 2 * MOST else np.concatenate([own[:MOST], own[-MOST:]])
        found.append([tell(int(place)) for place in chosen])
    return found


def best(found: list[Outstanding]) -> list[Outstanding]:
    """The best games of all cells."""
    return sorted((one for one in found if one.above > 0), reverse=True)[:MOST]


def worst(found: list[Outstanding]) -> list[Outstanding]:
    """The worst games of all cells."""
    return sorted(one for one in found if one.above < 0)[:MOST]
