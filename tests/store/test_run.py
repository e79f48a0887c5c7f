"""A run loses nothing, whatever becomes of its writer."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.referee.faults import Fault
from arena.store.block import PlayedBlock
from arena.store.database import BadRun
from arena.store.run import Run
from tests.store.blocks import BOTS, make_block, make_header
from tests.store.endless_writer import make_numbered_block
from tests.store.unwritable_folders import ROOT
from tests.tournaments.scripted_backend import (
    ScriptedBackend,
    planned_keys,
    play_session,
    small_tournament,
    stored_keys,
)

CLEAR = (0, 10, 20, 30, 40, 50)


def test_removed_and_played_again(tmp_path: Path) -> None:
    made = small_tournament()
    play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR))
    whole = planned_keys(made)
    gone = set(sorted(whole)[:7])
    with Run.open_for_writing(tmp_path) as run:
        before = {key: run.block(key) for key in whole}
        run.remove(gone)
        assert run.block_keys() == whole - gone
        assert run.find_problems() == []
        assert run.game_count() == sum(len(before[key].results) for key in whole - gone)
        for table in ("entry", "game", "kept"):
            rows = run.connection.execute(f"SELECT count(DISTINCT block) FROM {table}")  # noqa: S608
            assert rows.fetchone() == (len(whole - gone),)
    backend = ScriptedBackend(made.bots, CLEAR)
    play_session(tmp_path, made, backend)
    assert {block.key for task in backend.submitted for block in task.chunk.blocks} == gone
    assert stored_keys(tmp_path) == whole
    with Run.open(tmp_path) as run:
        assert {key: run.block(key) for key in whole} == before


def test_blocks_come_back_as_they_were(tmp_path: Path) -> None:
    blocks = {
        one.key: one
        for one in (
            make_block(0, bots=BOTS[:3]),
            make_block(5, "hat-trick", BOTS),
            make_block(1, "was-sticht", BOTS[1:], faults=(Fault(2, "malformed", "\x1b[2J\0ü"),)),
        )
    }
    with Run.create(tmp_path, make_header()) as run:
        run.begin_session("code", 3)
        assert run.add(blocks.values()) == 3
    with Run.open(tmp_path) as run:
        assert run.block_keys() == set(blocks)
        assert list(run.sorted_keys()) == sorted(blocks)
        assert [one.key for one in run.blocks()] == sorted(blocks)
        for key, one in blocks.items():
            assert run.block(key) == one
            session = run.session_of(key)
            assert session
            assert (session.code, session.workers) == ("code", 3)
        with pytest.raises(BadRun, match="holds no block 00"):
            run.block(bytes(16))
        assert run.session_of(bytes(16)) is None


def test_all_blocks_or_none(tmp_path: Path) -> None:
    def some() -> Iterator[PlayedBlock]:
        yield make_numbered_block(1)
        yield make_numbered_block(2)
        raise RuntimeError("oh")

    with Run.create(tmp_path, make_header()) as run:
        run.add([make_numbered_block(0)])
        with pytest.raises(RuntimeError):
            run.add(some())
        assert run.block_keys() == {make_numbered_block(0).key}
        assert run.add([make_numbered_block(2)]) == 1
    with Run.open(tmp_path) as run:
        assert run.block_keys() == {make_numbered_block(0).key, make_numbered_block(2).key}


def test_sessions(tmp_path: Path) -> None:
    with Run.create(tmp_path, make_header()) as run:
        run.add([make_numbered_block(0)])
        run.begin_session("one", 1)
        run.add([make_numbered_block(1)])
        run.begin_session("two", 2)
        run.add([make_numbered_block(2)])
        assert [one.code for one in run.sessions()] == ["one", "two"]
        assert run.session_of(make_numbered_block(0).key) is None
        found = [run.session_of(make_numbered_block(number).key) for number in (1, 2)]
        assert found == run.sessions()


def killed(folder: Path, chance: random.Random) -> None:
    """Kill a writer shortly after it began to print what is safe; all of that is there."""
    with Run.open(folder) as run:
        before = run.block_keys()
    with subprocess.Popen(
        [sys.executable, "-m", "tests.store.endless_writer", str(folder), str(len(before))],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as writer:
        assert writer.stdout
        try:
            assert writer.stdout.readline()
            time.sleep(chance.random() * 0.1)
        finally:
            writer.kill()
        printed = [int(line) for line in writer.stdout if line.endswith("\n")]
    safe = max(printed, default=len(before) + 4)
    with Run.open(folder) as run:
        done = run.block_keys()
        assert done >= before | {make_numbered_block(number).key for number in range(safe)}
        assert len(done) in {safe, safe + 4}, "at most what it was about to print"
        assert run.find_problems() == []
        for key in done - before:
            assert len(run.block(key).results) == len(run.block_rows(key).entries) == 3


@pytest.mark.slow
@pytest.mark.parametrize("times", [3, pytest.param(30, marks=pytest.mark.soak)])
def test_a_writer_that_is_killed_again_and_again(times: int, tmp_path: Path) -> None:
    Run.create(tmp_path, make_header()).close()
    chance = random.Random(2)
    for _ in range(times):
        killed(tmp_path, chance)
    with Run.open(tmp_path) as run:
        games = list(run.games())
        assert len(games) == len({game.id for game in games}) == 3 * len(run.block_keys())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stride", "least"), [(11, 9), pytest.param(1, 100, marks=pytest.mark.soak)]
)
def test_killed_at_any_moment_of_adding(stride: int, least: int, tmp_path: Path) -> None:
    crashes = [sys.executable, "-m", "tests.store.crash_points"]
    argv = [*crashes, "adding", str(tmp_path / "run"), str(stride)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stderr == ""
    assert int(done.stdout) > least, "so often it was killed"
