"""Ratings over time: after parts of a run, or after each night of a ladder."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.ratings import trueskill_numba
from arena.ratings.cell import Cell
from arena.ratings.confidence import TWO_SIDED_Z
from arena.ratings.overall import RatedCell, Roster, combine_ratings, counting_indices, round_figure
from arena.ratings.results import Floats, Ints, Results
from arena.ratings.trueskill import SECONDS_PER_SEAT, CellRating, rate
from arena.report.data.ladder_info import LadderInfo, NightSummary

MAX_POINTS = 14
"""How often the ratings are worked out."""
NIGHTS = 30
"""So many nights are told of a ladder, the last ones."""
TIME_BUDGET = 10.0
"""Seconds that it may take where ratings are slow; then there are fewer moments, or none."""
LADDER_TIME_BUDGET = 60.0
"""The same for nights, of which a ladder can keep what is known of them."""
SECONDS_PER_BOT_CUBED = 4.5e-10
"""Seconds that ratings take in a cell, about, for the cube of the number of its bots."""


class HistoryPoint(NamedTuple):
    """How the bots stood after some blocks; what is not known is None."""

    blocks: int
    mu: tuple[float | None, ...]
    """For each bot of the run, in the order in which they joined."""
    margin: tuple[float | None, ...]
    night: int | None = None
    """The number of the night that had ended."""
    last_block: int = 0
    """The number of the last of these blocks, as `Run.stored` has it."""


def run_history(
    roster: Roster, rated: Sequence[RatedCell], stored: Mapping[Cell, Ints]
) -> list[HistoryPoint]:
    """How the bots stood from time to time, the last of them now."""
    every = np.sort(np.concatenate([*(stored[one.cell] for one in rated), np.empty(0, np.int64)]))
    count = point_count({one.cell: one.results for one in rated})
    sizes = sorted({len(every) * number // count for number in range(1, count + 1)} - {0})
    found = []
    for blocks in sizes:
        last = int(every[blocks - 1])
        some = results_until(rated, stored, last)
        ratings = (
            [one.rating for one in rated] if blocks == len(every) else rate_results(roster, some)
        )
        found.append(HistoryPoint(blocks, *mu_and_margin(ratings), last_block=last))
    return found


def night_history(
    roster: Roster,
    rated: Sequence[RatedCell],
    stored: Mapping[Cell, Ints],
    ladder: LadderInfo,
    known_history: Sequence[HistoryPoint] = (),
) -> list[HistoryPoint]:
    """How the bots stood after each of the last nights, in the cells that were played by then.

    What is known from an earlier time is not worked out again, for no game of that night is new.
    """
    earlier = {(one.night, one.last_block): one for one in known_history}
    patience = LADDER_TIME_BUDGET
    found: list[HistoryPoint] = []
    for night, last in list(zip(ladder.nights, ladder.last_blocks, strict=True))[
        : -NIGHTS - 1 : -1
    ]:
        some = {cell: one for cell, one in results_until(rated, stored, last).items() if one.blocks}
        blocks = sum(one.blocks for one in some.values())
        if have := earlier.get((night.number, last)):
            found.append(pad_point(have, len(roster.bots)))
        elif found and found[-1].last_block == last:  # nothing was played in the night after it
            found.append(found[-1]._replace(night=night.number))
        elif blocks == sum(one.results.blocks for one in rated) > 0:
            ratings = counted_ratings({one.cell: one.rating for one in rated}, night)
            found.append(HistoryPoint(blocks, *mu_and_margin(ratings), night.number, last))
        elif blocks:
            patience -= estimate_seconds(some)
            if patience < 0:
                break
            ratings = counted_ratings(
                dict(zip(sorted(some), rate_results(roster, some), strict=True)), night
            )
            found.append(HistoryPoint(blocks, *mu_and_margin(ratings), night.number, last))
    return found[::-1]


def point_count(results: Mapping[Cell, Results]) -> int:
    """How many moments can be told without keeping anybody waiting; the last is known already."""
    needed = estimate_seconds(results)
    return min(MAX_POINTS, 1 + int(2 * TIME_BUDGET / needed)) if needed else MAX_POINTS


def estimate_seconds(results: Mapping[Cell, Results]) -> float:
    """About how long it takes to rate some blocks."""
    slow = 0.0 if trueskill_numba.load_kernel() else SECONDS_PER_SEAT
    return sum(
        SECONDS_PER_BOT_CUBED * len(np.unique(one.who)) ** 3 + slow * one.blocks * cell.seats
        for cell, one in results.items()
    )


def results_until(
    rated: Sequence[RatedCell], stored: Mapping[Cell, Ints], last_block: int
) -> dict[Cell, Results]:
    """The blocks that were there when the last of them was stored."""
    return {one.cell: one.results.where(stored[one.cell] <= last_block) for one in rated}


def rate_results(roster: Roster, results: Mapping[Cell, Results]) -> list[CellRating]:
    """The ratings of some blocks, cell by cell."""
    anchors = [roster.bots.index(one) for one in roster.anchors if one in roster.bots]
    return [
        rate(found, len(roster.bots), roster.standing, anchors, min_compiled=1)
        for _, found in sorted(results.items())
    ]


def mu_and_margin(
    ratings: Sequence[CellRating],
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Mu and margin of each bot overall, where it has played in all cells."""
    known = np.all([one.played for one in ratings], axis=0)
    mu, sigma = combine_ratings(ratings)

    def figures(values: Floats) -> tuple[float | None, ...]:
        return tuple(
            round_figure(one) if there else None for one, there in zip(values, known, strict=True)
        )

    return figures(mu), figures(TWO_SIDED_Z * sigma)


def counted_ratings(ratings: Mapping[Cell, CellRating], night: NightSummary) -> list[CellRating]:
    """The ratings of those cells that were part of the overall rating after a night."""
    if chosen := [one for cell, one in ratings.items() if cell in night.counted_cells]:
        return chosen
    every = list(ratings.values())
    bots = range(len(every[0].mu))
    return [every[place] for place in sorted(counting_indices([one.blocks for one in every], bots))]


def pad_point(point: HistoryPoint, bots: int) -> HistoryPoint:
    """A moment when there were fewer bots: those that joined later are not known."""
    more = (None,) * (bots - len(point.mu))
    return point._replace(mu=(*point.mu, *more), margin=(*point.margin, *more))
