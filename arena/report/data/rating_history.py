"""Ratings over time: after parts of a run, or after each night of a ladder."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.ratings import trueskill_numba
from arena.ratings.cell import Cell
from arena.ratings.confidence import TWO_SIDED_Z
from arena.ratings.overall import RatedCell, Roster, combine_ratings, counted_indices, round_figure
from arena.ratings.results import Floats, Ints, Results
from arena.ratings.trueskill import SECONDS_PER_SEAT, CellRating, rate_cell
from arena.report.data.ladder_info import LadderInfo, PublishedNight

MAX_POINTS = 14
"""Points of the history of a run."""
MAX_NIGHTS = 30
"""Nights in the history of a ladder, the last ones."""
TIME_BUDGET = 10.0
"""Seconds that the history may take; if ratings are slow it has fewer points, or one."""
LADDER_TIME_BUDGET = 60.0
"""The same for nights, since a server computes each night only once."""
SECONDS_PER_BOT_CUBED = 4.5e-10
"""Seconds that the ratings of a cell take, about, divided by the cube of its bots."""


class HistoryPoint(NamedTuple):
    """The ratings after some blocks; unknown ratings are None."""

    blocks: int
    mu: tuple[float | None, ...]
    """For each bot of the run, in the order in which they joined."""
    margin: tuple[float | None, ...]
    night: int | None = None
    """The number of the night after which these ratings stood, on a ladder."""
    last_block: int = 0
    """The number of the last of these blocks, as `Run.storage_order` numbers them."""


def run_history(
    roster: Roster, rated: Sequence[RatedCell], block_numbers: Mapping[Cell, Ints]
) -> list[HistoryPoint]:
    """Compute the ratings after equal parts of a run; the last point is the present."""
    numbers = np.sort(
        np.concatenate([*(block_numbers[one.cell] for one in rated), np.empty(0, np.int64)])
    )
    count = affordable_point_count({one.cell: one.results for one in rated})
    block_counts = sorted({len(numbers) * part // count for part in range(1, count + 1)} - {0})
    points = []
    for blocks in block_counts:
        last = int(numbers[blocks - 1])
        results = results_until(rated, block_numbers, last)
        ratings = (
            [one.rating for one in rated]
            if blocks == len(numbers)
            else rate_results(roster, results)
        )
        points.append(HistoryPoint(blocks, *mu_and_margin(ratings), last_block=last))
    return points


def night_history(
    roster: Roster,
    rated: Sequence[RatedCell],
    block_numbers: Mapping[Cell, Ints],
    ladder: LadderInfo,
    known_history: Sequence[HistoryPoint] = (),
) -> list[HistoryPoint]:
    """Compute the ratings after each of the last nights, in the cells that were played by then.

    Points in `known_history` are reused: the games up to the end of a night never change.
    """
    known_points = {(one.night, one.last_block): one for one in known_history}
    seconds_left = LADDER_TIME_BUDGET
    points: list[HistoryPoint] = []
    for night, last in list(zip(ladder.nights, ladder.last_blocks, strict=True))[
        : -MAX_NIGHTS - 1 : -1
    ]:
        results = {
            cell: one
            for cell, one in results_until(rated, block_numbers, last).items()
            if one.blocks
        }
        blocks = sum(one.blocks for one in results.values())
        if known_point := known_points.get((night.number, last)):
            points.append(pad_point(known_point, len(roster.bots)))
        elif points and points[-1].last_block == last:  # nothing was played in the night after it
            points.append(points[-1]._replace(night=night.number))
        elif blocks == sum(one.results.blocks for one in rated) > 0:
            ratings = counted_ratings({one.cell: one.rating for one in rated}, night)
            points.append(HistoryPoint(blocks, *mu_and_margin(ratings), night.number, last))
        elif blocks:
            seconds_left -= estimate_seconds(results)
            if seconds_left < 0:
                break
            ratings = counted_ratings(
                dict(zip(sorted(results), rate_results(roster, results), strict=True)), night
            )
            points.append(HistoryPoint(blocks, *mu_and_margin(ratings), night.number, last))
    return points[::-1]


def affordable_point_count(results: Mapping[Cell, Results]) -> int:
    """The number of points that fit into the time budget; the last one takes no time."""
    needed = estimate_seconds(results)
    return min(MAX_POINTS, 1 + int(2 * TIME_BUDGET / needed)) if needed else MAX_POINTS


def estimate_seconds(results: Mapping[Cell, Results]) -> float:
    """Estimate how long it takes to rate some blocks."""
    slow = 0.0 if trueskill_numba.load_kernel() else SECONDS_PER_SEAT
    return sum(
        SECONDS_PER_BOT_CUBED * len(np.unique(one.bot_indices)) ** 3
        + slow * one.blocks * cell.seats
        for cell, one in results.items()
    )


def results_until(
    rated: Sequence[RatedCell], block_numbers: Mapping[Cell, Ints], last_block: int
) -> dict[Cell, Results]:
    """The results of all blocks up to a number."""
    return {
        one.cell: one.results.select_blocks(block_numbers[one.cell] <= last_block) for one in rated
    }


def rate_results(roster: Roster, results: Mapping[Cell, Results]) -> list[CellRating]:
    """Rate some blocks, cell by cell."""
    anchors = [roster.bots.index(one) for one in roster.anchors if one in roster.bots]
    return [
        rate_cell(cell_results, len(roster.bots), roster.standing, anchors, min_compiled=1)
        for _, cell_results in sorted(results.items())
    ]


def mu_and_margin(
    ratings: Sequence[CellRating],
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """The overall mu and margin of each bot; None for bots that have not played in all cells."""
    known = np.all([one.has_played for one in ratings], axis=0)
    mu, sigma = combine_ratings(ratings)

    def figures(values: Floats) -> tuple[float | None, ...]:
        return tuple(
            round_figure(one) if is_known else None
            for one, is_known in zip(values, known, strict=True)
        )

    return figures(mu), figures(TWO_SIDED_Z * sigma)


def counted_ratings(ratings: Mapping[Cell, CellRating], night: PublishedNight) -> list[CellRating]:
    """The ratings of the cells that counted in the overall rating after a night."""
    if counted := [one for cell, one in ratings.items() if cell in night.counted_cells]:
        return counted
    all_ratings = list(ratings.values())
    bots = range(len(all_ratings[0].mu))
    return [
        all_ratings[index]
        for index in sorted(counted_indices([one.blocks for one in all_ratings], bots))
    ]


def pad_point(point: HistoryPoint, bots: int) -> HistoryPoint:
    """Add unknown ratings for the bots that joined after a point."""
    padding = (None,) * (bots - len(point.mu))
    return point._replace(mu=(*point.mu, *padding), margin=(*point.margin, *padding))
