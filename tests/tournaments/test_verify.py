"""Whatever is changed in a run is found, and where."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.ratings.cell import Cell
from arena.store.block import StoredGame, pack_games, unpack_games
from arena.store.run import Run
from arena.tournaments.verify import RunVerification, verify_run
from tests.store.blocks import make_header
from tests.store.planned_runs import create_planned_run
from tests.tournaments.fake_tournaments import fake_bots

pytestmark = pytest.mark.slow


def verify(folder: Path, workers: int = 1) -> RunVerification:
    return verify_run(folder, lambda _done, _all: None, workers)


def change_database(folder: Path, statement: str, *given: object) -> None:
    """Change the file behind everybody's back."""
    with closing(sqlite3.connect(folder / "run.db")) as connection, connection:
        connection.execute(statement, given)


def repacked(folder: Path, change: Callable[[list[StoredGame]], list[StoredGame]]) -> None:
    """Change the records of the block 2."""
    with closing(sqlite3.connect(folder / "run.db")) as connection, connection:
        (packed,) = connection.execute("SELECT games FROM kept WHERE block = 2").fetchone()
        again = pack_games(change(list(unpack_games(packed))))
        connection.execute("UPDATE kept SET games = ? WHERE block = 2", (again,))


def key(folder: Path) -> str:
    """The id of the block 2, without a turn."""
    with Run.open(folder) as run:
        return next(
            bytes(one).hex()[:10]
            for (one,) in run.connection.execute("SELECT key FROM block WHERE id = 2")
        )


def other_choice(games: list[StoredGame]) -> list[StoredGame]:
    """Two choices of a seat change places: legal or not, it is another game."""
    choices = list(games[1].record.choices)
    choices[-1], choices[-5] = choices[-5], choices[-1]
    return [games[0], replace(games[1], record=replace(games[1].record, choices=tuple(choices)))]


def faster(games: list[StoredGame]) -> list[StoredGame]:
    """A bot took less time."""
    record = games[1].record
    return [games[0], replace(games[1], record=replace(record, cpu=(0, *record.cpu[1:])))]


def test_all_is_right(tmp_path: Path) -> None:
    cells = (Cell("stick-em", 3), Cell("stick-em", 4))
    for seating in ("balanced", "all", "rotations", "random"):
        folder = create_planned_run(tmp_path / seating, faults=True, cells=cells, seating=seating)
        found = verify(folder)
        assert found.is_correct, found
        assert found.blocks == 3 * (4 + 1)
        assert [(one.variant, one.seats) for one in found.fairness] == [
            ("stick-em", 3),
            ("stick-em", 4),
        ]
        assert sum(one.games for one in found.fairness) == found.games
        assert all(one.balanced for one in found.fairness) == (seating in {"balanced", "all"})


@pytest.mark.parametrize(
    ("statement", "where", "said"),
    [
        (
            "UPDATE game SET scores = '[99,0,0]' WHERE block = 2 AND turn = 1",
            "-1",
            "played again its scores are",
        ),
        (
            "UPDATE game SET cpu = '[0,0,0]' WHERE block = 2 AND turn = 1",
            "-1",
            "played again its cpu are",
        ),
        ("DELETE FROM game WHERE block = 2 AND turn = 1", "-1", "it is missing"),
        (
            "DELETE FROM entry WHERE block = 2 AND place = 1",
            "",
            "2 bots are listed at a table of 3",
        ),
        ("UPDATE game SET points = '[1]' WHERE block = 2 AND turn = 1", "-1", "its points are"),
        (
            "UPDATE entry SET points = points + 1 WHERE block = 2 AND place = 0",
            "",
            "what its bots have come to is not the sum of its games",
        ),
        ("UPDATE entry SET wins = 3 WHERE block = 2 AND place = 0", "", "what its bots have come"),
        (
            "UPDATE game SET seating = '[2,1,0]' WHERE block = 2 AND turn = 1",
            "-1",
            "its seating is (2, 1, 0), and its design has",
        ),
        ("UPDATE game SET seating = '[7,1,0]' WHERE block = 2 AND turn = 1", "-1", "its seating"),
        ("UPDATE game SET ranks = 'no' WHERE block = 2 AND turn = 1", "", "garbled"),
        ("UPDATE block SET seed = seed + 1 WHERE id = 2", "", "its deal is"),
        ("UPDATE block SET number = number + 1 WHERE id = 2", "", "its deal is"),
        ("UPDATE block SET key = zeroblob(16) WHERE id = 2", "", "its key is 0000"),
        ("UPDATE block SET games = 7 WHERE id = 2", "-6", "it is missing"),
        ("UPDATE block SET games = 1 WHERE id = 2", "", "1 games should be stored, and 3 are"),
        ("UPDATE block SET variant = 'sticheln' WHERE id = 2", "", "its deal is"),
        ("UPDATE kept SET games = x'ff00' WHERE block = 2", "", "cannot be read"),
        ("DELETE FROM kept WHERE block = 2", "", "are cut off"),
        ("DELETE FROM fault", "", "the faults that are listed are not those of its games"),
        ("UPDATE fault SET text = 'nothing'", "", "the faults that are listed"),
        ("UPDATE fault SET bot = 3 WHERE bot != 3", "", "the faults that are listed"),
    ],
)
def test_changes_in_the_tables_are_found(
    tmp_path: Path, statement: str, where: str, said: str
) -> None:
    folder = create_planned_run(
        tmp_path, faults=True, cells=(Cell("stick-em", 3),), seating="rotations"
    )
    first = key(folder)
    change_database(folder, statement)
    found = verify(folder)
    assert not found.is_correct
    blamed = {(one.where, one.error) for one in found.wrong}
    mine = {"0000000000" if "zeroblob" in statement else first}
    if "fault" in statement:
        mine = {one for one, _ in blamed}
    named = {f"{block}{where}" for block in mine}
    assert any(one in named and said in error for one, error in blamed), blamed
    assert {one.split("-")[0] for one, _ in blamed} == mine, "nobody else is blamed"


