"""A survey is what the commands say of a run, worked out once."""

from pathlib import Path

import pytest

from arena.ratings.crosstable import compare
from arena.ratings.standings import assemble
from arena.report.survey import order_of, survey
from arena.store.run import Run
from tests.cli.runs import BOTS, CELLS, header, made, played
from tests.report.runs import kept
from tests.store.blocks import block

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("runs") / "friday", blocks=5)


def test_tables(friday: Path) -> None:
    """Every part of a run has the table that only its cells come to."""
    with Run.open(friday) as run:
        found = survey(run)
        for scope in found.scopes:
            some = {cell: run.results(cell) for cell in scope.cells}
            alone = assemble(run.roster(), some, times=True).overall
            table = found.table(scope)
            assert (table.lines, table.cells) == (alone.lines, alone.cells)
            assert found.crosstable(scope, met=False) == compare(run.roster(), some)
        every = {cell: run.results(cell) for cell in run.cells()}
        assert found.standings() == assemble(run.roster(), every, times=True)
        tables = [found.table(scope) for scope in found.scopes]
        assert found.standings(tables) == found.standings()  # whichever are there already
        assert found.blocks == len(run.done())
        assert found.games == run.size()


def test_every_cell_is_told(friday: Path) -> None:
    with Run.open(friday) as run:
        found = survey(run)
    cells = sorted(CELLS)
    assert list(found.bias) == list(found.spread) == list(found.scattered) == cells
    assert [(one.variant, one.seats) for one in found.fairness] == [
        (cell.variant, cell.seats) for cell in cells
    ]
    assert len(found.outstanding) == len(BOTS)
    assert {one.cell for own in found.outstanding for one in own} == set(CELLS)
    for bot, own in zip(BOTS, found.outstanding, strict=True):
        with Run.open(friday) as run:
            for one in own:
                key, turn = run.find(one.game)
                game = run.block(key)
                told = game.results[turn]
                assert game.bots[told.seating[one.seat]] == bot
                assert told.points[one.seat] == one.points


def test_deals_that_two_blocks_share(tmp_path: Path) -> None:
    with Run.open(kept(tmp_path, [block(0), block(1)])) as run:
        assert survey(run).shared == 0
    about = header()
    folder = tmp_path / "twice"
    with Run.create(folder, about) as run:
        for cell in CELLS[:2]:  # both count their deals from 0
            run.add(made(about, cell, 3, BOTS, 6.0))
    with Run.open(folder) as run:
        assert survey(run).shared == 3


def test_what_is_worked_out_is_told(friday: Path) -> None:
    told: list[str] = []
    with Run.open(friday) as run:
        survey(run, told.append)
    assert len(told) == len(set(told)) >= 3


def test_the_order_is_that_of_the_table(friday: Path) -> None:
    with Run.open(friday) as run:
        found = survey(run)
    ranked = [line.bot for line in found.table(found.scopes[0]).lines]
    assert order_of(found.roster, found.rated) == ranked
    for cell, spread in found.spread.items():
        names = [one.bot for one in spread.bots]
        assert names == [name for name in ranked if name in names], cell


def test_nothing_is_played_yet(tmp_path: Path) -> None:
    with Run.open(played(tmp_path, blocks=0)) as run:
        found = survey(run)
    assert (found.blocks, found.games, found.shared) == (0, 0, 0)
    assert [scope.path for scope in found.scopes] == ["index.html"]
    assert found.courses == []
    assert found.sample.games == 0
