"""A machine that stands still, or has no core to spare, is no bot's fault."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.reaper import process_tree
from arena.bots.resource_usage import NS_PER_SECOND
from arena.errors import CpuStarvation
from arena.protocol.messages import Limits
from arena.referee import watchdog
from arena.referee.config import RefereeConfig
from arena.referee.fair_clock import CHECK_INTERVAL_NS, FairClock, StallDetector
from tests.bots.conftest import StartProgram, launcher, start_program  # noqa: F401 fixtures
from tests.bots.leftover_processes import check_no_leftovers
from tests.bots.process_output import read_output
from tests.referee.game_helpers import (
    Seats,
    choices_of_seat,
    first_option,
    misbehaving_bot,
    play_games,
)
from tests.referee.referee_program import CONFIG
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow

WALL = CONFIG.limits.wall if CONFIG.limits else 0
CROWDED = replace(CONFIG, limits=Limits(start=10.0, move=5.0, bank=0.0, wall=1.0))
ROOT = Path(__file__).parents[2]

PLAYS = """
import json, os, pathlib, sys, time
core = min(os.sched_getaffinity(0))
print('{"type":"ready","games":1}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        if message["id"] == 3:
            %s
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
"""

TAKES_A_NAP = 'pathlib.Path("asked").touch(); time.sleep(1.5)'

WORKS = """
            os.sched_setaffinity(0, {core})
            until = time.process_time() + 0.4
            while time.process_time() < until: pass
"""

WAITS_ON_PURPOSE = """
            os.sched_setaffinity(0, {core})
            if os.fork() == 0:
                while True: time.sleep(0.0001)
            time.sleep(3600)
"""

BURNS = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"


def script(folder: Path, what: str) -> Path:
    """A bot that does this at its third question."""
    file = folder / "third.py"
    file.write_text(PLAYS % what)
    return file


@contextmanager
def crowd(number: int) -> Iterator[None]:
    """Others that never leave the core that the bots use."""
    burning = [
        subprocess.Popen([sys.executable, "-c", BURNS], start_new_session=True)
        for _ in range(number)
    ]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


def send(pids: list[int], what: signal.Signals) -> None:
    for pid in pids:
        os.kill(pid, what)


@pytest.mark.parametrize("what", ["referee", "everything"])
def test_a_referee_that_is_stopped(what: str, tmp_path: Path) -> None:
    """For longer than an answer may take; bots run on, or are stopped as well."""
    argv = [
        sys.executable,
        "-m",
        "tests.referee.referee_program",
        str(script(tmp_path, TAKES_A_NAP)),
    ]
    with check_no_leftovers(), subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=ROOT) as process:
        try:
            while not (tmp_path / "asked").exists():
                assert process.poll() is None
                time.sleep(0.01)
            referee, *bots = process_tree([process.pid])
            stopped = [*bots, referee] if what == "everything" else [referee]
            send(stopped, signal.SIGSTOP)
            time.sleep(1.5 * WALL)
            os.kill(referee, signal.SIGCONT)
            time.sleep(0.3)
            send([pid for pid in stopped if pid != referee], signal.SIGCONT)
            told, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert told == b"[]\n"


def test_a_bot_that_gets_no_core(tmp_path: Path) -> None:
    """It needs less than half a second on a core that six want."""
    with crowd(5):
        (played,) = play_games(
            [load_bot(script(tmp_path, WORKS)), misbehaving_bot("innocent"), first_option],
            1,
            CROWDED,
        )
    assert played.record.faults == ()
    assert played.record.wall[choices_of_seat(played.record, seat=0)[2]] > 1_000_000, "microseconds"


@pytest.fixture
def hasty() -> RefereeConfig:
    """Half a second of real time, so that ten times as much is soon over."""
    return replace(CONFIG, limits=Limits(start=20.0, move=5.0, bank=0.0, wall=0.5))


@pytest.mark.parametrize(
    ("paying", "excuse"), [("nobody", True), soak_only(("innocent", True)), ("third", False)]
)
def test_a_bot_that_never_gets_anywhere(
    paying: str, excuse: bool, hasty: RefereeConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it cannot or does not want to, nobody waits for ever; at first that is excused."""
    monkeypatch.setattr(watchdog, "MAX_WALL_FACTOR", 3)
    seats: Seats = [
        load_bot(script(tmp_path, WORKS.replace("0.4", "60"))),
        misbehaving_bot("innocent"),
        first_option,
    ]
    terms = replace(hasty, allows_excuses=True, bots_without_excuses=frozenset({paying}))
    with crowd(9):
        if excuse:
            with pytest.raises(CpuStarvation, match="third hardly ever got a core"):
                play_games(seats, 1, terms)
            return
        (played,) = play_games(seats, 1, terms)
    (fault,) = played.record.faults
    assert fault.fault == "timeout"
    assert "s of real time, " in fault.text
    assert "s of them without a core" in fault.text
    assert fault.evidence.wall >= 1.5
    assert 0.5 < fault.evidence.waited < fault.evidence.wall


def test_a_bot_that_waits_on_purpose(
    hasty: RefereeConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy core it can, for a while."""
    monkeypatch.setattr(watchdog, "MAX_WALL_FACTOR", 3)
    with crowd(2):
        seats: Seats = [
            load_bot(script(tmp_path, WAITS_ON_PURPOSE)),
            misbehaving_bot("innocent"),
            first_option,
        ]
        (played,) = play_games(seats, 1, hasty)
    (fault,) = played.record.faults
    assert fault.fault == "timeout"
    assert 0.5 < fault.evidence.wall < 20


def test_sleep_is_not_waiting_for_a_core(hasty: RefereeConfig) -> None:
    (played,) = play_games(
        [misbehaving_bot("sleeps"), misbehaving_bot("innocent"), first_option], 1, hasty
    )
    (fault,) = played.record.faults
    assert fault.fault == "timeout"
    assert fault.evidence.waited < 0.5 < fault.evidence.wall


def test_the_referee_notices_that_it_slept() -> None:
    detector = StallDetector()
    time.sleep(0.5)
    assert (
        0.4 * NS_PER_SECOND - 2 * CHECK_INTERVAL_NS
        < detector.measure_stall(time.monotonic_ns())
        < 30 * NS_PER_SECOND
    )
    assert detector.measure_stall(time.monotonic_ns()) == 0


def test_work_of_the_referee_is_not_a_stall() -> None:
    begin = time.monotonic_ns()
    detector = StallDetector()
    until = time.process_time() + 0.4
    while time.process_time() < until:
        pass
    now = time.monotonic_ns()
    assert detector.measure_stall(now) <= max(0, now - begin - 0.4 * NS_PER_SECOND)


def test_threads_that_wait_for_each_other_buy_no_time(start_program: StartProgram) -> None:  # noqa: F811 (as above)
    """The longest wait of one counts, and not their sum."""
    text = """
import os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for _ in range(8):
    if os.fork() == 0:
        while True: pass
print(1, flush=True)
time.sleep(3600)
"""
    process = start_program(text)
    assert read_output(process) == b"1\n"
    begin = time.monotonic_ns()
    clock = FairClock(begin, process.reaper_pid)
    clock.restart(begin)
    clock.watch_if_slow(begin + 2 * CHECK_INTERVAL_NS)
    assert len(clock.first_threads or ()) == 9
    time.sleep(1.0)
    now = time.monotonic_ns()
    assert 0.2 * NS_PER_SECOND < clock.measure_wait(now) <= now - begin
    process.end(0)
