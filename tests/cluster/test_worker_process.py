"""A worker process plays on its own core, is detected if it hangs, and ends with its worker."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.reaper import process_tree
from arena.cluster import worker_process
from arena.cluster.messages import LogMessage
from arena.cluster.worker_process import PlayRequest, WorkerProcess
from arena.referee.config import RefereeConfig
from arena.referee.faults import FaultPolicy
from arena.tournaments.play.backend import (
    BackendEvent,
    GamesFinished,
    StrictFault,
    TaskFailure,
    TaskResult,
)
from arena.tournaments.play.worker import play_chunk
from tests.bots.leftover_processes import check_no_leftovers
from tests.cluster import bots
from tests.cluster.chunks import (
    BOTS,
    LIMITS,
    MANY_DEALS,
    make_chunk,
    make_task,
    results_without_times,
)
from tests.tournaments.small_runs import TIMEOUT, command_line, wait_for

pytestmark = pytest.mark.slow

CONFIG = RefereeConfig(LIMITS)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for the locks of cores that nobody else uses."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place


@contextmanager
def child_processes(many: int = 1) -> Iterator[list[WorkerProcess]]:
    """So many worker processes, of which nothing is left in the end."""
    with check_no_leftovers(TIMEOUT):
        started = [WorkerProcess() for _ in range(many)]
        try:
            yield started
        finally:
            for one in started:
                one.close()


def small(number: int = 1, deals: int = 1) -> PlayRequest:
    """A chunk that is soon over."""
    return PlayRequest(make_task(number, deals), BOTS, CONFIG)


def hear(_: object) -> None:
    """Hear nothing."""


def play_task(child: WorkerProcess, piece: PlayRequest | None = None) -> BackendEvent:
    """What a worker process makes of a chunk that is wanted to its end."""
    return child.play(piece or small(), hear, lambda: True)


def bots_below(pid: int) -> list[int]:
    """The bots that a process has launched, or a worker process of it."""
    return [found for found in process_tree([pid]) if "bot.py" in command_line(found)]


class Aside:
    """A worker process that is at something, in a thread of its own."""

    def __init__(self, child: WorkerProcess, piece: PlayRequest) -> None:
        self.child = child
        self.wanted = True
        self.news: BackendEvent | None = None
        self.thread = threading.Thread(target=self.run, args=(piece,))
        self.thread.start()

    def run(self, piece: PlayRequest) -> None:
        """Play it."""
        self.news = self.child.play(piece, hear, lambda: self.wanted)

    def ended(self) -> BackendEvent | None:
        """What came of it."""
        self.thread.join(TIMEOUT)
        return self.news


def test_a_process_plays_several_chunks() -> None:
    with Launcher() as launcher:
        there = play_chunk(make_chunk(), BOTS, launcher, CONFIG, lambda: None)
    with child_processes() as (child,):
        for number in (1, 2):
            news = play_task(child, small(number, 2))
            assert isinstance(news, TaskResult)
            assert news.number == number
            assert results_without_times(news.blocks) == results_without_times(there)
            assert news.seconds > 0
            assert child.is_alive
            for asked in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                os.kill(child.process.pid, asked)  # it is deaf to what its worker is told


def test_progress_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "POLL_INTERVAL", 0.01)
    heard: list[GamesFinished | LogMessage] = []
    with child_processes() as (child,):
        news = child.play(small(7, 4), heard.append, lambda: True)
    assert isinstance(news, TaskResult)
    logged = [one for one in heard if isinstance(one, LogMessage)]
    assert [one.text.partition(" games")[0] for one in logged] == [
        "chunk 7: 4 blocks of sticheln, 3 seats, 8"
    ]
    assert logged[0].name == "arena.tournaments.play.worker"
    ticked = [one for one in heard if isinstance(one, GamesFinished)]
    assert {one.number for one in ticked} <= {7}
    assert [one.games for one in ticked] == sorted(one.games for one in ticked)


def test_a_failed_task_does_not_affect_the_next(tmp_path: Path) -> None:
    gone = PlayRequest(
        make_task(), [*BOTS[:2], Bot("gone", "1", (str(tmp_path / "gone"),), tmp_path)], CONFIG
    )
    with child_processes() as (child,):
        news = play_task(child, gone)
        assert isinstance(news, TaskFailure)
        assert "cannot be started" in news.text
        assert isinstance(play_task(child), TaskResult)


def test_a_fault_under_the_strict_policy(tmp_path: Path) -> None:
    script = bots.write_script(tmp_path / "mute.py", "raise SystemExit\n")
    mute = Bot("mute", "1", (sys.executable, str(script)), tmp_path, script=script)
    strict = RefereeConfig(LIMITS, policy=FaultPolicy.STRICT)
    with child_processes() as (child,):
        news = play_task(child, PlayRequest(make_task(3), [*BOTS[:2], mute], strict))
    assert isinstance(news, StrictFault)
    assert (news.number, news.fault.seat in range(3)) == (3, True)


def test_a_cancelled_task_ends_at_once() -> None:
    with child_processes() as (child,):
        aside = Aside(child, PlayRequest(make_task(4, MANY_DEALS), BOTS, CONFIG))
        wait_for(lambda: len(bots_below(child.process.pid)) == 3)
        mine = process_tree([child.process.pid])
        aside.wanted = False
        assert aside.ended() == TaskFailure(4, "it is no longer wanted")
        assert not child.is_alive
        wait_for(lambda: not any(map(command_line, mine)))


def test_a_killed_process_leaves_nothing() -> None:
    with child_processes() as (child,):
        aside = Aside(child, PlayRequest(make_task(4, MANY_DEALS), BOTS, CONFIG))
        wait_for(lambda: len(bots_below(child.process.pid)) == 3)
        mine = process_tree([child.process.pid])
        os.kill(child.process.pid, signal.SIGKILL)
        assert aside.ended() == TaskFailure(4, "a worker process died (killed by SIGKILL)")
        assert not child.is_alive
        wait_for(lambda: not any(map(command_line, mine)))


def test_a_hanging_process_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says every few seconds that it lives, as long as it does."""
    with child_processes() as (child,):
        aside = Aside(child, PlayRequest(make_task(4, MANY_DEALS), BOTS, CONFIG))
        wait_for(lambda: len(bots_below(child.process.pid)) == 3)
        mine = process_tree([child.process.pid])
        os.kill(child.process.pid, signal.SIGSTOP)
        monkeypatch.setattr(worker_process, "MAX_SILENCE", 1.0)
        assert aside.ended() == TaskFailure(4, "a worker process sent nothing for 1 s")
        wait_for(lambda: not any(map(command_line, mine)))


