"""What a new version plays before it is accepted."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import Bot, builtin_bots, load_bot
from arena.errors import HarnessFailure
from arena.ladder.folder import Ladder
from arena.ladder.registry import Registry
from arena.ladder.submissions import placement
from arena.ladder.submissions.placement import (
    REFERENCE_BOTS,
    placement_tables,
    play_placement,
    reference_bots,
    select_cells,
    summarize_placement,
)
from arena.ratings.cell import Cell
from arena.referee.faults import Fault
from arena.store.run import Run
from tests.ladder import factories
from tests.store.blocks import make_block
from tests.tournaments.fake_tournaments import fake_bot, fake_bots

CELLS = [Cell("sticheln", 3), Cell("sticheln", 4), Cell("stick-em", 3), Cell("was-sticht", 4)]


def test_one_cell_of_each_variant_comes_first() -> None:
    """A design for three seats has 6 games, one for four 12 in three blocks."""
    assert select_cells(CELLS, 1) == [CELLS[0]]
    assert select_cells(CELLS, 7) == [CELLS[0], CELLS[2]]
    assert select_cells(CELLS, 13) == [CELLS[0], CELLS[2], CELLS[3]]
    assert select_cells(CELLS, 1000) == [CELLS[0], CELLS[2], CELLS[3], CELLS[1]]
    assert select_cells([], 60) == []


@pytest.mark.parametrize("seed", ["one", "two", "three"])
@pytest.mark.parametrize("opponents", [3, 4, 7, 20])
def test_all_opponents_in_turn(seed: str, opponents: int) -> None:
    new, others = fake_bot("new"), fake_bots(opponents)
    seated = list(placement_tables(new, others, CELLS, seed))
    assert [cell for cell, _ in seated] == CELLS
    met: Counter[str] = Counter()
    for cell, table in seated:
        names = [one.name for one in table]
        assert len(set(names)) == cell.seats
        assert names == sorted(names)
        assert "new" in names
        met.update(set(names) - {"new"})
    assert len(met) == min(opponents, sum(cell.seats - 1 for cell in CELLS))
    assert max(met.values()) - min(met.values()) <= 1 or opponents < 7
    assert seated == list(placement_tables(new, others, CELLS, seed)), "the same for the same seed"


def test_placement_tables_depend_on_the_seed() -> None:
    drawn = {
        tuple(one.name for one in table)
        for number in range(20)
        for _, table in placement_tables(fake_bot("new"), fake_bots(7), CELLS[:1], f"{number}")
    }
    assert len(drawn) > 5


def test_a_placement_summary() -> None:
    faults = (Fault(1, "illegal", "no"), Fault(1, "illegal", "no"), Fault(2, "timeout", "late"))
    played = [
        make_block(0, "stick-em", ("ann", "bob", "cleo"), faults=faults, cpu=2000),
        make_block(1, "stick-em", ("ann", "bob", "dan"), cpu=2000),
    ]
    found = summarize_placement("bob", played, is_counted=True)
    assert (found.games, found.faulty_games, found.is_counted) == (6, 1, True)
    assert found.cpu_ms == pytest.approx(2.0)
    assert found.first_fault == faults[0]
    assert [(one.opponent, one.games) for one in found.opponents] == [
        ("ann", 6),
        ("cleo", 3),
        ("dan", 3),
    ]
    ann = summarize_placement("ann", played, is_counted=False)
    assert (ann.faulty_games, ann.first_fault, ann.is_counted) == (0, None, False)
    against = {one.opponent: one for one in ann.opponents}
    assert against["bob"].ahead == 6 - found.opponents[0].ahead, "what one wins the other loses"
    assert against["bob"].points == pytest.approx(-found.opponents[0].points)


def test_a_summary_without_games() -> None:
    found = summarize_placement("ann", [], is_counted=False)
    assert (found.games, found.faulty_games, found.cpu_ms, found.opponents) == (0, 0, 0.0, [])


def test_reference_bots_that_any_machine_can_run() -> None:
    assert set(REFERENCE_BOTS) <= builtin_bots().keys()
    assert [one.name for one in reference_bots()] == list(REFERENCE_BOTS)


def partners(ladder: Ladder) -> list[Bot]:
    with Registry.open(ladder.folder) as registry:
        return [ladder.load_bot(one) for one in registry.active_versions()]


def newcomer(folder: Path, content: str = factories.INNOCENT_BOT) -> Bot:
    return replace(load_bot(factories.write_script(folder, "ann.py", content)), name="ann v1")


@pytest.mark.slow
def test_games_against_those_on_the_ladder(ladder: Ladder, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    found = play_placement(
        ladder,
        newcomer(tmp_path),
        "secret",
        partners(ladder),
        lambda *games: seen.append(games),
    )
    assert seen == [(number, 6) for number in range(1, 7)]
    assert found.is_counted
    assert (found.games, found.faulty_games, len(found.blocks)) == (6, 0, 1)
    assert set(found.blocks[0].bots) <= {"ann v1", *(f"{name} v1" for name in REFERENCE_BOTS)}


@pytest.mark.slow
def test_an_owner_with_bots_on_the_ladder_is_placed_against_reference_bots(
    ladder: Ladder, tmp_path: Path
) -> None:
    for name in ("anna", "annie", "hannah"):
        factories.add_version(ladder, name, owner="ann")
    assert (
        factories.submit_bot(ladder, factories.write_script(tmp_path), owner="ann")[0] == "accepted"
    )
    with Run.open(ladder.folder) as run:
        (block,) = run.blocks()
    assert "ann v1" in block.bots
    assert set(block.bots) <= {"ann v1", *(f"{name} v1" for name in REFERENCE_BOTS)}


@pytest.mark.slow
def test_too_few_on_the_ladder_to_count(empty_ladder: Ladder, tmp_path: Path) -> None:
    found = play_placement(empty_ladder, newcomer(tmp_path), "secret", [], lambda *_: None)
    assert not found.is_counted
    assert found.games == 6
    assert {one.opponent for one in found.opponents} < set(REFERENCE_BOTS)


@pytest.mark.slow
def test_a_bot_that_kills_itself_is_at_fault(ladder: Ladder, tmp_path: Path) -> None:
    suicidal = newcomer(tmp_path, factories.guilty_bot("os.kill(os.getpid(), signal.SIGKILL)"))
    found = play_placement(ladder, suicidal, "secret", partners(ladder), lambda *_: None)
    assert found.faulty_games == found.games == 6
    assert found.first_fault is not None
    assert found.first_fault.fault == "exited"


def test_failures_of_the_harness_are_not_faults(
    ladder: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(*_: object) -> None:
        raise HarnessFailure("the supervisor is gone")

    monkeypatch.setattr(placement, "play_chunk", play)
    with pytest.raises(HarnessFailure):
        play_placement(ladder, newcomer(tmp_path), "secret", partners(ladder), lambda *_: None)
