"""Courses: the ratings of bots as time went on, each time from all blocks stored so far."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arena.ratings import compiled
from arena.ratings.cell import Cell
from arena.ratings.certainty import WIDTH
from arena.ratings.overall import Rated, Roster, combine, counting, figure
from arena.ratings.propagation import SLOW, Rating, rate
from arena.ratings.results import Floats, Ints, Results
from arena.report.contest import Contest, Night

MOMENTS = 14
"""How often the ratings are worked out."""
NIGHTS = 30
"""So many nights are told of a ladder, the last ones."""
PATIENCE = 10.0
"""Seconds that it may take where ratings are slow; then there are fewer moments, or none."""
LONG = 60.0
"""The same for nights, of which a ladder can keep what is known of them."""
HEAVY = 4.5e-10
"""Seconds that ratings take in a cell, about, for the cube of the number of its bots."""


class Moment(NamedTuple):
    """How the bots stood after some blocks; what is not known is None."""

    blocks: int
    mu: tuple[float | None, ...]
    """For each bot of the run, in the order in which they joined."""
    margin: tuple[float | None, ...]
    night: int | None = None
    """The number of the night that had ended."""
    last: int = 0
    """The number of the last of these blocks, as `Run.stored` has it."""


def courses(roster: Roster, rated: Sequence[Rated], stored: Mapping[Cell, Ints]) -> list[Moment]:
    """How the bots stood from time to time, the last of them now."""
    every = np.sort(np.concatenate([*(stored[one.cell] for one in rated), np.empty(0, np.int64)]))
    count = moments({one.cell: one.results for one in rated})
    sizes = sorted({len(every) * number // count for number in range(1, count + 1)} - {0})
    found = []
    for blocks in sizes:
        last = int(every[blocks - 1])
        some = early(rated, stored, last)
        ratings = [one.rating for one in rated] if blocks == len(every) else fitted(roster, some)
        found.append(Moment(blocks, *told(ratings), last=last))
    return found


def nightly(
    roster: Roster,
    rated: Sequence[Rated],
    stored: Mapping[Cell, Ints],
    contest: Contest,
    known: Sequence[Moment] = (),
) -> list[Moment]:
    """How the bots stood after each of the last nights, in the cells that were played by then.

    What is known from an earlier time is not worked out again, for no game of that night is new.
    """
    earlier = {(one.night, one.last): one for one in known}
    patience = LONG
    found: list[Moment] = []
    for night, last in list(zip(contest.nights, contest.ends, strict=True))[: -NIGHTS - 1 : -1]:
        some = {cell: one for cell, one in early(rated, stored, last).items() if one.blocks}
        blocks = sum(one.blocks for one in some.values())
        if have := earlier.get((night.number, last)):
            found.append(longer(have, len(roster.bots)))
        elif found and found[-1].last == last:  # nothing was played in the night after it
            found.append(found[-1]._replace(night=night.number))
        elif blocks == sum(one.results.blocks for one in rated) > 0:
            ratings = counted_then({one.cell: one.rating for one in rated}, night)
            found.append(Moment(blocks, *told(ratings), night.number, last))
        elif blocks:
            patience -= seconds(some)
            if patience < 0:
                break
            ratings = counted_then(
                dict(zip(sorted(some), fitted(roster, some), strict=True)), night
            )
            found.append(Moment(blocks, *told(ratings), night.number, last))
    return found[::-1]


def moments(results: Mapping[Cell, Results]) -> int:
    """How many moments can be told without keeping anybody waiting; the last is known already."""
    needed = seconds(results)
    return min(MOMENTS, 1 + int(2 * PATIENCE / needed)) if needed else MOMENTS


def seconds(results: Mapping[Cell, Results]) -> float:
    """About how long it takes to rate some blocks."""
    slow = 0.0 if compiled.kernel() else SLOW
    return sum(
        HEAVY * len(np.unique(one.who)) ** 3 + slow * one.blocks * cell.seats
        for cell, one in results.items()
    )


def early(rated: Sequence[Rated], stored: Mapping[Cell, Ints], last: int) -> dict[Cell, Results]:
    """The blocks that were there when the last of them was stored."""
    return {one.cell: one.results.where(stored[one.cell] <= last) for one in rated}


def fitted(roster: Roster, results: Mapping[Cell, Results]) -> list[Rating]:
    """The ratings of some blocks, cell by cell."""
    anchors = [roster.bots.index(one) for one in roster.anchors if one in roster.bots]
    return [
        rate(found, len(roster.bots), roster.standing, anchors, many=1)
        for _, found in sorted(results.items())
    ]


def told(
    ratings: Sequence[Rating],
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Mu and margin of each bot overall, where it has played in all cells."""
    known = np.all([one.played for one in ratings], axis=0)
    mu, sigma = combine(ratings)

    def figures(values: Floats) -> tuple[float | None, ...]:
        return tuple(
            figure(one) if there else None for one, there in zip(values, known, strict=True)
        )

    return figures(mu), figures(WIDTH * sigma)


def counted_then(ratings: Mapping[Cell, Rating], night: Night) -> list[Rating]:
    """The ratings of those cells that were part of the overall rating after a night."""
    if chosen := [one for cell, one in ratings.items() if cell in night.counted]:
        return chosen
    every = list(ratings.values())
    bots = range(len(every[0].mu))
    return [every[place] for place in sorted(counting([one.blocks for one in every], bots))]


def longer(moment: Moment, bots: int) -> Moment:
    """A moment when there were fewer bots: those that joined later are not known."""
    more = (None,) * (bots - len(moment.mu))
    return moment._replace(mu=(*moment.mu, *more), margin=(*moment.margin, *more))
