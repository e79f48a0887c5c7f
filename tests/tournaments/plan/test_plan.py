"""The plan is whole, lazy, interleaved, and the same wherever it is made."""

import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import comb
from typing import Any

import numpy as np
import pytest

from arena.ratings.cell import Cell
from arena.ratings.results import Results
from arena.ratings.schedule_fairness import FairnessCounts, count_shared_deals
from arena.tournaments.config.keys import StopKeys, TableKeys
from arena.tournaments.plan.blocks import Chunk
from arena.tournaments.plan.plan import Plan, Totals
from tests.tournaments.fake_tournaments import fake_bot, fake_bots, fake_tournament

THREE, FOUR, MILD = Cell("sticheln", 3), Cell("sticheln", 4), Cell("sticheln+mild", 4)
STOP = StopKeys(when="order")


def plan(seed: str = "secret", **other: Any) -> Plan:
    return Plan(fake_tournament(**other), seed)


def every(planned: Plan) -> Iterator[Chunk]:
    for number in range(planned.stage_count):
        yield from planned.stage_chunks(number, {})


def keys(planned: Plan) -> set[bytes]:
    return {block.key for chunk in every(planned) for block in chunk.blocks}


def count_totals(planned: Plan) -> Totals:
    tables = {(chunk.cell, chunk.table) for chunk in every(planned)}
    blocks = [block for chunk in every(planned) for block in chunk.blocks]
    games = sum(len(block.seatings) for block in blocks)
    return Totals(len(tables), len(list(every(planned))), len(blocks), games)


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"cells": (THREE, FOUR, MILD)},
        {"chunk": 4},
        {"chunk": 1, "deals": 7, "cells": (THREE, FOUR)},
        {"tables": TableKeys(gauntlet="bot03")},
        {"seating": "all"},
        {"seating": "rotations"},
        {"seating": "random", "deals": 50},
        {"stop": STOP, "deals": 100, "cells": (THREE, FOUR)},
        {"stop": STOP, "deals": 3, "cells": (THREE, FOUR)},
        {"stop": STOP, "deals": 100, "chunk": 5},
        {"cells": tuple(Cell("sticheln", seats) for seats in range(3, 7))},
    ],
)
def test_totals_are_what_is_planned(other: dict[str, Any]) -> None:
    planned = plan(**other)
    assert count_totals(planned) == planned.totals
    assert len(keys(planned)) == planned.totals.blocks


def test_six_bots_at_four_seats() -> None:
    assert plan().totals == Totals(tables=15, chunks=15, blocks=90, games=360)
    assert plan(tables=TableKeys(gauntlet="bot00")).totals.tables == 10


def test_a_sample_may_visit_a_table_again_and_then_plays_other_deals() -> None:
    planned = plan(tables=TableKeys(sample=40), bots=fake_bots(5), deals=4)
    assert planned.totals == Totals(tables=40, chunks=40, blocks=160, games=640)
    assert len(keys(planned)) == 160
    numbers: dict[tuple[int, ...], list[int]] = {}
    for chunk in every(planned):
        numbers.setdefault(chunk.table, []).extend(block.number for block in chunk.blocks)
    assert len(numbers) == 5
    assert all(sorted(found) == list(range(len(found))) for found in numbers.values())


@pytest.mark.parametrize(("seats", "deals"), [(3, 1), (4, 3), (5, 2), (6, 5), (7, 3), (8, 7)])
def test_a_plan_is_fair(seats: int, deals: int) -> None:
    planned = plan(cells=(Cell("sticheln", seats),), bots=fake_bots(9), deals=2 * deals)
    counts = FairnessCounts(Cell("sticheln", seats), bot_count=9)
    for chunk in every(planned):
        for block in chunk.blocks:
            counts.add(chunk.table, block.seatings)
    found = counts.summarize()
    assert found.balanced
    assert found.games == planned.totals.games
    assert count_shared_deals(block.seed for chunk in every(planned) for block in chunk.blocks) == 0


def test_a_plan_depends_only_on_its_settings_and_seed() -> None:
    assert list(every(plan())) == list(every(plan()))
    assert not keys(plan()) & keys(plan("other"))


def test_a_block_does_not_depend_on_the_rest_of_the_plan() -> None:
    before = keys(plan())
    more = keys(plan(bots=fake_bots(7), deals=9, cells=(MILD, FOUR), chunk=2))
    assert before < more
    turned = plan(bots=tuple(sorted(fake_bots(6), key=lambda each: each.name)))
    assert keys(turned) == before
    assert before == keys(plan(stop=STOP))
    assert keys(plan(tables=TableKeys(gauntlet="bot02"))) < before
    assert keys(plan(tables=TableKeys(sample=5))) < keys(plan(tables=TableKeys(sample=8), deals=9))


