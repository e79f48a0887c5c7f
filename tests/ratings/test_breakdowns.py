"""Optional sections of the standings."""

import math

import msgspec
import numpy as np
import pytest

from arena.ratings.breakdowns import Effect, cell_bias, cell_spread
from arena.ratings.cell import Cell
from arena.ratings.overall import Roster
from arena.ratings.results import SeatedGames
from tests.ratings.test_standings import numbers_in

CELL = Cell("sticheln", 3)
ROSTER = Roster("friday", ("ann", "bob", "cleo", "dan"))


def seatings(blocks: int) -> SeatedGames:
    """Three bots in three seatings a block; seat 0 always wins, seat 2 always loses."""
    turns = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    return SeatedGames(
        cell=CELL,
        block=np.repeat(np.arange(blocks), 3),
        bot_indices=np.array(turns * blocks, np.int64).reshape(-1, 3),
        points=np.tile([9.0, 3.0, 0.0], (3 * blocks, 1)),
        placement=np.tile([1.0, 0.5, 0.0], (3 * blocks, 1)),
    )


def test_seat_bias_of_a_cell() -> None:
    found = cell_bias(ROSTER, seatings(5))
    assert (found.cell, found.games) == (CELL, 15)
    assert [seat.effect for seat in found.seats] == [0.5, 0.0, -0.5]
    assert found.seats[0].is_sure()
    assert not found.seats[1].is_sure()
    assert {(beside.bot, beside.left) for beside in found.neighbours} == {
        ("ann", "bob"),
        ("bob", "cleo"),
        ("cleo", "ann"),
    }
    assert all(beside.games == 15 for beside in found.neighbours)


def test_one_block_has_no_margin() -> None:
    found = cell_bias(ROSTER, seatings(1))
    assert [seat.margin for seat in found.seats] == [None] * 3
    assert not any(seat.is_sure() for seat in found.seats)


@pytest.mark.parametrize(
    ("margin", "errors", "sure"),
    [(0.1, 1.96, True), (0.1, 3.5, False), (0.05, 3.5, True), (None, 1.96, False)],
)
def test_sure_effects(margin: float | None, errors: float, sure: bool) -> None:
    assert Effect(-0.15, margin).is_sure(errors) == sure


def test_spread_of_points() -> None:
    found = cell_spread(ROSTER, seatings(4), ["cleo", "dan", "bob", "ann"])
    assert [bot.bot for bot in found.bots] == ["cleo", "bob", "ann"]
    for bot in found.bots:
        assert (bot.games, bot.mean, bot.placements) == (12, 0.0, (4.0, 4.0, 4.0))
        assert bot.quantiles[2] == -1.0
        assert bot.deviation == pytest.approx(np.std([5, -1, -4] * 4, ddof=1), abs=1e-4)


@pytest.mark.parametrize("blocks", [0, 1, 3])
def test_no_figure_is_missing(blocks: int) -> None:
    found = seatings(blocks)
    panels = (cell_bias(ROSTER, found), cell_spread(ROSTER, found, ROSTER.bots))
    assert all(map(math.isfinite, numbers_in(msgspec.to_builtins(panels))))
