"""Tables: all of them lazily, or some of them in balance."""

from itertools import combinations
from math import comb, gcd

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.schedule_fairness import information_efficiency
from arena.tournaments.plan.tables import (
    AllTables,
    ChosenTables,
    Table,
    balanced_tables,
    combination,
    stride,
)


def every(tables: AllTables) -> list[Table]:
    return [tables[index][0] for index in range(len(tables))]


@pytest.mark.parametrize(("bots", "seats"), [(3, 3), (4, 3), (6, 4), (9, 5), (12, 8), (8, 8)])
def test_all_tables_once(bots: int, seats: int) -> None:
    assert sorted(every(AllTables(bots, seats))) == list(combinations(range(bots), seats))


@pytest.mark.parametrize(("bots", "seats"), [(4, 4), (6, 4), (7, 3)])
def test_a_gauntlet_is_all_tables_with_one_bot(bots: int, seats: int) -> None:
    for hero in range(bots):
        wanted = [table for table in combinations(range(bots), seats) if hero in table]
        assert sorted(every(AllTables(bots, seats, hero))) == wanted


def test_an_index_beyond_the_last_table() -> None:
    with pytest.raises(IndexError):
        AllTables(4, 4)[1]


@given(st.integers(1, 30), st.integers(0, 8), st.data())
def test_combinations_by_rank(bots: int, seats: int, data: st.DataObject) -> None:
    seats = min(seats, bots)
    rank = data.draw(st.integers(0, comb(bots, seats) - 1))
    chosen = combination(bots, seats, rank)
    assert chosen == sorted(set(chosen))
    before = sum(
        comb(bots - at - 1, seats - place - 1)
        for place, bot in enumerate(chosen)
        for at in range(chosen[place - 1] + 1 if place else 0, bot)
    )
    assert before == rank


@given(st.integers(1, 10**9))
def test_a_stride_reaches_everything(count: int) -> None:
    step = stride(count)
    assert step >= 1
    assert gcd(step, count) == 1


@pytest.mark.parametrize(("bots", "seats"), [(6, 4), (10, 3), (20, 4), (30, 4), (20, 8), (40, 3)])
def test_every_bot_appears_early(bots: int, seats: int) -> None:
    tables = AllTables(bots, seats)
    early = 6 * -(-bots // seats)
    seen = {bot for index in range(min(early, len(tables))) for bot in tables[index][0]}
    assert len(seen) == bots


def test_a_table_that_is_chosen_again_knows_how_often_it_was_before() -> None:
    tables = ChosenTables([(0, 1, 2), (1, 2, 3), (0, 1, 2)], earlier=[(0, 1, 2)])
    assert [tables[index] for index in range(3)] == [
        ((0, 1, 2), 1),
        ((1, 2, 3), 0),
        ((0, 1, 2), 2),
    ]


def pairs(bots: int, tables: list[Table]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    met = np.zeros((bots, bots), dtype=np.int64)
    for table in tables:
        met[np.ix_(table, table)] += 1
    return met


@pytest.mark.parametrize(
    ("bots", "seats", "twice", "five"),
    [
        (6, 3, 0.967, 0.993),  # so few tables do not come out even, whichever they are
        (6, 4, 0.967, 0.993),
        (7, 3, 0.967, 0.997),
        (9, 4, 0.967, 0.997),
        (12, 5, 0.967, 0.997),
        (13, 4, 0.967, 0.997),
        (16, 6, 0.967, 0.997),
        (20, 4, 0.967, 0.997),
        (20, 8, 0.967, 0.997),
    ],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_few_tables_tell_about_as_much_as_the_best_design(
    bots: int, seats: int, twice: float, five: float, seed: int
) -> None:
    """After so many tables that every pair could have met twice, and five times."""
    cover = bots * (bots - 1) / (seats * (seats - 1))
    tables = balanced_tables(bots, seats, round(5 * cover), seed)
    assert information_efficiency(pairs(bots, tables[: round(2 * cover)]), seats) >= twice
    assert information_efficiency(pairs(bots, tables), seats) >= five


@given(st.integers(3, 12), st.integers(3, 8), st.integers(1, 60), st.integers(0, 2**53))
def test_balanced_tables_share_games_evenly(bots: int, seats: int, count: int, seed: int) -> None:
    seats = min(bots, seats)
    tables = balanced_tables(bots, seats, count, seed)
    assert len(tables) == count
    assert all(list(table) == sorted(set(table)) and len(table) == seats for table in tables)
    played = np.diag(pairs(bots, tables))
    assert played.max() - played.min() <= 2


def test_a_longer_sample_begins_like_a_shorter_one_and_another_seed_makes_another() -> None:
    assert balanced_tables(9, 4, 30, 5)[:12] == balanced_tables(9, 4, 12, 5)
    assert balanced_tables(9, 4, 30, 5) != balanced_tables(9, 4, 30, 6)
