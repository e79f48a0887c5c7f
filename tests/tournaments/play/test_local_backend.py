"""Workers: real processes that play, die and are replaced."""

import logging
import os
import signal
import time
from collections.abc import Iterator
from multiprocessing import Pipe, resource_tracker
from pathlib import Path

import pytest

from arena.bots.bot import Bot, load_bot
from arena.bots.launcher import Launcher
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.tournaments.plan.blocks import Chunk, PlannedBlock
from arena.tournaments.play.backend import (
    BackendEvent,
    ChunkTask,
    GamesFinished,
    TaskFailure,
    TaskResult,
)
from arena.tournaments.play.local_backend import LocalBackend
from arena.tournaments.play.worker import HEARTBEAT_INTERVAL, PROGRESS_INTERVAL, ProgressReporter
from tests.bots.leftover_processes import check_no_leftovers

pytestmark = pytest.mark.slow

BOTS = [load_bot(Path(name)) for name in ("highest", "lowest", "first-legal")]
MAX_WAIT = 120.0
"""Seconds that are enough for anything that is waited for."""


@pytest.fixture(autouse=True)
def tracker() -> None:
    """Python's own process that knows the semaphores stays until the tests end."""
    resource_tracker.ensure_running()


def chunk(number: int, deals: int = 2) -> Chunk:
    blocks = tuple(
        PlannedBlock(
            b"%08d%08d" % (number, deal), deal, 100 * number + deal, ((0, 1, 2), (1, 2, 0))
        )
        for deal in range(deals)
    )
    return Chunk(Cell("sticheln", 3), (0, 1, 2), blocks)


def news_of(local: LocalBackend, many: int) -> Iterator[BackendEvent]:
    """So many tasks' ends, and what else is told until then."""
    until = time.monotonic() + MAX_WAIT
    while many and time.monotonic() < until:
        for news in local.wait(1):
            many -= isinstance(news, TaskResult | TaskFailure)
            yield news
    assert not many, "nothing comes any more"


def wait_for_a_game(local: LocalBackend) -> None:
    """Wait until a worker has played a game."""
    until = time.monotonic() + MAX_WAIT
    while not any(isinstance(news, GamesFinished) for news in local.wait(1)):
        assert time.monotonic() < until, "nothing is played"


def test_chunks_on_two_cores() -> None:
    with check_no_leftovers(MAX_WAIT), LocalBackend(2, BOTS, RefereeConfig()) as local:
        assert local.free_slots() == 2
        local.submit(ChunkTask(1, chunk(1)))
        local.submit(ChunkTask(2, chunk(2)))
        assert local.free_slots() == 0
        ended = [news for news in news_of(local, 2) if isinstance(news, TaskResult)]
        assert local.free_slots() == 2
        assert {news.number for news in ended} == {1, 2}
        for news in ended:
            keys = [block.key for block in news.blocks]
            assert keys == [block.key for block in chunk(news.number).blocks]


def test_a_worker_that_is_killed_is_replaced() -> None:
    with check_no_leftovers(MAX_WAIT), LocalBackend(1, BOTS, RefereeConfig()) as local:
        local.submit(ChunkTask(1, chunk(1, deals=200)))
        (first,) = local.workers.values()
        wait_for_a_game(local)
        os.kill(first.process.pid or 0, signal.SIGKILL)
        (*_, failed) = news_of(local, 1)
        assert failed == TaskFailure(1, "worker 0 died (killed by SIGKILL)")
        assert local.free_slots() == 1
        local.submit(ChunkTask(1, chunk(1)))
        (*_, done) = news_of(local, 1)
        assert isinstance(done, TaskResult)


@pytest.mark.slow
def test_a_worker_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    with check_no_leftovers(MAX_WAIT), LocalBackend(1, BOTS, RefereeConfig()) as local:
        local.submit(ChunkTask(1, chunk(1, deals=200)))
        (first,) = local.workers.values()
        wait_for_a_game(local)
        os.kill(first.process.pid or 0, signal.SIGSTOP)
        # Only now: a worker that is just being loaded may need longer.
        monkeypatch.setattr("arena.tournaments.play.local_backend.MAX_SILENCE", 1.0)
        (*_, failed) = news_of(local, 1)
        assert failed == TaskFailure(1, "worker 0 sent nothing for 1 s and was ended")
        assert local.free_slots() == 1


class Endless(Bot):
    """A bot at whose launch the referee never gets any further."""

    def environment(self) -> dict[str, str]:
        """Nothing, for ever."""
        while True:
            time.sleep(1)  # a loop that does something takes a core from other tests


