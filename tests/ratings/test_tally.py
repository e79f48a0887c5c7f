"""What is counted."""

import numpy as np

from arena.ratings.cell import Cell
from arena.ratings.tally import tally
from tests.ratings.blocks import results

CELL = Cell("sticheln", 3)


def test_a_count_by_hand() -> None:
    found = tally(results(CELL, ([0, 1, 2], [9, 5, 5]), ([3, 1, 0], [1, 2, 3]), faults=2), 5)
    assert found.blocks.tolist() == [2, 2, 1, 1, 0]
    assert found.games.tolist() == [2, 2, 1, 1, 0]
    assert found.placement.tolist() == [1.0, (0.25 + 0.5) / 2, 0.25, 0.0, 0.0]
    assert found.wins.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert found.faults.tolist() == [4, 4, 2, 2, 0]
    assert found.decisions.tolist() == [20, 20, 10, 10, 0]
    assert found.cpu.tolist() == [1000, 1000, 500, 500, 0]


def test_who_ties_for_the_first_rank_shares_it() -> None:
    found = tally(results(CELL, ([0, 1, 2], [7, 7, 1])), 3)
    assert found.wins.tolist() == [0.5, 0.5, 0.0]


def test_no_blocks() -> None:
    found = tally(results(CELL), 4)
    assert not np.any([found.blocks, found.games, found.placement, found.wins, found.cpu])
