"""A preview counts fairness, quickly also where the plan is large."""

from typing import Any

import pytest

from arena.ratings.cell import Cell
from arena.tournaments.deals import commitment
from arena.tournaments.keys import Tables
from arena.tournaments.plan import Plan
from arena.tournaments.preview import by_blocks, by_tables, counted, planned, preview
from tests.tournaments.makeshift import bots, tournament

CELLS = (Cell("sticheln", 3), Cell("sticheln", 4))


def plan(**other: Any) -> Plan:
    return Plan(tournament(**other), "secret")


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"cells": CELLS},
        {"deals": 7},
        {"deals": 2},
        {"deals": 5, "tables": Tables(sample=40)},
        {"deals": 1, "tables": Tables(sample=40)},
        {"seating": "all"},
        {"cells": (Cell("sticheln", 6),), "deals": 13, "bots": bots(7)},
    ],
)
def test_whole_rounds_counted_at_once_are_as_many_as_one_by_one(other: dict[str, Any]) -> None:
    found = plan(**other)
    one, other_way = by_blocks(found, planned(found)), by_tables(found)
    assert one.fairness == other_way.fairness
    assert one.blocks == other_way.blocks == found.totals.blocks


def test_a_large_plan_is_counted_by_tables() -> None:
    found = counted(plan(deals=300_000))
    assert found.blocks == 15 * 300_000
    assert found.fairness[0].balanced
    assert len(found.seeds) == 15


@pytest.mark.parametrize("other", [{"seating": "rotations"}, {"seating": "random"}])
def test_what_has_to_be_counted_one_by_one_is_counted_as_far_as_can_be(
    other: dict[str, Any],
) -> None:
    found = counted(plan(deals=1000, **other), most=100)
    assert found.blocks == 100


def test_adaptive_tables_are_counted_as_far_as_they_are_known() -> None:
    found = preview(plan(tables=Tables(adaptive=50), deals=3), workers=2)
    assert found.adaptive
    assert found.stages == 10
    assert found.counted == 30
    assert found.blocks == 150


def test_all_of_it() -> None:
    found = preview(Plan(tournament(cells=CELLS, seed="x", notes=("A note.",)), "x"), workers=2)
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
