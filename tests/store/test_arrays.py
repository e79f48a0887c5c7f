"""What the ratings read does not depend on the order in which it was written."""

import random
from pathlib import Path

import numpy as np
import pytest

from arena.ratings.cell import Cell
from arena.ratings.results import Results, SeatedGames
from arena.referee.faults import Fault
from arena.store.block import PlayedBlock
from arena.store.database import BadRun
from arena.store.run import Run
from arena.store.writing import block_entries
from tests.store.blocks import BOTS, make_block, make_header

STICHELN, HAT_TRICK = Cell("sticheln", 3), Cell("hat-trick", 4)
TABLES = (BOTS[:3], BOTS[2:], ("eve", "ann", "dan"))
BLOCKS = [
    *(
        make_block(number, bots=table, faults=(Fault(1, "illegal", "no"),) if number == 3 else ())
        for number in range(4)
        for table in TABLES
    ),
    *(make_block(number, "hat-trick", BOTS[1:]) for number in range(2)),
]


def stored_run(folder: Path, blocks: list[PlayedBlock], bots: tuple[str, ...] = BOTS) -> Run:
    with Run.create(folder, make_header(bots)) as run:
        for start in range(0, len(blocks), 5):
            run.add(blocks[start : start + 5])
    return Run.open(folder)


def are_equal(one: Results | SeatedGames, other: Results | SeatedGames) -> bool:
    pairs = zip(vars(one).values(), vars(other).values(), strict=True)
    return all(
        np.array_equal(mine, yours) and getattr(mine, "dtype", 0) == getattr(yours, "dtype", 0)
        for mine, yours in pairs
    )


def test_results(tmp_path: Path) -> None:
    with stored_run(tmp_path, BLOCKS) as run:
        assert run.cells() == [HAT_TRICK, STICHELN]
        for cell in run.cells():
            found = run.results(cell)
            mine = sorted(
                (one for one in BLOCKS if one.variant == cell.variant), key=lambda one: one.key
            )
            assert found.blocks == len(mine)
            for row, one in enumerate(mine):
                assert [BOTS[number] for number in found.bot_indices[row]] == list(one.bots)
                assert found.games[row] == len(one.results)
                assert found.number[row] == one.number
                for place, entry in enumerate(block_entries(one.results, one.seats)):
                    for name in ("points", "placement", "wins", "faults", "decisions", "cpu"):
                        assert getattr(found, name)[row, place] == getattr(entry, name)


def test_seatings(tmp_path: Path) -> None:
    with stored_run(tmp_path, BLOCKS) as run:
        found = run.seatings(STICHELN)
        total = run.results(STICHELN)
        row = 0
        for number, one in enumerate(
            sorted((one for one in BLOCKS if one.seats == 3), key=lambda one: one.key)
        ):
            for game in one.results:
                assert found.block[row] == number
                seated = [one.bots[place] for place in game.seating]
                assert [BOTS[bot] for bot in found.bot_indices[row]] == seated
                assert found.points[row].tolist() == list(game.points)
                beaten = [sum(other > own for other in game.ranks) / 2 for own in game.ranks]
                if len(set(game.ranks)) == 3:
                    assert found.placement[row].tolist() == beaten
                row += 1
        assert row == len(found.block)
        assert np.isclose(found.points.sum(), total.points.sum())
        assert np.isclose(found.placement.sum(), total.placement.sum())


def test_order_does_not_show(tmp_path: Path) -> None:
    with stored_run(tmp_path / "first", BLOCKS) as first:
        for seed in range(3):
            blocks = random.Random(seed).sample(BLOCKS, len(BLOCKS))
            with stored_run(tmp_path / str(seed), blocks) as other:
                for cell in first.cells():
                    assert are_equal(first.results(cell), other.results(cell))
                    assert are_equal(first.seatings(cell), other.seatings(cell))


def test_only_some(tmp_path: Path) -> None:
    some = {one.key for one in BLOCKS[:7]}
    with (
        stored_run(tmp_path / "all", BLOCKS) as run,
        stored_run(tmp_path / "some", BLOCKS[:7]) as few,
    ):
        assert are_equal(run.results(STICHELN, only=some), few.results(STICHELN))
        assert run.results(STICHELN, only=set()).blocks == 0


def test_storage_order(tmp_path: Path) -> None:
    """The keys are those of `results`, and the numbers rise as the blocks came, in all cells."""
    blocks = random.Random(7).sample(BLOCKS, len(BLOCKS))
    with stored_run(tmp_path, blocks) as run:
        found: dict[bytes, int] = {}
        for cell in run.cells():
            keys, numbers = run.storage_order(cell)
            assert keys == sorted(one.key for one in BLOCKS if one.seats == cell.seats)
            found |= dict(zip(keys, numbers.tolist(), strict=True))
        assert sorted(found, key=lambda key: found[key]) == [one.key for one in blocks]
        assert len(set(found.values())) == len(BLOCKS)
        keys, numbers = run.storage_order(Cell("was-sticht", 3))
        assert (keys, numbers.shape) == ([], (0,))


def test_a_run_without_games(tmp_path: Path) -> None:
    with stored_run(tmp_path, []) as run:
        assert run.cells() == []
        assert run.results(STICHELN).bot_indices.shape == (0, 3)
        assert run.seatings(STICHELN).bot_indices.shape == (0, 3)


def test_bots_are_numbered_by_the_header(tmp_path: Path) -> None:
    """Also if it has changed since they played."""
    with stored_run(tmp_path, BLOCKS) as run:
        before = run.results(STICHELN).bot_indices
    backwards = ("zoe", *reversed(BOTS))
    with Run.open_for_writing(tmp_path) as run:
        run.update(make_header(backwards))
        assert [bot.name for bot in run.header.bots] == list(backwards)
        now = run.results(STICHELN).bot_indices
    assert np.array_equal(now, 5 - before)


@pytest.mark.parametrize("table", ["entry", "game"])
def test_incomplete_blocks_are_not_rated(tmp_path: Path, table: str) -> None:
    stored_run(tmp_path, BLOCKS).close()
    with Run.open_for_writing(tmp_path) as run:
        column = {"entry": "place", "game": "turn"}[table]
        run.connection.execute(f"DELETE FROM {table} WHERE block = 3 AND {column} = 1")  # noqa: S608
        with pytest.raises(BadRun, match="are not complete; see arena verify"):
            run.seatings(STICHELN)
        if table == "entry":
            with pytest.raises(BadRun, match=r"entries of .* are not complete; see arena verify"):
                run.results(STICHELN)


def test_garbled_numbers(tmp_path: Path) -> None:
    stored_run(tmp_path, BLOCKS).close()
    with Run.open_for_writing(tmp_path) as run:
        run.connection.execute("UPDATE game SET points = '[1,2]' WHERE block = 3")
        with pytest.raises(BadRun, match="garbled; see arena verify"):
            run.seatings(STICHELN)