def test_another_version_of_a_bot_makes_other_blocks_of_its_tables_only() -> None:
    changed = (*fake_bots(5), fake_bot("bot05", "2"))
    assert len(keys(plan()) & keys(plan(bots=changed))) == comb(5, 4) * 6


def test_interleaved() -> None:
    planned = plan(cells=(THREE, FOUR), chunk=2)
    chunks = list(every(planned))
    assert [chunk.cell for chunk in chunks[:8]] == [THREE, FOUR] * 4
    turns = [chunk.blocks[0].number // 2 for chunk in chunks]
    assert turns == sorted(turns)
    first = chunks[: 20 + 15]
    assert len({(chunk.cell, chunk.table) for chunk in first}) == 20 + 15
    seen = {number for chunk in first[:8] for number in chunk.table}
    assert seen == set(range(6))


def test_a_place_is_a_bot_by_its_name() -> None:
    for chunk in every(plan()):
        assert list(chunk.table) == sorted(set(chunk.table))
        for block in chunk.blocks:
            assert all(sorted(seating) == [0, 1, 2, 3] for seating in block.seatings)


def test_slots_are_drawn_anew_for_every_super_block() -> None:
    chunk = next(every(plan(deals=300, chunk=300)))
    maps = Counter(block.seatings for block in chunk.blocks if block.number % 3 == 0)
    assert len(maps) > 12  # of 24


def test_number_of_stages() -> None:
    assert plan(deals=100).stage_count == 1
    assert plan(deals=100, stop=STOP).stage_count == 10
    assert plan(deals=6, stop=STOP).stage_count == 2
    planned = plan(deals=100, stop=STOP, cells=(THREE, FOUR))
    played: Counter[Cell] = Counter()
    for number in range(planned.stage_count):
        for chunk in planned.stage_chunks(number, {}):
            played[chunk.cell] += len(chunk.blocks)
        assert min(played.values()) >= 30
    with pytest.raises(ValueError, match="no stage 10, only 10"):
        next(planned.stage_chunks(10, {}))


def make_results(cell: Cell, chunks: list[Chunk]) -> Results:
    """Results in which nothing is known but who played."""
    bot_indices = np.array([chunk.table for chunk in chunks for _ in chunk.blocks])
    zeros = np.zeros_like(bot_indices)
    points = np.tile(np.arange(cell.seats, dtype=np.float64), (len(bot_indices), 1))
    return Results(
        cell,
        bot_indices,
        np.full(len(bot_indices), 4),
        points - points.mean(),
        points / 3,
        points * 0,
        zeros,
        zeros,
        zeros,
        number=np.array([block.number for chunk in chunks for block in chunk.blocks]),
    )


def test_adaptive_tables() -> None:
    planned = plan(tables=TableKeys(adaptive=60), deals=3)
    assert planned.is_adaptive
    assert planned.stage_count == 10
    assert planned.totals == Totals(tables=60, chunks=60, blocks=180, games=720)
    chunks: list[Chunk] = []
    for number in range(planned.stage_count):
        results = {FOUR: make_results(FOUR, chunks)} if chunks else {}
        again = list(planned.stage_chunks(number, results))
        assert again == list(planned.stage_chunks(number, results))
        chunks += again
        if not number:
            assert len(again) == 12
    assert len(chunks) == 60
    found = [block.key for chunk in chunks for block in chunk.blocks]
    assert len(set(found)) == 180
    assert plan(tables="adaptive").totals == plan().totals


def test_the_memory_it_takes_does_not_grow() -> None:
    def peak(chunks: int) -> int:
        planned = plan(bots=fake_bots(30), deals=10)
        tracemalloc.start()
        games = sum(len(chunk.blocks) for chunk in islice(every(planned), chunks))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert games == 10 * chunks
        return most

    peak(1)
    assert peak(200) < peak(10) + 20_000


@pytest.mark.soak
def test_a_million_games_in_constant_memory() -> None:
    """What Python holds is looked at on the way, as tracing each allocation would take long."""
    planned = plan(bots=fake_bots(30), deals=10)
    assert planned.totals.games > 1_000_000
    held, games = [], 0
    for number, chunk in enumerate(every(planned)):
        games += sum(len(block.seatings) for block in chunk.blocks)
        if number % 1000 == 100:
            held.append(sys.getallocatedblocks())
    assert games == planned.totals.games
    assert max(held) < held[0] + 2000
