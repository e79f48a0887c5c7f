"""Nothing a bot has started outlives the referee, however that ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.reaper import RESET_SIGNALS, child_pids, process_tree
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.errors import HarnessFailure
from arena.games.catalog import variant
from arena.referee.live_game import Deal
from arena.referee.referee import FinishedGame, Referee
from tests.bots.leftover_processes import check_no_leftovers
from tests.bots.process_output import read_all_output, read_output
from tests.referee.game_helpers import (
    CONFIG,
    MISBEHAVING,
    Seats,
    first_option,
    misbehaving_bot,
    open_descriptors,
)

pytestmark = pytest.mark.slow

BOTS = [
    str(MISBEHAVING / name)
    for name in ("leaves_children.py", "ignores_term.py", "exits_again_and_again.py", "innocent.py")
]
LONG = 60.0
"""Seconds that are enough for everything to end, also on a busy machine."""


SANDBOXED = pytest.param(
    "standard",
    marks=pytest.mark.needs("sandbox"),
)
LEVELS = ["none", SANDBOXED]


@contextmanager
def endless_games(level: str) -> Iterator[subprocess.Popen[str]]:
    """A referee in a process of its own, with a sandbox around its bots or without."""
    argv = [sys.executable, "-m", "tests.bots.endless_referee", level, *BOTS]
    root = Path(__file__).parents[2]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            yield process
        finally:
            process.kill()


def next_line(process: subprocess.Popen[str]) -> str:
    """The next line of what it prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize(
    "attempt",
    [pytest.param(number, marks=pytest.mark.soak if number > 2 else ()) for number in range(24)],
)
@pytest.mark.parametrize("level", LEVELS)
def test_a_killed_referee_leaves_nothing(attempt: int, level: str) -> None:
    """At a moment by chance: while it is loaded, while bots start, in a game or between games."""
    chance = Random(attempt)
    with check_no_leftovers(LONG), endless_games(level) as referee:
        if attempt % 3:
            assert next_line(referee)
        if attempt % 3 == 2:
            assert next_line(referee) == "."
        time.sleep(chance.uniform(0, 0.3))
        referee.kill()


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_referee(signum: signal.Signals) -> None:
    with check_no_leftovers(LONG), endless_games("none") as referee:
        supervisor_pid = int(next_line(referee))
        assert next_line(referee) == "."
        os.kill(supervisor_pid, signum)
        assert next_line(referee) == ".", "the supervisor ignores it"
        referee.send_signal(signum)
        referee.wait(LONG)


@pytest.mark.parametrize("level", LEVELS)
def test_a_killed_supervisor_takes_the_bots_along(level: str) -> None:
    """Whoever is left without it was started by a bot and not by us."""
    seats: Seats = [misbehaving_bot("innocent"), misbehaving_bot("ignores_term"), first_option]
    before = open_descriptors()
    with (
        check_no_leftovers(LONG),
        Launcher(select_sandbox(SandboxLevel(level), ResourceLimits())) as launcher,
    ):
        playing = many_games(seats, launcher)
        next(playing)
        launcher.process.kill()
        with pytest.raises(HarnessFailure, match="the supervisor process of the bots is gone"):
            list(playing)
    assert open_descriptors() == before


def test_ctrl_c_in_a_game() -> None:
    seats: Seats = [
        misbehaving_bot("leaves_children"),
        misbehaving_bot("ignores_term"),
        misbehaving_bot("innocent"),
    ]
    seen = 0

    def tap(_seat: int, _direction: str, _lines: bytes) -> None:
        nonlocal seen
        seen += 1
        if seen == 50:
            signal.raise_signal(signal.SIGINT)

    with check_no_leftovers(), pytest.raises(KeyboardInterrupt), Launcher() as launcher:
        list(
            Referee(variant("sticheln").game(3), seats, launcher, CONFIG, on_traffic=tap).play(
                [Deal(1)]
            )
        )


@pytest.mark.parametrize("level", LEVELS)
def test_an_abandoned_game(level: str) -> None:
    """Who looks at the first of many games and goes leaves nothing, the launcher still open."""
    seats: Seats = [
        misbehaving_bot("leaves_children"),
        misbehaving_bot("ignores_term"),
        first_option,
    ]
    with (
        check_no_leftovers(),
        Launcher(select_sandbox(SandboxLevel(level), ResourceLimits())) as launcher,
    ):
        playing = many_games(seats, launcher)
        next(playing)
        assert child_pids(launcher.process.pid)
        playing.close()
        assert child_pids(launcher.process.pid) == []


def test_remaining_children_are_counted_and_killed() -> None:
    with check_no_leftovers(), Launcher() as launcher:
        process = BotProcess(misbehaving_bot("leaves_children"), launcher)
        assert read_output(process).startswith(b'{"type":"ready"')
        tree = [pid for pid in process_tree([process.reaper_pid]) if pid != process.reaper_pid]
        assert len(tree) == 4
        assert len({os.getsid(pid) for pid in tree}) == 3
        process.end(0.05)
        assert launcher.wait_for_exit([process.pid], LONG)
        process.close()
        assert launcher.exits[process.pid].leftover_count == 3
        assert child_pids(launcher.process.pid) == []


def test_bots_live_in_sessions_of_their_own() -> None:
    with check_no_leftovers(), Launcher() as launcher:
        one, two = (
            BotProcess(misbehaving_bot("innocent"), launcher),
            BotProcess(misbehaving_bot("innocent"), launcher),
        )
        assert os.getsid(one.pid) == one.pid
        assert os.getsid(two.pid) == two.pid
        one.close()
        two.close()


def test_signals_are_as_a_program_expects(tmp_path: Path) -> None:
    """What the supervisor and Python ignore, a bot does not inherit."""
    with check_no_leftovers(), Launcher() as launcher:
        cat = Bot("cat", "1", ("/bin/cat", "/proc/self/status"), tmp_path)
        process = BotProcess(cat, launcher)
        status = dict(line.split(":\t") for line in read_all_output(process).decode().splitlines())
        process.close()
    ignored = int(status["SigIgn"], 16)
    assert not [one for one in RESET_SIGNALS if ignored >> (one - 1) & 1]
    assert int(status["SigBlk"], 16) == 0


def many_games(seats: Seats, launcher: Launcher) -> Generator[FinishedGame, None, None]:
    """Game after game, two at a time."""
    referee = Referee(
        variant("sticheln").game(3), seats, launcher, replace(CONFIG, games_at_once=2)
    )
    yield from referee.play(Deal(seed) for seed in range(1000))
