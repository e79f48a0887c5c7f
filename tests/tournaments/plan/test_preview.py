"""A preview counts fairness, quickly also where the plan is large."""

from typing import Any

import pytest

from arena.ratings.cell import Cell
from arena.referee.record import deciders
from arena.tournaments.config.keys import TableKeys
from arena.tournaments.deals import commitment
from arena.tournaments.plan.plan import Plan
from arena.tournaments.plan.preview import (
    SECONDS_PER_DECISION,
    SECONDS_PER_START,
    decisions_per_game,
    estimate_cost,
    forecast_by_blocks,
    forecast_by_tables,
    forecast_fairness,
    planned_blocks,
    preview_plan,
)
from tests.cli.records import random_record
from tests.tournaments.fake_tournaments import fake_bots, fake_tournament


@pytest.mark.parametrize(("variant", "seats"), [("sticheln", 3), ("hat-trick", 4), ("stick-em", 5)])
def test_decisions_are_those_of_a_game(variant: str, seats: int) -> None:
    game = random_record(variant, seats)
    assert decisions_per_game(Cell(variant, seats)) == len(list(deciders(game)))


def test_the_length_of_games_without_a_fixed_end() -> None:
    assert 300 < decisions_per_game(Cell("was-sticht", 4)) < 1200


def test_the_cost_of_a_plan() -> None:
    """15 tables with 6 deals in 4 seatings: 360 games of 300 decisions, by 4 processes a turn."""
    found = estimate_cost(Plan(fake_tournament(), "x"), workers=3)
    assert (found.decisions, found.starts, found.workers) == (108_000, 15 * 4 * 4, 3)
    assert found.seconds == pytest.approx(
        (108_000 * SECONDS_PER_DECISION + 240 * SECONDS_PER_START) / 3
    )
    assert found.seconds_for_a_millisecond == pytest.approx(36)


def test_smaller_chunks_start_more_processes() -> None:
    one, other = (
        estimate_cost(Plan(fake_tournament(chunk=size), "x"), workers=2) for size in (6, 2)
    )
    assert other.starts == 3 * one.starts
    assert other.seconds > one.seconds


def test_idle_workers_do_not_shorten_a_run() -> None:
    found = [
        estimate_cost(Plan(fake_tournament(), "x"), workers=workers).seconds for workers in (15, 16)
    ]
    assert found[0] == found[1]


CELLS = (Cell("sticheln", 3), Cell("sticheln", 4))


def plan(**other: Any) -> Plan:
    return Plan(fake_tournament(**other), "secret")


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"cells": CELLS},
        {"deals": 7},
        {"deals": 2},
        {"deals": 5, "tables": TableKeys(sample=40)},
        {"deals": 1, "tables": TableKeys(sample=40)},
        {"seating": "all"},
        {"cells": (Cell("sticheln", 6),), "deals": 13, "bots": fake_bots(7)},
    ],
)
def test_whole_rounds_counted_at_once_are_as_many_as_one_by_one(other: dict[str, Any]) -> None:
    found = plan(**other)
    one, other_way = forecast_by_blocks(found, planned_blocks(found)), forecast_by_tables(found)
    assert one.fairness == other_way.fairness
    assert one.blocks == other_way.blocks == found.totals.blocks


def test_a_large_plan_is_counted_by_tables() -> None:
    found = forecast_fairness(plan(deals=300_000))
    assert found.blocks == 15 * 300_000
    assert found.fairness[0].balanced
    assert len(found.seeds) == 15


@pytest.mark.parametrize("other", [{"seating": "rotations"}, {"seating": "random"}])
def test_a_fairness_forecast_is_limited_in_blocks(
    other: dict[str, Any],
) -> None:
    found = forecast_fairness(plan(deals=1000, **other), most=100)
    assert found.blocks == 100


def test_adaptive_tables_are_counted_as_far_as_they_are_known() -> None:
    found = preview_plan(plan(tables=TableKeys(adaptive=50), deals=3), workers=2)
    assert found.adaptive
    assert found.stages == 10
    assert found.counted == 30
    assert found.blocks == 150


def test_a_whole_preview() -> None:
    found = preview_plan(
        Plan(fake_tournament(cells=CELLS, seed="x", notes=("A note.",)), "x"), workers=2
    )
    assert found.commitment == commitment("x")
    assert (found.tables, found.chunks, found.blocks, found.games) == (35, 35, 210, 1080)
    assert [(line.seats, line.tables, line.games) for line in found.cells] == [
        (3, 20, 720),
        (4, 15, 360),
    ]
    assert all(each.balanced for each in found.fairness)
    assert (found.counted, found.deals, found.shared) == (210, 210, 0)
    assert found.notes == ("A note.",)
    assert (found.stages, found.stop, found.estimate.workers) == (1, None, 2)
