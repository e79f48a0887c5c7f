"""The standings say what the blocks say, and nothing that is not there."""

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from msgspec import UNSET
from msgspec.structs import replace

from arena.ratings import trueskill
from arena.ratings.cell import Cell
from arena.ratings.overall import Roster, rate_cells
from arena.ratings.results import Results
from arena.ratings.standings import (
    Grouping,
    Standings,
    StandingsTable,
    build_standings,
    build_table,
    unranked_lines,
)
from arena.ratings.trueskill import rate_cell
from tests.ratings.example_results import any_results, make_results
from tests.ratings.simulated_tournaments import make_population, random_tables

pytestmark = pytest.mark.slow

SMALL, LARGE, MILD = Cell("sticheln", 3), Cell("sticheln", 4), Cell("sticheln+mild", 4)
BOTS = ("ann", "bob", "cleo", "dan", "eve")
ROSTER = Roster("friday", BOTS)


@pytest.fixture(autouse=True)
def _always_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package takes much longer, and finds the same."""
    monkeypatch.setattr(trueskill, "MIN_KERNEL_BLOCKS", 1)


def clear(cell: Cell, blocks: int = 40) -> Results:
    """Bots that always come in the order of their numbers."""
    tables = [[0, 1, 2, 3], [1, 2, 3, 4], [4, 2, 1, 0], [0, 4, 3, 1]]
    rows = [tables[number % 4][: cell.seats] for number in range(blocks)]
    return make_results(cell, *((row, [-10 * bot for bot in row]) for row in rows))


def test_one_cell_by_hand() -> None:
    found = build_standings(ROSTER, {SMALL: make_results(SMALL, ([1, 0, 2], [4, 3, -1]), faults=1)})
    overall = found.overall
    assert (overall.blocks, overall.games, overall.faults) == (1, 1, 3)
    first, second, third, *others = overall.lines
    assert [line.bot for line in overall.lines] == ["bob", "ann", "cleo", "dan", "eve"]
    assert [line.rank for line in overall.lines] == [1, 2, 3, None, None]
    assert (first.points, second.points, third.points) == (2.0, 1.0, -3.0)
    assert first.points_margin is None
    assert (first.placement, second.placement, third.placement) == (1.0, 0.5, 0.0)
    assert (first.wins, second.wins) == (1.0, 0.0)
    assert second.mu == pytest.approx(25, abs=1e-3)
    assert overall.early
    for line in others:
        assert (line.mu, line.margin, line.points, line.wins, line.tier) == (None,) * 5
        assert line.missing == (SMALL,)


@pytest.mark.slow
def test_margins_are_95_percent() -> None:
    one = clear(SMALL)
    found = build_standings(ROSTER, {SMALL: one}).overall
    sigma = rate_cell(one, 5).sigma
    for line in found.lines:
        assert line.margin == pytest.approx(1.96 * sigma[BOTS.index(line.bot)], abs=1e-3)


@pytest.mark.slow
def test_a_clear_order_is_settled() -> None:
    found = build_standings(ROSTER, {SMALL: clear(SMALL), LARGE: clear(LARGE)}).overall
    assert [line.bot for line in found.lines] == list(BOTS)
    assert [line.ranks for line in found.lines] == [(rank, rank) for rank in range(1, 6)]
    assert found.tiers == tuple((bot,) for bot in BOTS)
    assert {pair.state for pair in found.neighbours} == {"settled"}
    assert [(pair.higher, pair.lower) for pair in found.neighbours] == list(pairwise(BOTS))
    assert found.confidence is not None
    assert found.confidence > 0.95
    assert not found.early


def test_equal_bots_share_a_rank_and_a_tier() -> None:
    same = make_results(SMALL, *[([0, 1, 2], [5, 5, 5])] * 10)
    found = build_standings(ROSTER, {SMALL: same}).overall
    assert [line.rank for line in found.lines[:3]] == [1, 1, 1]
    assert [line.ranks for line in found.lines[:3]] == [(1, 3)] * 3
    assert found.tiers == (("ann", "bob", "cleo"),)


def test_a_bot_that_misses_a_cell_has_no_rank() -> None:
    found = build_standings(
        ROSTER, {SMALL: clear(SMALL), LARGE: make_results(LARGE, ([0, 1, 2, 3], [4, 3, 2, 1]))}
    )
    assert [line.bot for line in found.overall.lines if line.rank] == ["ann", "bob", "cleo", "dan"]
    last = found.overall.lines[-1]
    assert (last.bot, last.rank, last.missing) == ("eve", None, (LARGE,))
    assert last.blocks > 0


@pytest.mark.parametrize(
    ("by", "titles"),
    [
        ("cell", ["sticheln, 3 seats", "sticheln, 4 seats", "sticheln+mild, 4 seats"]),
        ("variant", ["sticheln", "sticheln+mild"]),
        ("seats", ["3 seats", "4 seats"]),
    ],
)
def test_parts(by: Grouping, titles: list[str]) -> None:
    cells = {MILD: clear(MILD, 8), LARGE: clear(LARGE, 9), SMALL: clear(SMALL, 10)}
    found = build_standings(ROSTER, cells, by=by)
    assert [part.title for part in found.parts] == titles
    assert sum(part.blocks for part in found.parts) == found.overall.blocks == 27
    assert sorted(cell for part in found.parts for cell in part.cells) == sorted(cells)


def test_a_part_of_one_cell_is_that_cell_alone() -> None:
    alone = build_standings(ROSTER, {LARGE: clear(LARGE, 12)})
    among = build_standings(ROSTER, {SMALL: clear(SMALL), LARGE: clear(LARGE, 12)})
    assert among.parts[1].lines == alone.overall.lines


def test_only_some_are_ranked_and_all_games_count() -> None:
    """Who is not in the table takes no rank from those who are, and is rated all the same."""
    rated = rate_cells(ROSTER, {SMALL: clear(SMALL), LARGE: clear(LARGE)})
    whole = build_table("all", rated, BOTS, times=False)
    some = build_table("some", rated, BOTS, times=False, only={"bob", "dan", "eve", "nobody"})
    assert [line.bot for line in some.lines] == ["bob", "dan", "eve"]
    assert [line.rank for line in some.lines] == [1, 2, 3]
    assert [line.ranks for line in some.lines] == [(1, 1), (2, 2), (3, 3)]
    assert [line.tier for line in some.lines] == [1, 2, 3]
    assert some.tiers == (("bob",), ("dan",), ("eve",))
    assert [(one.higher, one.lower) for one in some.neighbours] == [("bob", "dan"), ("dan", "eve")]
    assert (some.blocks, some.games, some.faults) == (whole.blocks, whole.games, whole.faults)
    unlike = {"rank": None, "ranks": None, "tier": None}
    alone = unranked_lines(rated, BOTS, {"ann", "bob"})
    assert list(alone) == ["ann", "bob"]
    for line in whole.lines:
        same = {one.bot: one for one in some.lines} | alone
        if line.bot in same:
            other = replace(same[line.bot], cpu=UNSET, **unlike)
            assert other == replace(line, **unlike)
    assert all((one.rank, one.tier) == (None, None) for one in alone.values())


def test_intervals_are_those_among_the_bots_of_the_table() -> None:
    """Three bots that cannot be told apart have three ranks between them; two of them two."""
    rated = rate_cells(ROSTER, {SMALL: make_results(SMALL, *[([0, 1, 2], [5, 5, 5])] * 10)})
    some = build_table("some", rated, BOTS, times=False, only={"ann", "cleo", "eve"})
    assert [(line.bot, line.ranks) for line in some.lines] == [
        *(("ann", (1, 2)), ("cleo", (1, 2)), ("eve", None)),
    ]
    assert build_table("none", rated, BOTS, times=False, only=set()).lines == ()


def test_times_only_if_they_are_asked_for() -> None:
    cells = {SMALL: clear(SMALL, 5)}
    assert all(line.cpu is UNSET for line in build_standings(ROSTER, cells).overall.lines)
    assert b'"cpu"' not in msgspec.json.encode(build_standings(ROSTER, cells))
    timed = {
        line.bot: line.cpu for line in build_standings(ROSTER, cells, times=True).overall.lines
    }
    assert timed["ann"] == 0.05  # 500 microseconds for 10 decisions
    other = {SMALL: make_results(SMALL, ([0, 1, 2], [1, 2, 3]))}
    assert build_standings(ROSTER, other, times=True).overall.lines[-1].cpu is None


@pytest.mark.slow
def test_style_is_noted_where_points_and_rating_disagree() -> None:
    """Bob mostly finishes second by a little, and now and then first by a lot."""
    often = ([0, 1, 2], [10, 8, 0])
    rarely = ([0, 1, 2], [10, 90, 0])
    rows = [rarely if number % 4 == 0 else often for number in range(120)]
    found = build_standings(ROSTER, {SMALL: make_results(SMALL, *rows)}).overall
    (style,) = found.style
    assert (style.rated_higher, style.more_points) == ("ann", "bob")
    ann, bob = found.lines[:2]
    assert ann.rank == 1
    assert bob.points is not None
    assert ann.points is not None
    assert bob.points > ann.points
    early = build_standings(ROSTER, {SMALL: make_results(SMALL, *rows[:28])}).overall
    assert early.style == ()


def test_no_style_where_the_rating_is_not_sure() -> None:
    """Ann is ahead a little more often than not, and bob makes many more points."""
    rows = [([0, 1, 2], [10, 90, 0])] * 29 + [([0, 1, 2], [10, 8, 0])] * 31
    found = build_standings(ROSTER, {SMALL: make_results(SMALL, *rows)}).overall
    assert [line.bot for line in found.lines[:2]] == ["ann", "bob"]
    assert found.style == ()


def test_the_standing_decides() -> None:
    """Ann wins most games, bob makes more points in a block."""
    one = make_results(SMALL, ([0, 1, 2], [10, 11, 0]), ([0, 1, 2], [10, 11, 0]))
    one.placement[:] = [[3.0, 2.0, 0.0]] * 2
    by_score = build_standings(ROSTER, {SMALL: one}).overall
    by_placement = build_standings(Roster("friday", BOTS, "placement"), {SMALL: one}).overall
    assert [line.bot for line in by_score.lines][:2] == ["bob", "ann"]
    assert [line.bot for line in by_placement.lines][:2] == ["ann", "bob"]


def test_the_order_of_cells_and_of_their_mapping_does_not_matter() -> None:
    cells = {LARGE: clear(LARGE), SMALL: clear(SMALL)}
    reversed_ = dict(reversed(cells.items()))
    assert build_standings(ROSTER, cells) == build_standings(ROSTER, reversed_)


@pytest.mark.slow
def test_true_bots_end_up_within_their_ranks() -> None:
    chance = np.random.default_rng(5)
    people = make_population([12, 8, 4, 0, -4, -8], neighbour=0)
    found = build_standings(
        Roster("friday", tuple("abcdef")),
        {LARGE: people.tournament(random_tables(6, 4, 300, chance), chance)},
    ).overall
    assert [line.bot for line in found.lines] == list("abcdef")
    for truth, line in enumerate(found.lines, 1):
        assert line.ranks is not None
        assert line.ranks[0] <= truth <= line.ranks[1]


@given(any_results(5))
def test_any_results_give_finite_standings(cells: Mapping[Cell, Results]) -> None:
    found = build_standings(ROSTER, cells, times=True)
    assert all(map(math.isfinite, numbers_in(msgspec.to_builtins(found))))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Standings) == found
    for table in (found.overall, *found.parts):
        check(table)


def check(table: StandingsTable) -> None:
    """Whether a table is consistent in itself."""
    ranked = [line for line in table.lines if line.rank]
    assert sorted(line.bot for line in table.lines) == sorted(BOTS)
    assert list(table.lines[: len(ranked)]) == ranked
    mus = [line.mu for line in ranked]
    assert all(mu is not None for mu in mus)
    for line in ranked:
        assert line.ranks is not None
        assert line.rank is not None
        assert line.mu is not None
        assert line.rank == 1 + sum(mu is not None and mu > line.mu for mu in mus)
        assert 1 <= line.ranks[0] <= line.rank <= line.ranks[1] <= len(ranked)
        assert line.placement is not None
        assert 0 <= line.placement <= 1
    assert [bot for tier in table.tiers for bot in tier] == [line.bot for line in ranked]
    assert len(table.neighbours) == max(len(ranked) - 1, 0)
    assert (table.confidence is None) == (len(ranked) < 2)
    for line in table.lines[len(ranked) :]:
        assert line.missing or not table.cells


def numbers_in(data: object) -> Iterator[float]:
    """All numbers in what JSON can hold."""
    if isinstance(data, float):
        yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from numbers_in(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from numbers_in(value)
