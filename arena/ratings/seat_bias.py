"""The effects of the seat and of the neighbour on the left on placement."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.ratings.points import t_quantile
from arena.ratings.results import Floats, Ints, SeatedGames


@dataclass(frozen=True, eq=False)
class SeatBias:
    """The mean placement in each seat less a half."""

    effect: Floats
    margin: Floats
    """Half the width of the 95 % interval; 0 if it is not known."""
    has_interval: bool
    """Whether there are enough blocks for an interval."""
    games: int


@dataclass(frozen=True, eq=False)
class NeighbourBias:
    """The effect on the placement of each bot, a row, of another bot on its left, a column.

    Left is the next seat clockwise; left of the last seat is the first. Games with the other on
    the left are compared with all games of the two at one table.
    """

    effect: Floats
    margin: Floats
    """Half the width of the 95 % interval; 0 if it is not known."""
    has_interval: NDArray[np.bool_]
    """Whether they met in enough blocks for an interval."""
    games: Ints
    """How many games they sat next to each other in this way."""


def seat_effects(seatings: SeatedGames) -> SeatBias:
    """Measure the effect of each seat; the games of a block are one cluster."""
    games, seats = seatings.placement.shape
    if not games:
        return SeatBias(np.zeros(seats), np.zeros(seats), has_interval=False, games=0)
    effect = seatings.placement.mean(axis=0) - 0.5
    blocks = int(seatings.block.max()) + 1
    residuals = seatings.placement - 0.5 - effect
    sums = np.stack([np.bincount(seatings.block, column, blocks) for column in residuals.T])
    several = max(blocks - 1, 1)
    error = np.sqrt((sums**2).sum(axis=1) * blocks / several) / games
    return SeatBias(effect, t_quantile(blocks) * error, has_interval=blocks > 1, games=games)


def neighbour_effects(seatings: SeatedGames, bot_count: int) -> NeighbourBias:
    """Measure the effect of the left neighbour; the games of a block are one cluster."""
    meetings = find_meetings(seatings, bot_count)
    pairs = meetings.pair

    def total(values: Floats) -> Floats:
        """Add up values over the meetings of each pair of bots."""
        return np.asarray(np.bincount(pairs, values, bot_count * bot_count), np.float64)

    games, met = total(meetings.beside), total(meetings.games)
    some, many = np.maximum(games, 1), np.maximum(met, 1)
    beside_mean = total(meetings.beside_sum) / some
    overall_mean = total(meetings.games_sum) / many
    influence = (meetings.beside_sum - meetings.beside * beside_mean[pairs]) / some[pairs]
    influence -= (meetings.games_sum - meetings.games * overall_mean[pairs]) / many[pairs]
    clusters = total(np.minimum(meetings.beside, 1))
    scale = clusters / np.maximum(clusters - 1, 1)
    widths = np.array([t_quantile(number) for number in range(100)])
    width = widths[np.minimum(clusters, len(widths) - 1).astype(np.int64)]
    square = (bot_count, bot_count)
    return NeighbourBias(
        effect=np.where(games > 0, beside_mean - overall_mean, 0.0).reshape(square),
        margin=(width * np.sqrt(scale * total(influence**2))).reshape(square),
        has_interval=(clusters > 1).reshape(square),
        games=games.astype(np.int64).reshape(square),
    )


@dataclass(frozen=True, eq=False)
class Meetings:
    """Two bots in one block, once for each of them; all arrays have one dimension."""

    pair: Ints
    """The number of the first bot times the number of all bots, plus that of the second."""
    games: Floats
    """Games of the block."""
    games_sum: Floats
    """The placement of the first bot, summed over these."""
    beside: Floats
    """Games with the second bot on the left of the first."""
    beside_sum: Floats
    """The placement of the first bot, summed over these."""


def find_meetings(seatings: SeatedGames, bot_count: int) -> Meetings:
    """Return all meetings; the place of a bot is its index among the bots of its block."""
    seats = seatings.bot_indices.shape[1]
    blocks = int(seatings.block.max(initial=-1)) + 1
    seat = np.argsort(seatings.bot_indices, axis=1, kind="stable")
    on_left = np.take_along_axis(np.argsort(seat, axis=1), (seat + 1) % seats, axis=1)
    placement = np.take_along_axis(seatings.placement, seat, axis=1)
    table = np.zeros((blocks, seats), np.int64)
    table[seatings.block] = np.take_along_axis(seatings.bot_indices, seat, axis=1)
    places = seatings.block[:, None] * seats + np.arange(seats)
    neighbours = (places * seats + on_left).ravel()
    apart = ~np.eye(seats, dtype=np.bool_)

    def repeat_for_pairs(values: Floats | Ints) -> Floats:
        """Repeat the values of blocks, or of their places, for each pair of places."""
        return np.broadcast_to(values, (blocks, seats, seats))[:, apart].ravel().astype(np.float64)

    def sum_by_index(index: Ints, values: Floats, shape: tuple[int, ...]) -> Floats:
        """Add up values by index."""
        sums = np.bincount(index, values.ravel(), math.prod(shape))
        return np.asarray(sums.reshape(shape), np.float64)

    square = (blocks, seats, seats)
    ones = np.ones(placement.shape)
    return Meetings(
        pair=repeat_for_pairs(table[:, :, None] * bot_count + table[:, None, :]).astype(np.int64),
        games=repeat_for_pairs(np.bincount(seatings.block, minlength=blocks)[:, None, None]),
        games_sum=repeat_for_pairs(sum_by_index(places.ravel(), placement, (blocks, seats, 1))),
        beside=repeat_for_pairs(sum_by_index(neighbours, ones, square)),
        beside_sum=repeat_for_pairs(sum_by_index(neighbours, placement, square)),
    )
