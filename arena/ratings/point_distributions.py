"""Distributions of each bot's points and placements, and the share of luck."""

from dataclasses import dataclass

import numpy as np

from arena.ratings.points import centre_rows
from arena.ratings.results import Floats, Ints, SeatedGames

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MAX_BINS = 40
"""Limit for the bins of a histogram, which are the same for all bots of a cell."""


@dataclass(frozen=True, eq=False)
class PointDistribution:
    """The points in a game less the mean of the table; a row is a bot of the run.

    The row of a bot that has not played has zeros.
    """

    games: Ints
    mean: Floats
    deviation: Floats
    quantiles: Floats
    """One column for each of `QUANTILES`."""
    edges: Floats
    """The start of each bin of the histogram, and the end of the last one."""
    histogram: Ints
    """Games in each bin."""
    placements: Floats
    """Games at each rank, from the first; a tie of two counts half for either rank."""
    luck: float | None
    """The share of the variance of points, bots aside, that comes from the cards, if known."""


def measure_distributions(seatings: SeatedGames, bot_count: int) -> PointDistribution:
    """Measure the distributions of so many bots."""
    seats = seatings.bot_indices.shape[1]
    bot_indices, centred = seatings.bot_indices.ravel(), centre_rows(seatings.points).ravel()
    games = np.bincount(bot_indices, minlength=bot_count)
    order = np.argsort(bot_indices, kind="stable")
    own = np.split(centred[order], np.cumsum(games)[:-1])
    edges = bin_edges(centred)
    count = len(edges) - 1
    slots = np.clip(np.searchsorted(edges, centred, side="right") - 1, 0, count - 1)
    half_ranks = np.rint((1 - seatings.placement.ravel()) * 2 * (seats - 1)).astype(np.int64)
    placements = np.zeros((bot_count, seats))
    for side in (half_ranks // 2, (half_ranks + 1) // 2):
        placements += (
            np.bincount(bot_indices * seats + side, minlength=bot_count * seats).reshape(
                bot_count, -1
            )
            / 2
        )
    return PointDistribution(
        games=games,
        mean=np.array([values.mean() if len(values) else 0.0 for values in own]),
        deviation=np.array([values.std(ddof=1) if len(values) > 1 else 0.0 for values in own]),
        quantiles=np.array(
            [np.quantile(values, QUANTILES) if len(values) else np.zeros(5) for values in own]
        ),
        edges=edges,
        histogram=np.bincount(bot_indices * count + slots, minlength=bot_count * count).reshape(
            bot_count, count
        ),
        placements=placements,
        luck=luck_share(seatings),
    )


def bin_edges(values: Floats) -> Floats:
    """Return edges at round numbers for at most `MAX_BINS` bins of one width."""
    least, most = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    width = 1.0
    for width in (step * 10.0**power for power in range(9) for step in (1, 2, 5)):
        if np.floor(most / width) - np.floor(least / width) < MAX_BINS:
            break
    return width * np.arange(np.floor(least / width), np.floor(most / width) + 2)


def luck_share(seatings: SeatedGames) -> float | None:
    """Estimate which share of the variance of points, bots aside, comes from a seat's cards.

    A block deals the same cards to every bot. The variance of its points is divided into the parts
    of bot, seat and rest, as in a Latin square; this needs blocks with more than two games that
    seat every bot equally often in every seat.
    """
    games, seats = seatings.bot_indices.shape
    if not games:
        return None
    blocks = int(seatings.block.max()) + 1
    length = np.bincount(seatings.block, minlength=blocks)
    centred = centre_rows(seatings.points)
    place = np.argsort(np.argsort(seatings.bot_indices, axis=1, kind="stable"), axis=1)
    first = seatings.block[:, None] * seats
    met = np.bincount(
        ((first + place) * seats + np.arange(seats)).ravel(), minlength=blocks * seats * seats
    ).reshape(blocks, -1)
    usable = (met == (length / seats)[:, None]).all(axis=1) & (length > 2)
    if not usable.any():
        return None

    def squares(index: Ints) -> Floats:
        """Return for each block the sum of squares of the means by index."""
        sums = np.bincount((first + index).ravel(), centred.ravel(), blocks * seats)
        return np.asarray((sums.reshape(blocks, seats) ** 2).sum(axis=1) / length, np.float64)

    total = np.bincount(seatings.block, (centred**2).sum(axis=1), blocks)
    hand = squares(np.broadcast_to(np.arange(seats), place.shape))
    rest = (total - hand - squares(place))[usable].sum()
    rest /= ((seats - 1) * (length[usable] - 2)).sum()
    cards = hand[usable].sum() / (seats - 1) / usable.sum() - rest
    cards = max(0.0, cards / length[usable].mean())
    return float(cards / (cards + rest)) if cards + rest > 0 else None
