"""Every bot against every other."""

import math
from collections.abc import Mapping

import msgspec
import numpy as np
import pytest
from hypothesis import given

from arena.ratings.cell import Cell
from arena.ratings.crosstable import (
    Crosstable,
    CrosstablePair,
    Encounters,
    build_crosstable,
    rate_crosstable,
)
from arena.ratings.overall import Roster, rate_cells
from arena.ratings.results import Results
from tests.ratings.example_results import any_results, make_results
from tests.ratings.simulated_tournaments import make_population, random_tables
from tests.ratings.test_standings import numbers_in

SMALL, LARGE = Cell("sticheln", 3), Cell("sticheln", 4)
BOTS = ("ann", "bob", "cleo", "dan", "eve")
ROSTER = Roster("friday", BOTS)


def pair(found: Crosstable, row: str, column: str) -> CrosstablePair:
    return next(pair for pair in found.pairs if (pair.row, pair.column) == (row, column))


def test_hand_computed_example() -> None:
    cells = {
        SMALL: make_results(SMALL, ([0, 1, 2], [5, 5, 1]), ([1, 0, 3], [2, 1, 0])),
        LARGE: make_results(LARGE, ([3, 2, 1, 0], [1, 2, 3, 4])),
    }
    found = rate_crosstable(ROSTER, cells)
    assert (found.blocks, found.games, found.cells) == (3, 3, (SMALL, LARGE))
    assert set(found.bots) == set(BOTS)
    assert found.ranked == 4
    assert found.bots[-1] == "eve"
    ann = pair(found, "ann", "bob")
    assert (ann.blocks, ann.ahead) == (3, 0.5)  # a tie, behind, ahead
    assert pair(found, "bob", "cleo").ahead == 1.0
    assert pair(found, "cleo", "dan").blocks == 1
    eve = pair(found, "eve", "ann")
    assert (eve.blocks, eve.ahead, eve.better, eve.expected, eve.z) == (0, None, None, None, None)


def test_expected_shares_follow_from_the_ratings() -> None:
    rows = [([0, 1, 2], [3, 2, 1]), ([0, 1, 2], [2, 3, 1]), ([0, 1, 2], [3, 2, 1])] * 20
    found = rate_crosstable(
        Roster("friday", ("ann", "bob", "cleo")), {SMALL: make_results(SMALL, *rows)}
    )
    ann = pair(found, "ann", "bob")
    assert ann.ahead == pytest.approx(2 / 3, abs=1e-4)
    assert ann.expected == pytest.approx(2 / 3, abs=0.06)
    assert ann.better is not None
    assert ann.better > 0.9
    assert found.odd == ()


@pytest.mark.slow
def test_a_circle_is_at_odds_with_the_ratings() -> None:
    """Ann beats bob, bob beats cleo and cleo beats ann, whenever one of the three is not there."""
    rows = []
    for number in range(240):
        worse = number % 10 == 0
        winner, loser, other = ((0, 1, 3), (1, 2, 3), (2, 0, 3))[number % 3]
        rows.append(([winner, loser, other], [1, 2, 0] if worse else [2, 1, 0]))
    found = rate_crosstable(Roster("friday", BOTS[:4]), {SMALL: make_results(SMALL, *rows)})
    odd = {frozenset((pair.row, pair.column)) for pair in found.odd}
    assert odd == {frozenset(two) for two in (("ann", "bob"), ("bob", "cleo"), ("cleo", "ann"))}
    assert all(abs(pair.z or 0) > 3.5 for pair in found.odd)


def test_bots_that_just_differ_in_strength_are_not_odd() -> None:
    chance = np.random.default_rng(3)
    people = make_population([9, 6, 3, 0, -3, -6], neighbour=0)
    cells = {LARGE: people.tournament(random_tables(6, 4, 400, chance), chance)}
    found = rate_crosstable(Roster("friday", tuple("abcdef")), cells)
    assert found.bots == tuple("abcdef")
    assert found.odd == ()
    assert sum(pair.blocks for pair in found.pairs) == 400 * 4 * 3


def test_some_bots_against_each_other() -> None:
    """What they did against others is left out, and what is known of them is not."""
    chance = np.random.default_rng(3)
    people = make_population([9, 6, 3, 0, -3, -6], neighbour=0)
    cells = {LARGE: people.tournament(random_tables(6, 4, 40, chance), chance)}
    roster = Roster("friday", tuple("abcdef"))
    rated = rate_cells(roster, cells)
    whole, some = (
        build_crosstable(roster, rated),
        build_crosstable(roster, rated, only={"e", "b", "c", "x"}),
    )
    assert some.bots == tuple(name for name in whole.bots if name in "bce")
    assert some.pairs == tuple(
        pair(whole, row, column) for row in some.bots for column in some.bots if row != column
    )
    assert (some.ranked, some.blocks, some.games) == (3, whole.blocks, whole.games)
    assert build_crosstable(roster, rated, only=set()).pairs == ()


def test_pairs_that_never_met_are_left_out() -> None:
    cells = {SMALL: make_results(SMALL, ([0, 1, 2], [5, 4, 1]), ([2, 3, 4], [2, 1, 0]))}
    rated = rate_cells(ROSTER, cells)
    whole, met = build_crosstable(ROSTER, rated), build_crosstable(ROSTER, rated, met_only=True)
    assert met.pairs == tuple(one for one in whole.pairs if one.blocks)
    assert len(met.pairs) == 12
    assert met.bots == whole.bots


def test_one_bot_against_some() -> None:
    cells = {SMALL: make_results(SMALL, ([0, 1, 2], [5, 4, 1]), ([2, 3, 4], [2, 1, 0]))}
    rated = rate_cells(ROSTER, cells)
    found, whole = Encounters(ROSTER, rated), build_crosstable(ROSTER, rated)
    dan = found.place["dan"]
    assert list(found.row_pairs(dan)) == [one for one in whole.pairs if one.row == "dan"]
    chosen = [found.place["ann"], dan, found.place["eve"]]
    listed = list(found.row_pairs(dan, chosen))
    assert [(one.column, one.blocks) for one in listed] == [("ann", 0), ("eve", 1)]
    assert listed == [pair(whole, "dan", "ann"), pair(whole, "dan", "eve")]
    assert list(found.row_pairs(dan, [])) == []


def test_a_gap_too_small_to_matter_is_not_odd() -> None:
    same = CrosstablePair(row="ann", column="bob", blocks=10**6, ahead=0.51, expected=0.5, z=20.0)
    assert not same.is_unexpected
    assert msgspec.structs.replace(same, ahead=0.55).is_unexpected
    assert not msgspec.structs.replace(same, ahead=0.55, z=3.0).is_unexpected


@given(any_results(5))
def test_both_sides_of_every_pair(cells: Mapping[Cell, Results]) -> None:
    found = rate_crosstable(ROSTER, cells)
    assert all(map(math.isfinite, numbers_in(msgspec.to_builtins(found))))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Crosstable) == found
    assert len(found.pairs) == 5 * 4
    for one in found.pairs:
        other = pair(found, one.column, one.row)
        assert one.blocks == other.blocks
        for mine, theirs in ((one.ahead, other.ahead), (one.better, other.better)):
            assert (mine is None) == (theirs is None)
            assert (mine or 0) + (theirs or 0) == pytest.approx(0 if mine is None else 1, abs=2e-4)
