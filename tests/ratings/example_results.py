"""Results for tests: blocks written down by hand, or any there could be."""

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from arena.ratings.cell import Cell
from arena.ratings.results import Results, SeatedGames

PlayedGames = tuple[Sequence[int], Sequence[Sequence[int]]]
"""A block: who is at the table, and for each of its games the place that each seat holds."""

Row = tuple[Sequence[int], Sequence[int]]
"""Who is at the table, and what each of them made of the only game."""


def make_results(cell: Cell, *rows: Row, faults: int = 0, cpu: int = 500) -> Results:
    """Blocks of one game each; every bot has so many faults, and 10 decisions in each block."""
    shape = (len(rows), cell.seats)
    bot_indices = np.array([row[0] for row in rows], np.int64).reshape(shape)
    points = np.array([row[1] for row in rows], np.float64).reshape(shape)
    more = (points[:, :, None] > points[:, None, :]).sum(axis=2)
    same = (points[:, :, None] == points[:, None, :]).sum(axis=2) - 1
    first = points == points.max(axis=1, keepdims=True, initial=-np.inf)
    return Results(
        cell=cell,
        bot_indices=bot_indices,
        games=np.ones(len(rows), np.int64),
        points=points,
        placement=(more + same / 2) / (cell.seats - 1),
        wins=first / np.maximum(first.sum(axis=1, keepdims=True), 1),
        faults=np.full(shape, faults, np.int64),
        decisions=np.full(shape, 10, np.int64),
        cpu=np.full(shape, cpu, np.int64),
    )


@st.composite
def any_results(draw: st.DrawFn, bots: int) -> Mapping[Cell, Results]:
    """Some cells with few blocks, many ties and bots that never play."""
    cells = st.builds(Cell, st.sampled_from(["sticheln", "stick-em"]), st.integers(3, 4))
    score = st.integers(-2, 2) | st.integers(-(10**6), 10**6)
    found = {}
    for cell in draw(st.sets(cells, max_size=3)):
        playing = draw(st.permutations(range(bots)))[: draw(st.integers(cell.seats, bots))]
        rows = [
            (
                draw(st.permutations(playing))[: cell.seats],
                draw(st.lists(score, min_size=cell.seats, max_size=cell.seats)),
            )
            for _ in range(draw(st.integers(0, 8)))
        ]
        found[cell] = make_results(cell, *rows)
    return found


@st.composite
def any_games(draw: st.DrawFn, bots: int) -> tuple[SeatedGames, list[PlayedGames]]:
    """The games of a cell with any seatings, many ties and bots that never play; and its blocks."""
    cell = draw(st.builds(Cell, st.just("sticheln"), st.integers(3, 4)))
    playing = draw(st.permutations(range(bots)))[: draw(st.integers(cell.seats, bots))]
    seating = st.permutations(range(cell.seats))
    blocks: list[PlayedGames] = [
        (
            draw(st.permutations(playing))[: cell.seats],
            draw(st.lists(seating, min_size=1, max_size=4)),
        )
        for _ in range(draw(st.integers(0, 8)))
    ]
    rows = [[table[place] for place in one] for table, seatings in blocks for one in seatings]
    score = st.integers(-2, 2) | st.integers(-100, 100)
    points = [[draw(score) for _ in row] for row in rows]
    shape = (len(rows), cell.seats)
    return (
        SeatedGames(
            cell=cell,
            block=np.repeat(np.arange(len(blocks)), [len(seatings) for _, seatings in blocks]),
            bot_indices=np.array(rows, np.int64).reshape(shape),
            points=np.array(points, np.float64).reshape(shape),
            placement=np.zeros(shape),
        ),
        blocks,
    )
