"""Fairness is counted, and unfairness is seen."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given

from arena.ratings.cell import Cell
from arena.ratings.results import SeatedGames as Games
from arena.ratings.schedule_fairness import (
    Fairness,
    FairnessCounts,
    count_shared_deals,
    information_efficiency,
    measure_fairness,
)
from arena.tournaments.seatings import BlockSeatings, balanced_design, design
from tests.ratings.example_results import PlayedGames, any_games

CELL = Cell("sticheln", 4)
TABLE = (5, 3, 0, 2)


def fairness_of(*seatings: BlockSeatings) -> Fairness:
    counts = FairnessCounts(CELL, 6)
    for rows in seatings:
        counts.add(TABLE, rows)
    return counts.summarize()


def test_a_super_block_is_fair() -> None:
    found = fairness_of(*balanced_design(4))
    assert found.balanced
    assert (found.bots, found.blocks, found.games, found.efficiency) == (4, 3, 12, 1.0)
    assert {balance.what: (balance.least, balance.most) for balance in found.balances} == {
        "deals": (3, 3),
        "pairs": (3, 3),
        "seats": (3, 3),
        "neighbours": (4, 4),
    }


def test_one_block_of_it_has_uneven_neighbours_only() -> None:
    found = fairness_of(balanced_design(4)[0])
    assert [balance.what for balance in found.balances if not balance.balanced] == ["neighbours"]
    assert (found.balance_of("neighbours").least, found.balance_of("neighbours").most) == (1, 2)


def test_rotations_keep_the_neighbours() -> None:
    found = fairness_of(*design("rotations", 4))
    assert found.balance_of("seats").balanced
    assert not found.balance_of("neighbours").balanced
    assert (found.balance_of("neighbours").least, found.balance_of("neighbours").most) == (0, 4)


def test_an_advantage_of_one_game_is_seen() -> None:
    *most, last = balanced_design(4)[0]
    found = fairness_of(*balanced_design(4), (*most, most[0]))
    assert not found.balance_of("seats").balanced
    assert not fairness_of(*balanced_design(4), (*most, last)).balance_of("neighbours").balanced


def test_the_left_neighbour_sits_in_the_next_seat() -> None:
    tally = FairnessCounts(CELL, 6)
    tally.add(TABLE, [(0, 1, 2, 3)])
    assert (
        tally.left_neighbours[5][3]
        == tally.left_neighbours[3][0]
        == tally.left_neighbours[0][2]
        == tally.left_neighbours[2][5]
        == 1
    )
    assert sum(map(sum, tally.left_neighbours)) == 4


def test_a_bot_that_plays_less_is_found() -> None:
    counts = FairnessCounts(CELL, 5)
    for table in ((0, 1, 2, 3), (0, 1, 2, 4)):
        for rows in balanced_design(4):
            counts.add(table, rows)
    found = counts.summarize()
    assert not found.balance_of("deals").balanced
    assert not found.balance_of("pairs").balanced
    assert found.balance_of("seats").balanced
    assert found.balance_of("neighbours").balanced
    assert (found.balance_of("pairs").least, found.balance_of("pairs").most) == (0, 6)
    assert 0.5 < found.efficiency < 1


def test_times_is_as_often_as_one_by_one() -> None:
    once, often = FairnessCounts(CELL, 6), FairnessCounts(CELL, 6)
    once.add(TABLE, balanced_design(4)[1], 7)
    for _ in range(7):
        often.add(TABLE, balanced_design(4)[1])
    assert once.summarize() == often.summarize()
    assert vars(once) == vars(often)


def test_no_blocks_are_balanced() -> None:
    assert FairnessCounts(CELL, 6).summarize().balanced


def test_efficiency() -> None:
    assert information_efficiency(np.array([[2, 2, 2], [2, 2, 2], [2, 2, 2]]), 3) == pytest.approx(
        1
    )
    apart = np.zeros((6, 6), dtype=np.int64)
    apart[:3, :3] = apart[3:, 3:] = 1
    assert information_efficiency(apart, 3) == 0
    assert information_efficiency(np.zeros((4, 4), dtype=np.int64), 3) == 1


def test_shared_deals() -> None:
    assert count_shared_deals(iter([1, 2, 3])) == 0
    assert count_shared_deals([4, 5, 4, 4]) == 2
    assert count_shared_deals([]) == 0


@pytest.mark.slow
def test_many_blocks_take_no_more_memory_than_a_few() -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        counts = FairnessCounts(CELL, 6)
        for number in range(count):
            counts.add(TABLE, balanced_design(4)[number % 3])
        counts.summarize()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(3000) < peak(10) + 10_000


@given(any_games(6))
def test_all_at_once_is_as_block_by_block(generated: tuple[Games, list[PlayedGames]]) -> None:
    seatings, every = generated
    tally = FairnessCounts(seatings.cell, 6)
    for table, rows in every:
        tally.add(table, rows)
    assert measure_fairness(seatings, 6) == tally.summarize()


def test_part_of_a_super_block_is_fair() -> None:
    rows = [[TABLE[place] for place in one] for design in balanced_design(4) for one in design]
    which = [number for number, design in enumerate(balanced_design(4)) for _ in design]
    nothing = np.zeros((len(rows), 4))
    found = measure_fairness(Games(CELL, np.array(which), np.array(rows), nothing, nothing), 6)
    assert found == fairness_of(*balanced_design(4))
    assert found.balanced
