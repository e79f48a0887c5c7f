"""A night that is killed again and again, and comes to the same as one that nobody disturbs."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.ladder.audit import verify
from arena.ladder.folder import Ladder
from arena.ladder.reckoning import rated, table
from arena.ladder.registry import Registry
from arena.ratings.standings import Table
from arena.store.run import Run
from tests.ladder.ladders import small

KILLS = 20
NIGHT = ("--games", "150", "--workers", "2", "--quiet", "--sandbox", "none")


def begin(folder: Path) -> subprocess.Popen[bytes]:
    """A night in a process of its own, with all its children in a group."""
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "ladder", "night", str(folder), *NIGHT],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def kept(folder: Path) -> dict[bytes, tuple[object, ...]]:
    """Everything that was played, without times."""
    with Run.open(folder) as run:
        blocks = list(run.blocks())
    found: dict[bytes, tuple[object, ...]] = {
        block.key: (
            block.variant,
            block.number,
            block.seed,
            block.bots,
            [(one.seating, one.scores, one.points, one.faults) for one in block.results],
        )
        for block in blocks
    }
    assert len(found) == len(blocks)
    return found


def nights(folder: Path) -> list[tuple[object, ...]]:
    """What came of each night."""
    with Registry.open(folder) as registry:
        return [
            (one.number, one.bots, one.summary.games, one.summary.moves, one.summary.new)
            for one in registry.nights()
            if one.summary and one.ended
        ]


def standings(ladder: Ladder) -> Table:
    """How it stands, without times."""
    with Registry.open(ladder.folder) as registry, Run.open(ladder.folder) as run:
        active = {one.bot for one in registry.active()}
        return table(run, rated(run, ladder.settings.cells), active, registry.counted())


@pytest.mark.slow
def test_a_night_that_is_killed_twenty_times(tmp_path: Path) -> None:
    ladder = small(tmp_path / "killed")
    twin = tmp_path / "undisturbed"
    shutil.copytree(ladder.folder, twin)
    chance = random.Random(7)
    killed, seen = 0, set[bytes]()
    while killed < KILLS:
        night = begin(ladder.folder)
        time.sleep(chance.uniform(0.5, 3.0))
        if night.poll() is None:
            os.kill(night.pid, signal.SIGKILL)
            killed += 1
        assert night.wait() in {0, -signal.SIGKILL}
        now = set(kept(ladder.folder))
        assert seen <= now, "what was kept stays"
        seen = now
    while nights(ladder.folder) == [] or unfinished(ladder.folder):
        assert begin(ladder.folder).wait() == 0
    for _ in nights(ladder.folder):
        assert begin(twin).wait() == 0
    assert kept(ladder.folder) == kept(twin)
    assert nights(ladder.folder) == nights(twin)
    found = verify(ladder.folder, lambda *_: None)
    assert found.right
    assert found.aside == 0
    one, other = standings(ladder), standings(Ladder(twin, ladder.settings))
    assert [(line.bot, line.rank, line.mu) for line in one.lines] == [
        (line.bot, line.rank, line.mu) for line in other.lines
    ]


def unfinished(folder: Path) -> bool:
    """Whether a night has not come to its end."""
    with Registry.open(folder) as registry:
        return registry.open_night() is not None
