"""The options that select a run and its cells."""

from pathlib import Path

import pytest

from arena.cli import run_options
from arena.cli.run_options import EmptySelection
from arena.ratings.cell import Cell
from arena.ratings.overall import Roster
from arena.store.run import Run
from tests.cli.runs import BOTS, CELLS, create_run, make_header

SMALL, LARGE, MILD, STICK_EM = CELLS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_run(tmp_path_factory.mktemp("runs") / "friday", blocks=2)


@pytest.mark.parametrize(
    ("variants", "seats", "chosen"),
    [
        ([], [], list(CELLS)),
        (["sticheln"], [], [SMALL, LARGE]),
        (["STICHELN+mild "], [], [MILD]),
        (["sticheln+*"], [], [MILD]),
        (["stick*", "sticheln"], [3], [SMALL, STICK_EM]),
        ([], [4], [LARGE, MILD]),
        ([], [4, 3], list(CELLS)),
    ],
)
def test_cells(folder: Path, variants: list[str], seats: list[int], chosen: list[Cell]) -> None:
    with Run.open(folder) as run:
        assert sorted(run_options.select_cells(run, variants, seats)) == sorted(chosen)


@pytest.mark.parametrize(
    ("variants", "seats", "said"),
    [
        (["was-sticht"], [], "'was-sticht'; there are sticheln, sticheln+mild and stick-em"),
        (["sticheln", "x*"], [], "'x*'"),
        (["sticheln+mild"], [3], "tables of 3"),
        ([], [8], "tables of 8"),
    ],
)
def test_options_that_select_nothing(
    folder: Path, variants: list[str], seats: list[int], said: str
) -> None:
    with Run.open(folder) as run, pytest.raises(EmptySelection) as error:
        run_options.select_cells(run, variants, seats)
    assert said in str(error.value)


def test_modifiers_in_any_order(tmp_path: Path) -> None:
    cell = Cell("sticheln+mild+hazy", 3)
    with Run.open(create_run(tmp_path / "run", cells=[cell], blocks=1)) as run:
        assert run_options.select_cells(run, ["sticheln+hazy+mild"], []) == [cell]


def test_the_folder_or_its_file(folder: Path) -> None:
    assert run_options.run_folder(folder) == folder
    assert run_options.run_folder(folder / "run.db") == folder


def test_the_only_run_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EmptySelection, match="no run under runs"):
        run_options.run_folder(None)
    create_run(Path("runs/friday"), blocks=1)
    Path("runs/other").mkdir()
    assert run_options.run_folder(None) == Path("runs/friday")
    create_run(Path("runs/monday"), blocks=1)
    with pytest.raises(EmptySelection, match="There are 2: runs/friday and runs/monday"):
        run_options.run_folder(None)


def test_anchors_and_rating_method(tmp_path: Path) -> None:
    about = make_header(standing="placement", anchors="bob eve")
    with Run.open(create_run(tmp_path / "run", about=about, blocks=0)) as run:
        assert run.roster() == Roster("friday", BOTS, "placement", ("bob", "eve"))
        assert run_options.select_cells(run, ["sticheln"], []) == []
