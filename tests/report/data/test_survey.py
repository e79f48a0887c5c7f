"""A survey is what the commands say of a run, worked out once."""

from pathlib import Path

import pytest

from arena.games.catalog import VARIANTS
from arena.ratings.cell import Cell
from arena.ratings.crosstable import rate_crosstable
from arena.ratings.standings import build_standings
from arena.report.data.survey import all_scopes, bots_by_rank, survey_run
from arena.store.run import Run
from tests.cli.runs import BOTS, CELLS, create_run, make_blocks, make_header
from tests.report.runs import write_run
from tests.store.blocks import make_block


def cells(text: str) -> list[Cell]:
    """Cells from a line: `cells("sticheln 3 4, stick-em 3")`."""
    found = []
    for part in text.split(", ") if text else []:
        name, *sizes = part.split()
        found += [Cell(name, int(size)) for size in sizes]
    return found


@pytest.mark.parametrize(
    ("played", "pages"),
    [
        ("", "index"),
        ("sticheln 3", "index"),
        ("sticheln 4 3", "index all_3-seats all_4-seats"),
        ("sticheln 3, stick-em 3", "index sticheln stick-em"),
        (
            "sticheln+mild 4, stick-em 3",
            (
                "index sticheln-mild stick-em all_3-seats all_4-seats "
                "sticheln-mild_4-seats stick-em_3-seats"
            ),
        ),
    ],
)
def test_pages(played: str, pages: str) -> None:
    found = [
        one.path.removeprefix("standings/").removesuffix(".html")
        for one in all_scopes(cells(played))
    ]
    assert found == pages.split()


def test_titles() -> None:
    found = {one.title: one.cells for one in all_scopes(cells("sticheln 3 4, stick-em 3"))}
    assert found == {
        "overall": tuple(cells("sticheln 3 4, stick-em 3")),
        "stick-em": tuple(cells("stick-em 3")),
        "sticheln": tuple(cells("sticheln 3 4")),
        "3 seats": tuple(cells("sticheln 3, stick-em 3")),
        "4 seats": tuple(cells("sticheln 4")),
        "stick-em, 3 seats": tuple(cells("stick-em 3")),
        "sticheln, 3 seats": tuple(cells("sticheln 3")),
        "sticheln, 4 seats": tuple(cells("sticheln 4")),
    }


def test_all_that_can_be_played() -> None:
    """No two parts have the same page or title, and those of a kind hold every cell once."""
    every = [Cell(one.name, size) for one in VARIANTS.values() for size in one.seats]
    found = list(all_scopes(every))
    assert len(every) == 246
    assert len({one.path for one in found}) == len({one.title for one in found}) == len(found)
    for kind in ((True, False), (False, True), (True, True)):
        some = [one for one in found if (one.variant is not None, one.seats is not None) == kind]
        held = [cell for one in some for cell in one.cells]
        assert sorted(held) == sorted(every)


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_run(tmp_path_factory.mktemp("runs") / "friday", blocks=5)


def test_tables(friday: Path) -> None:
    """Every part of a run has the table that only its cells come to."""
    with Run.open(friday) as run:
        found = survey_run(run)
        for scope in found.scopes:
            some = {cell: run.results(cell) for cell in scope.cells}
            alone = build_standings(run.roster(), some, times=True).overall
            table = found.table(scope)
            assert (table.lines, table.cells) == (alone.lines, alone.cells)
            assert found.crosstable(scope, only_met=False) == rate_crosstable(run.roster(), some)
        every = {cell: run.results(cell) for cell in run.cells()}
        assert found.standings() == build_standings(run.roster(), every, times=True)
        tables = [found.table(scope) for scope in found.scopes]
        assert found.standings(tables) == found.standings()  # whichever are there already
        assert found.blocks == len(run.block_keys())
        assert found.games == run.game_count()


def test_a_survey_has_every_cell(friday: Path) -> None:
    with Run.open(friday) as run:
        found = survey_run(run)
    cells = sorted(CELLS)
    assert (
        list(found.seat_bias)
        == list(found.cell_spreads)
        == list(found.point_distributions)
        == cells
    )
    assert [(one.variant, one.seats) for one in found.fairness] == [
        (cell.variant, cell.seats) for cell in cells
    ]
    assert len(found.extreme_games) == len(BOTS)
    assert {one.cell for own in found.extreme_games for one in own} == set(CELLS)
    for bot, own in zip(BOTS, found.extreme_games, strict=True):
        with Run.open(friday) as run:
            for one in own:
                key, turn = run.find_game(one.game)
                game = run.block(key)
                told = game.results[turn]
                assert game.bots[told.seating[one.seat]] == bot
                assert told.points[one.seat] == one.points


def test_deals_that_two_blocks_share(tmp_path: Path) -> None:
    with Run.open(write_run(tmp_path, [make_block(0), make_block(1)])) as run:
        assert survey_run(run).shared_deals == 0
    about = make_header()
    folder = tmp_path / "twice"
    with Run.create(folder, about) as run:
        for cell in CELLS[:2]:  # both count their deals from 0
            run.add(make_blocks(about, cell, 3, BOTS, 6.0))
    with Run.open(folder) as run:
        assert survey_run(run).shared_deals == 3


def test_progress_is_reported(friday: Path) -> None:
    told: list[str] = []
    with Run.open(friday) as run:
        survey_run(run, told.append)
    assert len(told) == len(set(told)) >= 3


def test_the_order_is_that_of_the_table(friday: Path) -> None:
    with Run.open(friday) as run:
        found = survey_run(run)
    ranked = [line.bot for line in found.table(found.scopes[0]).lines]
    assert bots_by_rank(found.roster, found.rated_cells) == ranked
    for cell, spread in found.cell_spreads.items():
        names = [one.bot for one in spread.bots]
        assert names == [name for name in ranked if name in names], cell


def test_a_run_without_games(tmp_path: Path) -> None:
    with Run.open(create_run(tmp_path, blocks=0)) as run:
        found = survey_run(run)
    assert (found.blocks, found.games, found.shared_deals) == (0, 0, 0)
    assert [scope.path for scope in found.scopes] == ["index.html"]
    assert found.rating_history == []
    assert found.sample.games == 0
