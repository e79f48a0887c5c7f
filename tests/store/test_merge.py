"""Runs of one plan become one, the same in whatever order they are named."""

import os
import shutil
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from arena.store.block import PlayedBlock
from arena.store.database import BadRun
from arena.store.header import Entrant, RunHeader
from arena.store.merge import merge_runs
from arena.store.run import Run
from tests.store.blocks import BOTS, make_block, make_header
from tests.store.test_arrays import are_equal

BLOCKS = [make_block(number) for number in range(8)]
SLOWER = [make_block(number, cpu=70) for number in range(8)]


def stored_run(
    folder: Path, blocks: list[PlayedBlock], about: RunHeader | None = None, code: str = "c"
) -> Path:
    with Run.create(folder, about or make_header()) as run:
        run.begin_session(code, 1)
        run.add(blocks)
    return folder


def test_two_halves_make_a_whole_run(tmp_path: Path) -> None:
    first = stored_run(tmp_path / "a", BLOCKS[:5], code="one")
    second = stored_run(tmp_path / "b", BLOCKS[5:], code="two")
    merged = merge_runs([first, second], tmp_path / "out")
    assert (merged.blocks, merged.games, merged.duplicates, merged.conflicts) == (8, 24, 0, 0)
    with Run.open(tmp_path / "out") as run:
        assert {one.key: one for one in BLOCKS} == {one.key: one for one in run.blocks()}
        assert run.header == make_header()
        assert run.find_problems() == []
        sessions = [run.session_of(one.key) for one in BLOCKS]
        assert [one.code for one in sessions if one] == ["one"] * 5 + ["two"] * 3
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "out"}
    with Run.open_for_writing(tmp_path / "out") as run:
        assert run.add([make_block(8)]) == 1


def test_the_order_of_runs_does_not_matter(tmp_path: Path) -> None:
    """Duplicates with other times, and conflicts: always the same ones stay."""
    odd = [make_block(3, luck=1), make_block(4, luck=2)]
    folders = [
        stored_run(tmp_path / "a", BLOCKS[:6], code="one"),
        stored_run(tmp_path / "b", [*SLOWER[:3], *odd], code="two"),
        stored_run(
            tmp_path / "c",
            [*BLOCKS[6:], make_block(4, luck=3)],
            make_header(created="2031"),
            "three",
        ),
    ]
    every = []
    for number, order in enumerate(permutations(folders)):
        out = tmp_path / f"out{number}"
        merged = merge_runs(order, out)
        assert (merged.blocks, merged.duplicates, merged.conflicts) == (8, 3, 3)
        with Run.open(out) as run:
            (cell,) = run.cells()
            every.append(
                (
                    run.results(cell),
                    run.seatings(cell),
                    list(run.blocks()),
                    list(run.contradicting_results()),
                    run.sessions(),
                    run.header,
                )
            )
    for results, seatings, *rest in every[1:]:
        assert are_equal(results, every[0][0])
        assert are_equal(seatings, every[0][1])
        assert rest == list(every[0][2:])
    assert len(every[0][3]) == 3


def test_conflicts_name_both(tmp_path: Path) -> None:
    folders = [
        stored_run(tmp_path / "a", BLOCKS),
        stored_run(tmp_path / "b", [make_block(3, luck=1)]),
    ]
    (conflict,) = merge_runs(folders, tmp_path / "out").named
    assert {conflict.kept, conflict.dropped} == {str(folder) for folder in folders}
    assert conflict.block == BLOCKS[3].key.hex()
    results = {str(folders[0]): BLOCKS[3].results, str(folders[1]): make_block(3, luck=1).results}
    assert conflict.results == results[conflict.kept]
    assert conflict.others == results[conflict.dropped]


def test_old_conflicts_are_not_forgotten(tmp_path: Path) -> None:
    first = stored_run(tmp_path / "a", [BLOCKS[0], make_block(0, luck=1)])
    second = stored_run(tmp_path / "b", BLOCKS[1:])
    assert merge_runs([first, second], tmp_path / "out").conflicts == 0
    with Run.open(tmp_path / "out") as run:
        (aside,) = run.contradicting_results()
    assert aside.results == make_block(0, luck=1).results


def test_a_run_with_itself(tmp_path: Path) -> None:
    folder = stored_run(tmp_path / "a", BLOCKS)
    merged = merge_runs([folder, folder], tmp_path / "out")
    assert (merged.blocks, merged.duplicates) == (8, 8)