@pytest.mark.slow
def test_a_loop_that_never_ends_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process lives and could say so, but its referee does not go on."""
    monkeypatch.setattr("arena.tournaments.play.local_backend.MAX_SILENCE", 2 * HEARTBEAT_INTERVAL)
    bots = [Endless("endless", "1", ("/bin/cat",), Path("/")), *BOTS[:2]]
    until = time.monotonic() + MAX_WAIT
    with check_no_leftovers(MAX_WAIT), LocalBackend(1, bots, RefereeConfig()) as local:
        local.submit(ChunkTask(1, chunk(1)))
        news: list[BackendEvent] = []
        while not any(isinstance(each, TaskFailure) for each in news):
            assert time.monotonic() < until, "nobody notices"
            news += local.wait(1)
        assert news[-1] == TaskFailure(1, "worker 0 sent nothing for 10 s and was ended")
        assert local.free_slots() == 1


def test_an_idle_worker_sends_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.tournaments.play.worker.HEARTBEAT_INTERVAL", PROGRESS_INTERVAL)
    ours, theirs = Pipe()
    with Launcher() as launcher, ours, theirs, ProgressReporter(theirs, 1, launcher) as pulse:
        assert ours.poll(MAX_WAIT)
        assert ours.recv() == GamesFinished(1, 0)
        assert not ours.poll(4 * PROGRESS_INTERVAL), "the referee does not go on"
        launcher.listen()
        assert ours.poll(MAX_WAIT)
        assert ours.recv() == GamesFinished(1, 0)
        pulse.count_game()
        assert ours.poll(MAX_WAIT)
        assert ours.recv() == GamesFinished(1, 1)


def test_a_worker_without_coordinator_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """As when the coordinator was killed: no traceback appears on somebody's screen."""
    ours, theirs = Pipe()
    ours.close()
    with Launcher() as launcher, theirs, ProgressReporter(theirs, 1, launcher) as pulse:
        pulse.count_game()
        pulse.thread.join(MAX_WAIT)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_slow_bot_is_not_a_hanging_worker(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    bots = [load_bot(tmp_path / "slow.py"), *BOTS[:2]]
    with (
        check_no_leftovers(MAX_WAIT),
        LocalBackend(1, bots, RefereeConfig(limits=Limits(start=60))) as local,
    ):
        local.submit(ChunkTask(1, chunk(1)))
        told = next(news for news in news_of(local, 1) if isinstance(news, GamesFinished))
        assert told == GamesFinished(1, 0)


@pytest.mark.slow
def test_closing_drops_what_is_being_played() -> None:
    with check_no_leftovers(MAX_WAIT):
        with LocalBackend(2, BOTS, RefereeConfig()) as local:
            local.submit(ChunkTask(1, chunk(1, deals=2000)))
            wait_for_a_game(local)
            (worker,) = local.workers.values()
        assert worker.process.exitcode == -signal.SIGKILL, "it did not play to the end"


def test_log_messages_of_workers_arrive(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "arena"), LocalBackend(1, BOTS, RefereeConfig()) as local:
        local.submit(ChunkTask(7, chunk(1)))
        list(news_of(local, 1))
    said = [record for record in caplog.records if record.processName == "worker 0"]
    assert any("chunk 7: 2 blocks of sticheln, 3 seats, 4 games" in one.message for one in said)


KILLS = """
import os, sys
print('{"type":"ready"}', flush=True)
input()
os.kill(os.%s(), 9)
sys.stdin.read()
"""


@pytest.mark.slow
def test_a_kill_of_what_is_ours_stops_the_chunk(tmp_path: Path) -> None:
    """The bot is named as long as it may be excused for it, and never pays."""
    (tmp_path / "gone.py").write_text(KILLS % "getppid")
    bots = [load_bot(tmp_path / "gone.py"), *BOTS[:2]]
    said = "gone was killed with its sandbox or its reaper, which the referee did not do"
    with LocalBackend(1, bots, RefereeConfig()) as local:
        for paying, failed in ((), TaskFailure(1, said, "gone")), (("gone",), TaskFailure(1, said)):
            local.submit(ChunkTask(1, chunk(1), bots_without_excuses=frozenset(paying)))
            assert list(news_of(local, 1))[-1] == failed


@pytest.mark.slow
def test_a_bot_that_kills_itself_pays(tmp_path: Path) -> None:
    (tmp_path / "gone.py").write_text(KILLS % "getpid")
    bots = [load_bot(tmp_path / "gone.py"), *BOTS[:2]]
    with LocalBackend(1, bots, RefereeConfig()) as local:
        local.submit(ChunkTask(1, chunk(1)))
        (*_, done) = news_of(local, 1)
        assert isinstance(done, TaskResult)
        assert all(
            one.faults[one.seating.index(0)] for block in done.blocks for one in block.results
        )


@pytest.mark.slow
def test_a_mistake_of_ours_costs_one_chunk(caplog: pytest.LogCaptureFixture) -> None:
    impossible = Chunk(Cell("sticheln", 3), (0, 1, 99), chunk(1).blocks)
    with caplog.at_level(logging.INFO, "arena"), LocalBackend(1, BOTS, RefereeConfig()) as local:
        local.submit(ChunkTask(1, impossible))
        assert list(news_of(local, 1)) == [TaskFailure(1, "IndexError: list index out of range")]
        local.submit(ChunkTask(2, chunk(2)))
        (*_, done) = news_of(local, 1)
        assert isinstance(done, TaskResult)
    assert "Traceback" in caplog.text
