"""A night that is killed again and again, and comes to the same as one that nobody disturbs."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.ladder.folder import Ladder
from arena.ladder.registry import Registry
from arena.ladder.standings import cell_ratings, overall_table
from arena.ladder.verify import verify_ladder
from arena.ratings.standings import StandingsTable
from arena.store.run import Run
from tests.ladder import factories
from tests.ladder.reference_ladder import create_reference_ladder
from tests.tournaments.small_runs import wait_for


def few(folder: Path) -> Ladder:
    """A ladder of two cells with four bots that answer at once."""
    ladder = factories.create_ladder(folder, variants=["stick-em", "sticheln"], deals=2)
    for name in ("ann", "bob", "cleo", "dan"):
        factories.add_version(ladder, name, owner=name)
    return ladder


def begin(folder: Path, games: int, workers: int) -> subprocess.Popen[bytes]:
    """A night in a process of its own, with all its children in a group."""
    words = ["ladder", "night", str(folder), "--games", str(games), "--workers", str(workers)]
    return subprocess.Popen(
        [sys.executable, "-m", "arena", *words, "--quiet", "--sandbox", "none"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def size(folder: Path) -> int:
    """How many games are kept."""
    with Run.open(folder) as run:
        return run.game_count()


def until_more(folder: Path, night: subprocess.Popen[bytes]) -> None:
    """Wait until another game is kept, or the night is over."""
    before = size(folder)
    wait_for(lambda: night.poll() is not None or size(folder) > before)


def for_a_while(chance: random.Random) -> Callable[[Path, subprocess.Popen[bytes]], None]:
    """Wait for any time, of which nobody knows what happens in it."""
    return lambda _folder, _night: time.sleep(chance.uniform(0.5, 3.0))


def stored_blocks(folder: Path) -> dict[bytes, tuple[object, ...]]:
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


def standings(ladder: Ladder) -> StandingsTable:
    """How it stands, without times."""
    with Registry.open(ladder.folder) as registry, Run.open(ladder.folder) as run:
        active = {one.bot for one in registry.active_versions()}
        return overall_table(
            run, cell_ratings(run, ladder.settings.cells), active, registry.counted_cells()
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "kills", "games", "workers", "wait"),
    [
        pytest.param(few, 2, 24, 1, until_more, id="twice"),
        pytest.param(
            create_reference_ladder,
            20,
            150,
            2,
            for_a_while(random.Random(7)),
            marks=pytest.mark.soak,
            id="often",
        ),
    ],
)
def test_a_night_that_is_killed(
    tmp_path: Path,
    made: Callable[[Path], Ladder],
    kills: int,
    games: int,
    workers: int,
    wait: Callable[[Path, subprocess.Popen[bytes]], None],
) -> None:
    ladder = made(tmp_path / "killed")
    twin = tmp_path / "undisturbed"
    shutil.copytree(ladder.folder, twin)
    killed, seen = 0, set[bytes]()
    while killed < kills:
        night = begin(ladder.folder, games, workers)
        try:
            wait(ladder.folder, night)
        finally:
            if night.poll() is None:
                os.kill(night.pid, signal.SIGKILL)
                killed += 1
            status = night.wait()
        assert status in {0, -signal.SIGKILL}
        now = set(stored_blocks(ladder.folder))
        assert seen <= now, "what was kept stays"
        seen = now
    while nights(ladder.folder) == [] or unfinished(ladder.folder):
        assert begin(ladder.folder, games, workers).wait() == 0
    for _ in nights(ladder.folder):
        assert begin(twin, games, workers).wait() == 0
    assert stored_blocks(ladder.folder) == stored_blocks(twin)
    assert nights(ladder.folder) == nights(twin)
    found = verify_ladder(ladder.folder, workers=workers)
    assert found.is_correct
    assert found.aside == 0
    one, other = standings(ladder), standings(Ladder(twin, ladder.settings))
    assert [(line.bot, line.rank, line.mu) for line in one.lines] == [
        (line.bot, line.rank, line.mu) for line in other.lines
    ]


def unfinished(folder: Path) -> bool:
    """Whether a night has not come to its end."""
    with Registry.open(folder) as registry:
        return registry.open_night() is not None