def test_a_dead_process_is_reported() -> None:
    with child_processes() as (child,):
        os.kill(child.process.pid, signal.SIGKILL)
        child.process.wait()
        assert not child.is_alive
        assert play_task(child) == TaskFailure(1, "a worker process died (killed by SIGKILL)")


WORKER = """
from arena.cluster.worker_process import PlayRequest, WorkerProcess
from arena.referee.config import RefereeConfig
from tests.cluster.chunks import BOTS, LIMITS, MANY_DEALS, make_task

request = PlayRequest(make_task(1, MANY_DEALS), BOTS, RefereeConfig(LIMITS))
WorkerProcess().play(request, lambda _: None, lambda: True)
"""


@pytest.mark.slow
def test_a_process_ends_with_its_worker() -> None:
    """Whatever is killed, nothing of it goes on playing."""
    with (
        check_no_leftovers(TIMEOUT),
        subprocess.Popen([sys.executable, "-c", WORKER], cwd=Path(__file__).parents[2]) as worker,
    ):
        wait_for(lambda: len(bots_below(worker.pid)) == 3)
        all_of_it = process_tree([worker.pid])
        assert len(all_of_it) > 5
        worker.kill()
        worker.wait()
        wait_for(lambda: not any(map(command_line, all_of_it)))


def cores(child: WorkerProcess) -> set[int]:
    """Where it may run."""
    return os.sched_getaffinity(child.process.pid)


@pytest.mark.slow
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is only one core")
def test_nobody_shares_a_core_while_another_is_free() -> None:
    every = os.sched_getaffinity(0)
    with child_processes(len(every) + 1) as started:
        for one in started:
            assert isinstance(play_task(one), TaskResult)
        taken = [cores(one) for one in started]
        alone = [found for found in taken if len(found) == 1]
        assert len(alone) == len(every)
        assert set.union(*alone) == every
        assert taken.count(every) == 1, "who finds no core runs wherever there is room"
        (freed,) = cores(started[taken.index(alone[0])])
        started.pop(taken.index(alone[0])).close()
        started.append(WorkerProcess())
        play_task(started[-1])
        assert cores(started[-1]) == {freed}


def test_a_process_uses_only_cores_of_its_worker() -> None:
    every = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {max(every)})
        with child_processes() as (child,):
            play_task(child)
            assert cores(child) == {max(every)}
    finally:
        os.sched_setaffinity(0, every)


def test_a_lock_that_cannot_be_had(temporary: Path) -> None:
    """A core of one's own is good to have; without one, games are played all the same."""
    for number, core in enumerate(os.sched_getaffinity(0)):
        name = temporary / f"stichkampf-{os.geteuid()}-core-{core}"
        if number % 2:
            name.mkdir()
        else:
            name.symlink_to("/dev/null")
    with child_processes() as (child,):
        assert isinstance(play_task(child), TaskResult)


def test_a_folder_with_modules_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "logging.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    with child_processes() as (child,):
        assert isinstance(play_task(child), TaskResult)
