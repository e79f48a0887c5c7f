"""Stages: not too many, not too soon, and together everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.cell import Cell
from arena.ratings.results import Results
from arena.tournaments.plan.stages import (
    MIN_BLOCKS,
    BlockStages,
    TableStages,
    balanced_table_count,
    divide_cell,
    stage_range,
    visited_tables,
)

few = st.integers(1, 200)


@given(few, few, st.sampled_from([1, 2, 3, 5, 7]), st.integers(1, 10))
def test_stages_cover_every_block_once(tables: int, deals: int, size: int, count: int) -> None:
    cuts = divide_cell(tables, deals, size)
    played = [
        (table, block)
        for number in range(count)
        for indices, blocks in [cuts.stage_ranges(number, count)]
        for table in indices
        for block in blocks
    ]
    assert sorted(played) == [(table, block) for table in range(tables) for block in range(deals)]


@given(few, few, st.sampled_from([1, 2, 3, 5, 7]), st.integers(2, 10))
def test_no_look_is_too_soon_or_in_the_middle_of_a_design(
    tables: int, deals: int, size: int, count: int
) -> None:
    cuts = divide_cell(tables, deals, size)
    indices, blocks = cuts.stage_ranges(0, count)
    assert len(indices) * len(blocks) >= min(MIN_BLOCKS, tables * deals)
    for number in range(count):
        _, blocks = cuts.stage_ranges(number, count)
        assert blocks.stop % size == 0 or blocks.stop == deals


@given(few, few, st.integers(1, 10), st.data())
def test_a_whole_is_spread_evenly(whole: int, first: int, count: int, data: st.DataObject) -> None:
    first = min(first, whole)
    parts = [stage_range(whole, first, number, count) for number in range(count)]
    assert [at for part in parts for at in part] == list(range(whole))
    assert len(parts[0]) >= first
    later = [len(part) for part in parts[1:]]
    assert not later or max(later) - min(later) <= 1
    del data


@pytest.mark.parametrize(
    ("tables", "deals", "size", "looks"),
    [
        (15, 12, 3, 4),  # 45 blocks after the first round of the design
        (1, 12, 3, 1),  # 12 blocks are too few for any look but the last
        (5, 12, 3, 3),  # 30 blocks are there after two rounds
        (60, 3, 3, 51),  # one round: it is looked at between tables
        (1, 300, 1, 271),
    ],
)
def test_the_largest_number_of_stages(tables: int, deals: int, size: int, looks: int) -> None:
    assert divide_cell(tables, deals, size).max_stages == looks


def test_cuts_between_stages() -> None:
    assert divide_cell(15, 12, 3) == BlockStages(15, 1, 12, 3)
    assert divide_cell(15, 12, 3).stage_ranges(1, 4) == (range(15), range(3, 6))
    assert divide_cell(60, 3, 3) == TableStages(60, 10, 3)
    assert divide_cell(60, 3, 3).stage_ranges(0, 10) == (range(10), range(3))


@pytest.mark.parametrize(
    ("tables", "bots", "seats", "deals", "wanted"),
    [
        (100, 6, 4, 12, 20),  # a fifth
        (20, 10, 3, 12, 15),  # all pairs once
        (20, 6, 4, 3, 10),  # thirty blocks
        (4, 10, 3, 12, 4),  # there are no more
    ],
)
def test_the_number_of_balanced_tables(
    tables: int, bots: int, seats: int, deals: int, wanted: int
) -> None:
    assert balanced_table_count(tables, bots, seats, deals) == wanted


def test_visits_are_seen_from_results() -> None:
    bot_indices = np.array([[2, 0, 1]] * 4 + [[0, 1, 3]] * 2)
    zeros = np.zeros_like(bot_indices)
    nothing = zeros.astype(np.float64)
    results = Results(
        Cell("sticheln", 3),
        bot_indices,
        zeros[:, 0],
        nothing,
        nothing,
        nothing,
        zeros,
        zeros,
        zeros,
        number=np.array([0, 1, 2, 3, 0, 1]),
    )
    assert visited_tables(results, 2) == [(0, 1, 2), (0, 1, 2), (0, 1, 3)]
    assert visited_tables(results, 3) == [(0, 1, 2), (0, 1, 2), (0, 1, 3)]
    assert visited_tables(results, 4) == [(0, 1, 2), (0, 1, 3)]


def test_a_visit_that_was_given_up_counts() -> None:
    """Else the next visit would have the numbers of blocks that are there, and play nothing."""
    bot_indices = np.array([[2, 0, 1]] * 2)
    zeros = np.zeros_like(bot_indices)
    nothing = zeros.astype(np.float64)
    second = Results(
        Cell("sticheln", 3),
        bot_indices,
        zeros[:, 0],
        nothing,
        nothing,
        nothing,
        zeros,
        zeros,
        zeros,
        number=np.array([2, 3]),
    )
    assert visited_tables(second, 2) == [(0, 1, 2), (0, 1, 2)]
    assert visited_tables(second.select_blocks(second.number < 3), 2) == [(0, 1, 2), (0, 1, 2)]
