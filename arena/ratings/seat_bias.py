"""The effect of the seat, and of the neighbour on the left, on placement."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.ratings.points import t_quantile
from arena.ratings.results import Floats, Ints, SeatedGames


@dataclass(frozen=True, eq=False)
class SeatBias:
    """Mean placement in each seat less a half, whoever sits there."""

    effect: Floats
    margin: Floats
    """Half the width of the 95 % interval; 0 if it is not known."""
    has_interval: bool
    """Whether there are blocks enough for an interval."""
    games: int


@dataclass(frozen=True, eq=False)
class NeighbourBias:
    """For each bot, a row, and each other on its left, a column: what that does to its placement.

    Left is the next seat clockwise, and the first seat for who sits in the last. Games with the
    other on the left are compared with all that the two have at one table.
    """

    effect: Floats
    margin: Floats
    """Half the width of the 95 % interval; 0 if it is not known."""
    has_interval: NDArray[np.bool_]
    """Whether they met in blocks enough for an interval."""
    games: Ints
    """How many games they sat so."""


def seat_effects(seatings: SeatedGames) -> SeatBias:
    """What each seat is worth; games of a block are one cluster."""
    games, seats = seatings.placement.shape
    if not games:
        return SeatBias(np.zeros(seats), np.zeros(seats), has_interval=False, games=0)
    effect = seatings.placement.mean(axis=0) - 0.5
    blocks = int(seatings.block.max()) + 1
    left = seatings.placement - 0.5 - effect
    sums = np.stack([np.bincount(seatings.block, column, blocks) for column in left.T])
    several = max(blocks - 1, 1)
    error = np.sqrt((sums**2).sum(axis=1) * blocks / several) / games
    return SeatBias(effect, t_quantile(blocks) * error, has_interval=blocks > 1, games=games)


def neighbour_effects(seatings: SeatedGames, bots: int) -> NeighbourBias:
    """What it does to each of so many bots who is on its left; games of a block are one cluster."""
    meetings = find_meetings(seatings, bots)
    pairs = meetings.pair

    def total(values: Floats) -> Floats:
        """The sum over all meetings of each pair of bots."""
        return np.asarray(np.bincount(pairs, values, bots * bots), np.float64)

    games, met = total(meetings.beside), total(meetings.games)
    some, many = np.maximum(games, 1), np.maximum(met, 1)
    mean, middle = total(meetings.beside_sum) / some, total(meetings.games_sum) / many
    influence = (meetings.beside_sum - meetings.beside * mean[pairs]) / some[pairs]
    influence -= (meetings.games_sum - meetings.games * middle[pairs]) / many[pairs]
    clusters = total(np.minimum(meetings.beside, 1))
    scale = clusters / np.maximum(clusters - 1, 1)
    widths = np.array([t_quantile(number) for number in range(100)])
    wide = widths[np.minimum(clusters, len(widths) - 1).astype(np.int64)]
    square = (bots, bots)
    return NeighbourBias(
        effect=np.where(games > 0, mean - middle, 0.0).reshape(square),
        margin=(wide * np.sqrt(scale * total(influence**2))).reshape(square),
        has_interval=(clusters > 1).reshape(square),
        games=games.astype(np.int64).reshape(square),
    )


@dataclass(frozen=True, eq=False)
class Meetings:
    """Two bots in one block, once for each of them; one dimension everywhere."""

    pair: Ints
    """The number of the one times all bots, plus that of the other."""
    games: Floats
    """Games of the block, and what the one made of them."""
    games_sum: Floats
    beside: Floats
    """Those games with the other on its left, and what the one made of those."""
    beside_sum: Floats


def find_meetings(seatings: SeatedGames, bots: int) -> Meetings:
    """All meetings, whichever seats the bots had; a place is a bot's among those of its block."""
    seats = seatings.who.shape[1]
    blocks = int(seatings.block.max(initial=-1)) + 1
    seat = np.argsort(seatings.who, axis=1, kind="stable")
    on_left = np.take_along_axis(np.argsort(seat, axis=1), (seat + 1) % seats, axis=1)
    placement = np.take_along_axis(seatings.placement, seat, axis=1)
    table = np.zeros((blocks, seats), np.int64)
    table[seatings.block] = np.take_along_axis(seatings.who, seat, axis=1)
    places = seatings.block[:, None] * seats + np.arange(seats)
    spots = (places * seats + on_left).ravel()
    apart = ~np.eye(seats, dtype=np.bool_)

    def spread(values: Floats | Ints) -> Floats:
        """A value for each block, or each place of it, for each two places."""
        return np.broadcast_to(values, (blocks, seats, seats))[:, apart].ravel().astype(np.float64)

    def summed(index: Ints, values: Floats, shape: tuple[int, ...]) -> Floats:
        """The sum of values by where they belong."""
        sums = np.bincount(index, values.ravel(), math.prod(shape))
        return np.asarray(sums.reshape(shape), np.float64)

    square = (blocks, seats, seats)
    ones = np.ones(placement.shape)
    return Meetings(
        pair=spread(table[:, :, None] * bots + table[:, None, :]).astype(np.int64),
        games=spread(np.bincount(seatings.block, minlength=blocks)[:, None, None]),
        games_sum=spread(summed(places.ravel(), placement, (blocks, seats, 1))),
        beside=spread(summed(spots, ones, square)),
        beside_sum=spread(summed(spots, placement, square)),
    )
