"""A simulated ladder gets its order right, sooner than by chance."""

import json
from collections import Counter

import numpy as np
import pytest
from msgspec import structs

from arena.ladder.matchmaking.simulation import (
    RandomTables,
    SimulatedNight,
    Simulation,
    SimulationSettings,
    games_until,
    rank_positions,
)
from arena.ratings.cell import Cell
from tests.cli.invoke import invoke_arena

CELLS = tuple(Cell(f"variant {number}", 4) for number in range(3))
SETTING = SimulationSettings(bots=60, nights=3, new=4, games=24, cells=CELLS, deals=1, seed=1)


def simulate_nights(setting: SimulationSettings, *, matched: bool = True) -> list[SimulatedNight]:
    """Its nights, without the times they took."""
    return list(Simulation(setting, lambda: 0.0, uses_matchmaker=matched).nights())


@pytest.mark.slow
def test_the_same_seed_leads_to_the_same_nights() -> None:
    assert simulate_nights(SETTING) == simulate_nights(SETTING)
    assert simulate_nights(SETTING) != simulate_nights(structs.replace(SETTING, seed=2))


@pytest.mark.parametrize("matched", [False, True])
def test_nights_are_as_long_as_asked_and_bots_come(matched: bool) -> None:
    nights = simulate_nights(SETTING, matched=matched)
    assert [night.number for night in nights] == [1, 2, 3]
    assert [night.bots for night in nights] == [52, 56, 60]
    blocks = np.cumsum([24 * night.bots / (4 * 4) for night in nights])
    assert [night.blocks for night in nights] == pytest.approx(blocks, abs=3)
    for night in nights:
        assert night.least >= 1
        assert night.balance < 1.1
    assert nights[-1].complete > 0.9


def test_several_blocks_of_a_visit_count_each() -> None:
    once, often = (simulate_nights(structs.replace(SETTING, deals=deals)) for deals in (1, 3))
    assert often[-1].blocks == pytest.approx(once[-1].blocks, abs=9)


def test_the_clock_is_read_for_costs_only() -> None:
    seconds = iter(range(10**6))
    timed = list(Simulation(SETTING, lambda: float(next(seconds)), uses_matchmaker=True).nights())
    assert timed[0].choosing == timed[0].learning == pytest.approx(1e6)
    assert timed[0].setup == pytest.approx(1e3)
    nothing = {"setup": 0.0, "choosing": 0.0, "learning": 0.0}
    assert [structs.replace(night, **nothing) for night in timed] == simulate_nights(SETTING)


@pytest.mark.slow
@pytest.mark.parametrize(
    "cells",
    [
        CELLS,
        pytest.param(
            tuple(Cell(f"variant {n}", seats) for n in range(5) for seats in (3, 4, 6)),
            marks=pytest.mark.soak,
        ),
    ],
)
def test_the_order_gets_right_and_sooner_than_by_chance(cells: tuple[Cell, ...]) -> None:
    """With few cells, and with more of them than a bot plays blocks in a night."""
    errors = {matched: np.zeros(6) for matched in (False, True)}
    for seed in range(4):
        setting = SimulationSettings(
            bots=200, nights=6, new=2, games=30, cells=cells, deals=1, seed=seed
        )
        for matched, sums in errors.items():
            sums += [night.share for night in simulate_nights(setting, matched=matched)]
    ours, chance = errors[True], errors[False]
    assert (np.diff(ours) < 0).all()
    assert ours[-1] < ours[0] / 2
    assert ours[-1] < 0.95 * chance[-1]
    assert (ours < 1.02 * chance).all()


@pytest.mark.parametrize(("bots", "owners"), [(4, 0), (5, 0), (11, 0), (60, 0), (8, 4), (60, 12)])
def test_random_tables_share_games_evenly(bots: int, owners: int) -> None:
    seats = [3, 4]
    owned = [str(bot % owners) if owners else "" for bot in range(bots)]
    shuffled = RandomTables(seats, owned, np.random.default_rng(1))
    seen = Counter[int]()
    for turn in range(200):
        match = shuffled.next_match()
        assert match.cell == turn % 2
        assert len(set(match.table)) == seats[match.cell]
        if owners:
            assert len({owned[bot] for bot in match.table}) == len(match.table)
        seen.update(match.table)
    assert len(seen) == bots
    assert max(seen.values()) - min(seen.values()) <= 2


@pytest.mark.parametrize("matched", [False, True])
def test_bots_of_one_owner_do_not_meet_and_the_order_still_gets_right(matched: bool) -> None:
    setting = structs.replace(SETTING, owners=8)
    simulation = Simulation(setting, lambda: 0.0, uses_matchmaker=matched)
    nights = list(simulation.nights())
    for ratings in simulation.ratings:
        for table in ratings.tables.tolist():
            assert len({bot % 8 for bot in table}) == len(table)
    assert nights[-1].share < 0.08


def test_places_count_from_the_best() -> None:
    assert rank_positions(np.array([1.0, 3.0, 2.0])).tolist() == [2, 0, 1]


def test_needed_games_are_interpolated_between_nights() -> None:
    first = simulate_nights(structs.replace(SETTING, nights=1))[0]
    nights = [
        structs.replace(first, games=games, share=share)
        for games, share in ((20.0, 0.10), (40.0, 0.06), (60.0, 0.02))
    ]
    assert games_until(nights, 0.2) == 20
    assert games_until(nights, 0.08) == pytest.approx(30)
    assert games_until(nights, 0.03) == pytest.approx(55)
    assert games_until(nights, 0.01) is None


def test_the_command_shows_a_line_for_each_night() -> None:
    done = invoke_arena(
        "ladder", "simulate", "--bots", 30, "--nights", 3, "--seats", 3, "--variants", 2
    )
    assert done.exit_code == 0, done.output
    head, _, titles, *lines = done.stdout.splitlines()
    assert head.startswith("30 bots, 1 new each night · 2 cells, 3 seats")
    assert titles.split()[:2] == ["night", "games"]
    assert "random" in titles
    assert [line.split()[0] for line in lines[:3]] == ["1", "2", "3"]
    assert "by chance" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.slow
def test_many_nights_are_shown_in_few_lines() -> None:
    done = invoke_arena("ladder", "simulate", "--bots", 8, "--nights", 50, "--no-random")
    nights = [line.split()[0] for line in done.stdout.splitlines() if line[:5].strip().isdecimal()]
    assert nights[0] == "1"
    assert nights[-1] == "50"
    assert len(nights) <= 13


def test_the_command_says_the_same_to_programs() -> None:
    words = ("ladder", "simulate", "--bots", 20, "--nights", 2, "--new", 3, "--json")
    found = json.loads(invoke_arena(*words).stdout)
    assert found["setting"]["bots"] == 20
    assert [night["bots"] for night in found["matched"]] == [17, 20]
    assert [night["number"] for night in found["shuffled"]] == [1, 2]
    assert found["matched"][0]["choosing"] > 0
    assert json.loads(invoke_arena(*words, "--no-random").stdout)["shuffled"] == []


def test_too_few_owners_are_named() -> None:
    done = invoke_arena("ladder", "simulate", "--bots", 20, "--owners", 3)
    assert done.exit_code == 2
    assert "a table of 4 needs as many owners; raise --owners" in done.output


@pytest.mark.parametrize("words", [("--bots", 7, "--seats", 8), ("--bots", 40, "--new", 10)])
def test_too_few_bots_are_named(words: tuple[object, ...]) -> None:
    done = invoke_arena("ladder", "simulate", *words)
    assert done.exit_code == 2
    assert "raise --bots or lower --new" in done.output