@pytest.mark.parametrize(
    ("change", "where", "said"),
    [
        (other_choice, "-1", ""),
        (faster, "-1", "played again its cpu are"),
        (lambda games: [games[1], games[0]], "-0", "in its record other bots sit there"),
        (lambda games: games[:1], "-1", "it is missing"),
    ],
)
def test_changes_in_the_records_are_found(
    tmp_path: Path, change: Callable[[list[StoredGame]], list[StoredGame]], where: str, said: str
) -> None:
    folder = create_planned_run(tmp_path, cells=(Cell("stick-em", 3),), seating="rotations")
    first = key(folder)
    repacked(folder, lambda games: [*change(games[:2]), *games[2:]][: len(games)])
    found = verify(folder)
    blamed = {(one.where, one.error) for one in found.wrong}
    assert any(one.startswith(f"{first}") and said in error for one, error in blamed), where
    assert {one.split("-")[0] for one, _ in blamed} == {first}


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE header SET commitment = 'x'", "the seed is not the one that x was a commitment"),
        ("DELETE FROM block WHERE id = 2", "1 blocks have been taken away"),
        (
            """UPDATE header SET settings = json_set(settings, '$.protocol', 99)""",
            "it was played with protocol 99",
        ),
    ],
)
def test_changes_in_the_header_are_found(tmp_path: Path, statement: str, said: str) -> None:
    folder = create_planned_run(tmp_path, cells=(Cell("stick-em", 3),))
    change_database(folder, statement)
    found = verify(folder)
    assert any(line.startswith(said) for line in found.run)


def test_another_seed_or_other_terms(tmp_path: Path) -> None:
    """Deals and keys come from them, so nothing fits any more."""
    for name, statement in (
        ("seed", "UPDATE header SET seed = 'other'"),
        ("terms", "UPDATE header SET settings = json_set(settings, '$.clock.move', 99)"),
        ("bot", "UPDATE bot SET version = '2'"),
    ):
        folder = create_planned_run(tmp_path / name, cells=(Cell("stick-em", 3),))
        change_database(folder, statement)
        with Run.open(folder) as run:
            ids = {block.hex()[:10] for block in run.block_keys()}
        found = verify(folder)
        assert {one.where.split("-")[0] for one in found.wrong} == ids


@pytest.mark.slow
def test_on_several_cores(tmp_path: Path) -> None:
    cells = (Cell("stick-em", 3),)
    folder = create_planned_run(tmp_path, cells=cells, bots=fake_bots(8), deals=5, seating="random")
    change_database(folder, "UPDATE game SET scores = '[99,0,0]' WHERE block = 2")
    found = verify(folder, workers=2)
    assert found.blocks == 280
    assert len(found.wrong) == 1
    assert found == verify(folder, workers=1)


def test_progress(tmp_path: Path) -> None:
    folder = create_planned_run(tmp_path, cells=(Cell("stick-em", 3),), deals=9, seating="random")
    told: list[tuple[int, int]] = []
    verify_run(folder, lambda done, total: told.append((done, total)), 1)
    assert told == [(16, 36), (32, 36), (36, 36)]


def test_a_run_that_does_not_say_what_decides_it(tmp_path: Path) -> None:
    Run.create(tmp_path, make_header()).close()
    with pytest.raises(ArenaError, match="what decides the deals of friday is not written down"):
        verify(tmp_path)
