"""Excuses are kept beside the blocks, and counted for each bot and cell."""

import shutil
from itertools import permutations
from pathlib import Path

import pytest

from arena.ratings.cell import Cell
from arena.ratings.standings import build_standings
from arena.store.database import BadRun
from arena.store.excuses import Excuse
from arena.store.merge import merge_runs
from arena.store.run import Run
from tests.store.blocks import make_block, make_header

CELL = Cell("stick-em", 3)


def excuse(bot: str, at: int = 0, seats: int = CELL.seats) -> Excuse:
    """A kill of a bot in the chunk that begins with the first block."""
    return Excuse(
        bot=bot,
        variant=CELL.variant,
        seats=seats,
        chunk=make_block(0).key,
        text=f"{bot} was killed",
        at=f"2030-01-01T00:00:{at:02}+00:00",
    )


def stored_run(folder: Path, *excuses: Excuse, code: str = "code") -> Path:
    with Run.create(folder, make_header()) as run:
        run.begin_session(code, 1)
        run.add([make_block(number, CELL.variant) for number in range(3)])
        for one in excuses:
            run.add_excuse(one)
    return folder


def test_they_are_there_again(tmp_path: Path) -> None:
    given = [excuse("bob", 1), excuse("ann", 2), excuse("bob", 3)]
    stored_run(tmp_path, *given)
    with Run.open(tmp_path) as run:
        (session,) = run.sessions()
        assert [(one.bot, one.at, one.chunk) for one in run.excuses()] == [
            (one.bot, one.at, one.chunk) for one in given
        ]
        assert {one.session for one in run.excuses()} == {session}
        assert run.find_problems() == []
        with pytest.raises(BadRun, match="opened to be read only"):
            run.add_excuse(given[0])


def test_they_are_counted_in_their_cell(tmp_path: Path) -> None:
    stored_run(tmp_path, excuse("bob"), excuse("bob"), excuse("ann"), excuse("cleo", seats=4))
    with Run.open(tmp_path) as run:
        results = run.results(CELL)
        standings = build_standings(run.roster(), {CELL: results})
        some = results.select_blocks(results.games < 0)
    assert results.excused.tolist() == [1, 1, 0]
    assert some.excused.tolist() == [1, 1, 0]
    table = standings.overall
    assert table.excuses == 3
    assert {line.bot: line.excuses for line in table.lines if line.excuses} == {"ann": 1, "bob": 2}


@pytest.mark.slow
def test_merging_counts_each_once(tmp_path: Path) -> None:
    """What a copy of a run holds as well has happened once."""
    first = stored_run(tmp_path / "a", excuse("bob", 1), excuse("ann", 2), code="one")
    copy = Path(shutil.copytree(first, tmp_path / "b"))
    with Run.open_for_writing(copy) as run:
        run.begin_session("later", 1)
        run.add_excuse(excuse("bob", 4))
    other = stored_run(tmp_path / "c", excuse("bob", 3), code="other")
    found = []
    for number, order in enumerate(permutations([first, copy, other])):
        out = tmp_path / f"out{number}"
        merge_runs(order, out)
        with Run.open(out) as run:
            found.append(run.excuses())
    assert all(one == found[0] for one in found)
    listed = [(one.bot, one.at[17:19], one.session.code if one.session else "") for one in found[0]]
    assert listed == [
        ("bob", "01", "one"),
        ("ann", "02", "one"),
        ("bob", "03", "other"),
        ("bob", "04", "later"),
    ]
