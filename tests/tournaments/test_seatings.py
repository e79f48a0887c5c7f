"""Designs are balanced exactly, for every number of seats."""

from collections import Counter
from itertools import chain, permutations
from math import factorial
from typing import get_args

import pytest

from arena.tournaments.seatings import BlockSeatings, Design, balanced_design, design

SIZES = range(3, 9)


def seats_of(seatings: BlockSeatings) -> Counter[tuple[int, int]]:
    """How often each slot has each seat."""
    return Counter(place for seating in seatings for place in enumerate(seating))


def neighbours(seatings: BlockSeatings) -> Counter[tuple[int, int]]:
    """How often each slot has each other one on its left."""
    return Counter(pair for row in seatings for pair in zip(row, (*row[1:], row[0]), strict=True))


@pytest.mark.parametrize("seats", SIZES)
def test_balanced_blocks_share_seats_evenly(seats: int) -> None:
    for block in balanced_design(seats):
        found = seats_of(block)
        assert len(found) == seats**2
        assert set(found.values()) == {len(block) // seats}


@pytest.mark.parametrize("seats", SIZES)
def test_super_blocks_share_neighbours_evenly(seats: int) -> None:
    every = tuple(chain.from_iterable(balanced_design(seats)))
    found = neighbours(every)
    assert set(found) == set(permutations(range(seats), 2))
    assert set(found.values()) == {len(every) // (seats - 1)}


@pytest.mark.parametrize(
    ("seats", "games", "count", "within"),
    [
        (3, 6, 1, {3}),
        (4, 4, 3, {1, 2}),
        (5, 10, 2, {2, 3}),
        (6, 6, 5, {1, 2}),
        (7, 14, 3, {2, 3}),
        (8, 8, 7, {1, 2}),
    ],
)
def test_sizes(seats: int, games: int, count: int, within: set[int]) -> None:
    assert [len(block) for block in balanced_design(seats)] == [games] * count
    for block in balanced_design(seats):
        found = neighbours(block)
        assert {found[pair] for pair in permutations(range(seats), 2)} == within


@pytest.mark.parametrize("seats", [3, 5, 7])
def test_with_odd_seats_every_two_have_every_two_seats_equally_often(seats: int) -> None:
    every = list(chain.from_iterable(balanced_design(seats)))
    found = Counter(
        ((one, row[one]), (other, row[other]))
        for row in every
        for one, other in permutations(range(seats), 2)
    )
    assert len(found) == (seats * (seats - 1)) ** 2
    assert len(set(found.values())) == 1


@pytest.mark.parametrize("seats", SIZES)
def test_no_seating_is_played_twice_in_a_super_block(seats: int) -> None:
    every = list(chain.from_iterable(balanced_design(seats)))
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("seating", get_args(Design))
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_seating_has_each_bot_once(seating: Design, seats: int) -> None:
    for block in design(seating, seats):
        for row in block:
            assert sorted(row) == list(range(seats))


def test_the_other_designs() -> None:
    (every,) = design("all", 4)
    assert len(set(every)) == factorial(4)
    (turned,) = design("rotations", 4)
    assert turned == ((0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2))
    assert design("random", 4) == (((0, 1, 2, 3),),)


@pytest.mark.parametrize("seats", [2, 9])
def test_no_other_tables(seats: int) -> None:
    with pytest.raises(ValueError, match=f"{seats} seats"):
        balanced_design(seats)
