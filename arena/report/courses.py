"""Courses: the ratings of a run's bots as it went on, each time from all blocks stored so far."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from arena.ratings import compiled
from arena.ratings.certainty import WIDTH
from arena.ratings.overall import Roster, figure
from arena.ratings.propagation import SLOW, rate
from arena.ratings.results import Cell, Floats, Ints, Results

MOMENTS = 14
"""How often the ratings are worked out."""
PATIENCE = 10.0
"""Seconds that it may take where ratings are slow; then there are fewer moments, or none."""


class Moment(NamedTuple):
    """How the bots stood after some blocks; what is not known is None."""

    blocks: int
    mu: tuple[float | None, ...]
    margin: tuple[float | None, ...]


def courses(
    roster: Roster, results: Mapping[Cell, Results], stored: Mapping[Cell, Ints]
) -> list[Moment]:
    """How the bots stood from time to time, the last of them now."""
    every = np.sort(np.concatenate([*stored.values(), np.empty(0, np.int64)]))
    count = moments(results)
    sizes = sorted({len(every) * number // count for number in range(1, count + 1)} - {0})
    return [moment(roster, results, stored, int(every[blocks - 1]), blocks) for blocks in sizes]


def moments(results: Mapping[Cell, Results]) -> int:
    """How many moments can be told without keeping anybody waiting."""
    if compiled.kernel():
        return MOMENTS
    slow = sum(SLOW * one.blocks * cell.seats for cell, one in results.items())
    return min(MOMENTS, int(2 * PATIENCE / slow)) if slow else MOMENTS


def moment(
    roster: Roster,
    results: Mapping[Cell, Results],
    stored: Mapping[Cell, Ints],
    last: int,
    blocks: int,
) -> Moment:
    """How the bots stood when the last of some blocks was stored."""
    size = len(roster.bots)
    anchors = [roster.bots.index(one) for one in roster.anchors if one in roster.bots]
    ratings = [
        rate(early(found, stored[cell] <= last), size, roster.standing, anchors, many=1)
        for cell, found in sorted(results.items())
        if found.blocks
    ]
    known = np.all([one.played for one in ratings], axis=0)
    mu = np.mean([one.mu for one in ratings], axis=0)
    sigma = np.sqrt(np.sum([one.sigma**2 for one in ratings], axis=0)) / len(ratings)

    def told(values: Floats) -> tuple[float | None, ...]:
        return tuple(
            figure(one) if there else None for one, there in zip(values, known, strict=True)
        )

    return Moment(blocks, told(mu), told(WIDTH * sigma))


def early(results: Results, there: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Results:
    """Only some of the blocks."""
    kept = {
        field.name: getattr(results, field.name)[there]
        for field in fields(results)
        if field.name != "cell"
    }
    return replace(results, **kept)