def test_a_run_that_is_being_played(tmp_path: Path) -> None:
    second = stored_run(tmp_path / "b", BLOCKS[5:])
    with Run.create(tmp_path / "a", make_header()) as run:
        run.add(BLOCKS[:5])
        assert merge_runs([tmp_path / "a", second], tmp_path / "out").blocks == 8


@pytest.mark.parametrize(
    ("other", "differences"),
    [
        (make_header(seed="x"), "their seeds differ"),
        (make_header(settings={"deals": 4}), "'deals' is 3 in the first and 4 in the second"),
        (
            make_header(settings={"deals": 3, "seating": "all"}),
            """'seating' is null in the first and "all" in the second""",
        ),
        (
            make_header(BOTS[:3]),
            "the bot 'dan' is only in the first; the bot 'eve' is only in the first",
        ),
        (make_header([*BOTS, "z\x1b"]), r"the bot 'z\x1b' is only in the second"),
        (
            replace(
                make_header(), bots=(Entrant("ann", "2", "/bots/ann"), *make_header().bots[1:])
            ),
            "the bot 'ann' is version 1 in the first and 2 in the second",
        ),
    ],
)
def test_other_plans(tmp_path: Path, other: RunHeader, differences: str) -> None:
    folders = [
        stored_run(tmp_path / "a", BLOCKS[:1]),
        stored_run(tmp_path / "b", BLOCKS[:1], other),
    ]
    with pytest.raises(BadRun) as caught:
        merge_runs(folders, tmp_path / "out")
    assert (
        str(caught.value)
        == f"{folders[0]} and {folders[1]} are not of the same plan: {differences}"
    )
    assert not (tmp_path / "out").exists()


def test_paths_of_bots_do_not_matter(tmp_path: Path) -> None:
    moved = tuple(replace(bot, path=f"/elsewhere/{bot.name}") for bot in make_header().bots)
    second = stored_run(tmp_path / "b", BLOCKS[5:], replace(make_header(), bots=moved))
    first = stored_run(tmp_path / "a", BLOCKS[:5])
    assert merge_runs([first, second], tmp_path / "out").blocks == 8


def test_digests_and_the_digits_of_old_runs(tmp_path: Path) -> None:
    """An old run goes with a new one, but two bots that begin alike do not by way of it."""
    one, other = ("0123456789ab" + each * 52 for each in "0f")
    folders = []
    for number, version in enumerate((one[:12], one, other)):
        changed = replace(
            make_header(), bots=(Entrant("ann", version, "/x"), *make_header().bots[1:])
        )
        folders.append(stored_run(tmp_path / str(number), BLOCKS[number : number + 2], changed))
    assert merge_runs(folders[:2], tmp_path / "out").blocks == 3
    with Run.open(tmp_path / "out") as run:
        assert run.header.bots[0].version == one
    with pytest.raises(BadRun, match="'ann' is version 0123456789ab in the first and 0123456789ab"):
        merge_runs(folders, tmp_path / "more")


def test_an_existing_folder(tmp_path: Path) -> None:
    folder = stored_run(tmp_path / "a", BLOCKS)
    for out in (folder, tmp_path):
        with pytest.raises(BadRun, match="is there already"):
            merge_runs([folder, folder], out)


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    first, second = stored_run(tmp_path / "a", BLOCKS[:5]), stored_run(tmp_path / "b", BLOCKS[5:])
    with Run.open_for_writing(second) as run:
        run.connection.execute("UPDATE game SET scores = 'rubbish'")
    with pytest.raises(BadRun, match="something in it is garbled"):
        merge_runs([first, second], tmp_path / "out")
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]  # noqa: PTH208


def test_bots_are_numbered_alike(tmp_path: Path) -> None:
    """Whatever the order of the bots was in each run."""
    first = stored_run(tmp_path / "a", BLOCKS[:5])
    second = stored_run(tmp_path / "b", BLOCKS[5:], make_header(BOTS[::-1]))
    merge_runs([first, second], tmp_path / "out")
    with Run.open(tmp_path / "out") as run:
        (cell,) = run.cells()
        names = np.array([bot.name for bot in run.header.bots])[run.results(cell).bot_indices]
    assert (names == np.array(BOTS[:3])).all()
    shutil.rmtree(tmp_path / "out")
