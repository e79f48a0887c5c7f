"""What a run is missing of its plan, and what it holds beyond, for every kind of tables."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from arena.ratings.cell import Cell
from arena.store.block import PlayedBlock
from arena.store.reading import EndReason
from arena.store.run import Run
from arena.tournaments.check_run import RunChecker
from arena.tournaments.config.keys import StopKeys, TableKeys
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.plan.plan import Plan
from arena.tournaments.plan_coverage import (
    Coverage,
    PlanChecker,
    StoredBlock,
    missing_text,
    ranges_text,
)
from arena.tournaments.play.backend import ChunkTask
from arena.tournaments.play.run import TournamentSession
from arena.tournaments.play.signals import StopRequest
from tests.store.planned_runs import tournament_yaml
from tests.tournaments.forgeries import remove_newest_blocks
from tests.tournaments.scripted_backend import SEED, ScriptedBackend, open_run, small_tournament

pytestmark = pytest.mark.slow

CLEAR = (0, 10, 20, 30, 40, 50)
EVEN = (0, 0, 0, 0, 0, 0)

DESIGNS: dict[str, dict[str, Any]] = {
    "all": {},
    "gauntlet": {"tables": TableKeys(gauntlet="lowest")},
    "sample": {"tables": TableKeys(sample=9), "deals": 3},
    "adaptive": {"tables": TableKeys(adaptive=14), "deals": 3},
    "every adaptive": {"tables": "adaptive", "deals": 6},
    "stop": {"stop": StopKeys(when="order", confidence=0.999), "deals": 12},
    "two sizes": {"cells": (Cell("sticheln", 3), Cell("sticheln", 4)), "chunk": 2},
}

NOT_STOPPED = [
    pytest.param(name, marks=pytest.mark.soak if "stop" in design else ())
    for name, design in DESIGNS.items()
]
"""Ratings at every look take their time, so one test of such a run is enough for `make test`."""


def make_tournament(**changes: Any) -> Tournament:
    """A tournament whose file says what it is."""
    found = small_tournament(**changes)
    return replace(found, text=tournament_file(found))


def tournament_file(tournament: Tournament) -> str:
    stop = tournament.stop
    told = f"stop: {{when: order, confidence: {stop.confidence}}}\n" if stop else ""
    return tournament_yaml(tournament) + told


def sit(folder: Path, tournament: Tournament, backend: ScriptedBackend, **more: Any) -> None:
    """Play what is missing, in a session that the run remembers."""
    with open_run(folder, tournament) as run:
        run.begin_session("code", 1)
        halt = more.pop("halt", None) or StopRequest()
        TournamentSession(Plan(tournament, SEED), run, backend, halt, lambda _: None, **more).play()


def seen(run: Run, blocks: Iterable[PlayedBlock]) -> Iterable[StoredBlock]:
    numbers = {bot.name: number for number, bot in enumerate(run.header.bots)}
    for block in blocks:
        yield StoredBlock(
            key=block.key,
            id=1,
            cell=Cell(block.variant, block.seats),
            table=tuple(numbers[name] for name in block.bots),
            number=block.number,
            salt="",
            games=len(block.results),
            unrecorded=0,
            is_dropped=False,
            has_record_hashes=False,
            digest=b"",
        )


def audited(folder: Path, *more: StoredBlock) -> tuple[list[str], Coverage]:
    """What is wrong with the blocks of a run and with the whole of it, and how much there is."""
    with Run.open(folder) as run:
        audit = PlanChecker(run, RunChecker(run.header).settings)
        every = [*seen(run, run.blocks()), *more]
        wrong = [line for block in every for line in audit.check_block(block)]
        return [*wrong, *audit.check_run()], audit.coverage()


@pytest.mark.parametrize("name", DESIGNS)
def test_a_whole_run_is_all_that_is_expected(tmp_path: Path, name: str) -> None:
    tournament = make_tournament(**DESIGNS[name])
    sit(tmp_path, tournament, ScriptedBackend(tournament.bots, EVEN))
    wrong, coverage = audited(tmp_path)
    assert wrong == []
    assert coverage == Coverage(Plan(tournament, SEED).totals.blocks, 0, "finished", ())


@pytest.mark.parametrize("name", NOT_STOPPED)
def test_blocks_beyond_the_plan(tmp_path: Path, name: str) -> None:
    """Further deals of a table, tables that nobody planned, other cells and sizes."""
    tournament = make_tournament(**DESIGNS[name])
    sit(tmp_path, tournament, ScriptedBackend(tournament.bots, EVEN))
    with Run.open(tmp_path) as run:
        (one, *_) = seen(run, run.blocks())
        tables = {block.table for block in seen(run, run.blocks()) if block.cell == one.cell}
    forged = [
        (replace(one, number=1000), "its number is 1000, and its table has"),
        (replace(one, number=-1), "its number is -1, and its table has"),
        (replace(one, table=one.table[::-1]), "which has no such table"),
        (replace(one, table=(0, 0, *one.table[2:])), "which has no such table"),
        (replace(one, cell=Cell("hat-trick", 4)), "which has no hat-trick, 4 seats"),
        (replace(one, salt="lucky"), "its deals were drawn for 'lucky'"),
    ]
    if name == "gauntlet":
        forged.append((replace(one, table=(0, 1, 2, 3)), "which has no such table"))
    if name in {"sample", "adaptive"}:
        every = Plan(make_tournament(), SEED).tables(Cell("sticheln", 4))
        others = [table for table, _ in map(every.__getitem__, range(len(every)))]
        other = next(table for table in others if table not in tables)
        forged.append((replace(one, table=other), "which has no such table"))
    for block, said in forged:
        wrong, _ = audited(tmp_path, block)
        assert len(wrong) == 1
        assert wrong[0].startswith("it is not in the plan")
        assert said in wrong[0]


@pytest.mark.parametrize("name", NOT_STOPPED)
def test_the_end_is_missing(tmp_path: Path, name: str) -> None:
    tournament = make_tournament(**DESIGNS[name])
    sit(tmp_path, tournament, ScriptedBackend(tournament.bots, EVEN))
    remove_newest_blocks(2)(tmp_path)
    wrong, coverage = audited(tmp_path)
    blocks, which = coverage.planned, missing_text(coverage)
    assert wrong[-2:] == [
        f"when session 1 ended, {blocks} blocks were stored, and of these {blocks - 2} are there",
        f"it was finished, and 2 of the {blocks} blocks of its plan are missing: {which}",
    ]


def test_results_that_lead_to_other_tables(tmp_path: Path) -> None:
    """Who changes results of an adaptive tournament changes what should have been played."""
    tournament = make_tournament(**DESIGNS["adaptive"])
    sit(tmp_path, tournament, ScriptedBackend(tournament.bots, CLEAR))
    assert audited(tmp_path)[0] == []
    with Run.open_for_writing(tmp_path) as run:
        run.connection.execute("UPDATE entry SET points = -points")
    wrong, _ = audited(tmp_path)
    assert wrong


@pytest.mark.parametrize("name", ["all", "adaptive"])
def test_a_run_that_goes_on(tmp_path: Path, name: str) -> None:
    """After each block it is unfinished, and nothing is wrong."""
    tournament = make_tournament(**DESIGNS[name])
    planned = Plan(tournament, SEED).totals.blocks
    told: list[tuple[list[str], Coverage]] = []

    def before(_task: ChunkTask) -> None:
        told.append(audited(tmp_path))

    sit(tmp_path, tournament, ScriptedBackend(tournament.bots, CLEAR, before=before))
    assert [wrong for wrong, _ in told] == [[]] * len(told)
    assert {coverage.ended for _, coverage in told} == {None}
    missing = [coverage.missing for _, coverage in told]
    assert missing[0] == planned
    assert sorted(missing, reverse=True) == missing


def ending(folder: Path) -> EndReason:
    with Run.open(folder) as run:
        ((found, kept), *_) = run.endings()[::-1]
    assert kept == found.blocks
    return found.how


def test_how_sessions_end(tmp_path: Path) -> None:
    tournament = make_tournament(deals=30, stop=StopKeys(when="order"))
    sit(tmp_path / "early", tournament, ScriptedBackend(tournament.bots, CLEAR))
    assert ending(tmp_path / "early") == "settled"
    wrong, coverage = audited(tmp_path / "early")
    assert wrong == []
    assert coverage.missing > 0
    tournament = make_tournament()
    broken = ScriptedBackend(tournament.bots, CLEAR, fails=lambda _task: "it broke")
    sit(tmp_path / "broken", tournament, broken)
    assert ending(tmp_path / "broken") == "failed"
    halt = StopRequest()
    stopping = ScriptedBackend(
        tournament.bots, CLEAR, before=lambda _task: halt.handle_signal(2, None)
    )
    sit(tmp_path / "stopped", tournament, stopping, halt=halt)
    assert ending(tmp_path / "stopped") == "interrupted"
    assert audited(tmp_path / "stopped")[0] == []
    for part in (1, 2):
        sit(tmp_path / "parts", tournament, ScriptedBackend(tournament.bots, CLEAR), part=(part, 2))
        assert ending(tmp_path / "parts") == "part"
        wrong, coverage = audited(tmp_path / "parts")
        assert wrong == []
        assert bool(coverage.missing) == (part == 1)


def test_an_extended_run_is_unfinished(tmp_path: Path) -> None:
    """What was finished and has got more deals is unfinished, and then finished again."""
    few, more = make_tournament(deals=3), make_tournament(deals=9)
    sit(tmp_path, few, ScriptedBackend(few.bots, CLEAR))
    with open_run(tmp_path, more):
        pass  # killed before it has played
    wrong, coverage = audited(tmp_path)
    assert wrong == []
    assert (coverage.planned, coverage.missing) == (135, 90)
    sit(tmp_path, more, ScriptedBackend(more.bots, CLEAR))
    wrong, coverage = audited(tmp_path)
    assert (wrong, coverage.missing, coverage.ended) == ([], 0, "finished")


def test_settings_that_make_no_plan(tmp_path: Path) -> None:
    tournament = make_tournament()
    sit(tmp_path, tournament, ScriptedBackend(tournament.bots, CLEAR))
    with Run.open_for_writing(tmp_path) as run:
        told = {**run.header.settings, "cells": []}
        run.update(structs.replace(run.header, settings=told), copy_file=False)
    wrong, _ = audited(tmp_path)
    assert wrong[0].startswith("no plan can be made from its settings: ")


def test_numbers_in_words() -> None:
    assert ranges_text((1,)) == "1"
    assert ranges_text((0, 1, 2, 5, 7, 8)) == "0–2, 5, 7–8"
