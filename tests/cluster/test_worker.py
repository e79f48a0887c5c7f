"""A runner carries out orders: builds what was brought, plays it, and says how far it is."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from arena.bots.launcher import Launcher
from arena.bots.reaper import child_pids, process_tree
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from arena.cluster import worker
from arena.cluster.bot_cache import BotCache
from arena.cluster.messages import (
    BotsMissing,
    Outcome,
    PlayedTask,
    PlayOrder,
    TaskNotPlayed,
    TaskProgress,
    WorkerUnfit,
)
from arena.cluster.worker import OrderRunner
from arena.referee.config import RefereeConfig
from arena.store.block import PlayedBlock
from arena.tournaments.play.backend import ChunkTask
from arena.tournaments.play.worker import play_chunk
from tests.bots.leftover_processes import check_no_leftovers
from tests.cluster import bots
from tests.cluster.chunks import (
    BOT_FOLDERS,
    BOTS,
    LIMITS,
    MANY_DEALS,
    make_chunk,
    make_task,
    results_without_times,
)
from tests.suite.tools import skip_without_sandbox
from tests.tournaments.small_runs import TIMEOUT, command_line, find_children, wait_for

pytestmark = pytest.mark.slow

CONFIG = RefereeConfig(LIMITS)


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OrderRunner]:
    """A runner with an empty bot cache, of which nothing is left in the end."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    with check_no_leftovers(TIMEOUT):
        made = OrderRunner(BotCache(tmp_path / "shelf", 1 << 40))
        yield made
        if made.timer:
            made.timer.cancel()
        for _, worker_process in made.idle_processes:
            worker_process.close()


def order(*places: Path, deals: int = 1, number: int = 1) -> PlayOrder:
    """Three bots at a table, as they are at home unless others are named, with their bundles."""
    entries, bundles = bots.bundle_bots(*(places or BOT_FOLDERS))
    return PlayOrder(make_task(number, deals), 5, entries, CONFIG, bundles=bundles)


def greeting(*places: Path, variants: tuple[str, ...] = ("sticheln",)) -> PlayOrder:
    """What asks bots only whether they are ready."""
    empty = ChunkTask(-1, replace(make_chunk(0), table=tuple(range(len(places)))))
    return replace(order(*places), task=empty, variants=variants)


def run_order(runner: OrderRunner, order: PlayOrder) -> Outcome:
    """What comes of an order that is wanted to its end."""
    return runner.run(order, lambda _: None, lambda: True)


def blocks(came: Outcome) -> list[PlayedBlock]:
    """The blocks that came back."""
    assert isinstance(came, PlayedTask), came
    return msgspec.msgpack.decode(came.blocks, type=list[PlayedBlock])


def idle_pids(runner: OrderRunner) -> list[int]:
    """The numbers of worker processes that have nothing to do."""
    return [worker_process.process.pid for _, worker_process in runner.idle_processes]


class Aside:
    """An order that is being carried out, in a thread of its own."""

    def __init__(self, runner: OrderRunner, order: PlayOrder) -> None:
        self.wanted = True
        self.said: list[TaskProgress] = []
        self.came: Outcome | None = None
        self.thread = threading.Thread(target=self.run, args=(runner, order))
        self.thread.start()

    def run(self, runner: OrderRunner, order: PlayOrder) -> None:
        """Carry it out."""
        self.came = runner.run(order, self.said.append, lambda: self.wanted)

    def ended(self) -> Outcome | None:
        """What came of it."""
        self.thread.join(TIMEOUT)
        return self.came


def playing() -> list[int]:
    """The bots below this process, whose own command line may say anything."""
    return [pid for pid in process_tree(child_pids(os.getpid())) if "bot.py" in command_line(pid)]


def test_the_blocks_are_those_of_one_machine(runner: OrderRunner) -> None:
    with Launcher() as launcher:
        here = play_chunk(make_chunk(2), BOTS, launcher, CONFIG, lambda: None)
    came = run_order(runner, order(deals=2))
    assert results_without_times(blocks(came)) == results_without_times(here)
    assert isinstance(came, PlayedTask)
    assert came.seconds > 0
    (first,) = idle_pids(runner)
    again = replace(order(number=2), bundles={})
    assert results_without_times(blocks(run_order(runner, again))) == results_without_times(
        here[:1]
    )
    assert idle_pids(runner) == [first], "a player serves again"


@pytest.mark.slow
def test_in_the_sandbox(runner: OrderRunner) -> None:
    try:
        select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    except SandboxUnavailable as why:
        skip_without_sandbox(why)
    asked = Sandbox(SandboxLevel.STANDARD, ResourceLimits(memory=128))
    unsandboxed = run_order(runner, order())
    sandboxed = run_order(runner, replace(order(), config=replace(CONFIG, sandbox=asked)))
    assert results_without_times(blocks(sandboxed)) == results_without_times(blocks(unsandboxed))
    assert len(idle_pids(runner)) == 1, "one process plays with and without a sandbox"


def test_two_orders_at_once(runner: OrderRunner) -> None:
    one, two = Aside(runner, order(number=1)), Aside(runner, order(number=2))
    assert results_without_times(blocks(one.ended() or WorkerUnfit(""))) == results_without_times(
        blocks(two.ended() or WorkerUnfit(""))
    )
    assert len(idle_pids(runner)) == 2


def test_progress_reports(runner: OrderRunner) -> None:
    said: list[TaskProgress] = []
    came = runner.run(order(number=9), said.append, lambda: True)
    assert isinstance(came, PlayedTask)
    assert {(one.number, one.attempt) for one in said} == {(9, 5)}
    assert said[0].games == 0
    (logged,) = [one for report in said for one in report.logged]
    assert logged.text.startswith("chunk 9: 1 blocks of sticheln")
    assert logged.name == "arena.tournaments.play.worker"


WORDS = 6
"""How often a runner has to say something while a bot waits."""


class Words(list[TaskProgress]):
    """What a runner says. A bot that waits may go on once enough was said since it began."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.begun = folder / "begun"
        self.enough = folder / "enough"
        self.meanwhile = 0

    def hear(self, said: TaskProgress) -> None:
        """Take one word."""
        self.append(said)
        self.meanwhile += self.begun.exists()
        if self.meanwhile >= WORDS:
            self.enough.touch()


def test_reports_while_something_is_built(
    runner: OrderRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "REPORT_INTERVAL", 0.02)
    words = Words(tmp_path)
    wait = f"""
touch {words.begun}
for i in $(seq 1000); do [ -e {words.enough} ] && exit 3; sleep 0.05; done
exit 4
"""
    slow = bots.write_bot_folder(
        tmp_path / "slow", "run: [./bot]\nbuild: [sh, build.sh]", build_sh=wait
    )
    came = runner.run(order(slow), words.hear, lambda: True)
    assert isinstance(came, WorkerUnfit)
    assert "failed with exit status 3" in came.text
    many = len(words)
    time.sleep(0.1)
    assert len(words) == many, "nobody says anything when it is over"


def test_reports_while_a_bot_gets_ready(
    runner: OrderRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot may take longer to get ready than a worker may be silent, if its clock allows it."""
    monkeypatch.setattr(worker, "REPORT_INTERVAL", 0.02)
    words = Words(tmp_path)
    wait = f"""
import time
from pathlib import Path

Path({str(words.begun)!r}).touch()
while not Path({str(words.enough)!r}).exists():
    time.sleep(0.05)
"""
    place = bots.write_script(tmp_path / "slow.py", wait + bots.INNOCENT_BOT)
    came = runner.run(greeting(place), words.hear, lambda: True)
    assert isinstance(came, PlayedTask), came


def test_missing_bundles_are_reported(runner: OrderRunner, tmp_path: Path) -> None:
    whole = order()
    digests = [entry.digest for entry in whole.entries]
    only = {digests[1]: whole.bundles[digests[1]]}
    assert run_order(runner, replace(whole, bundles={})) == BotsMissing(tuple(digests))
    assert run_order(runner, replace(whole, bundles=only)) == BotsMissing((digests[0], digests[2]))
    rest = {digest: whole.bundles[digest] for digest in (digests[0], digests[2])}
    assert blocks(run_order(runner, replace(whole, bundles=rest)))
    assert idle_pids(runner), "only now a player was needed"
    assert (tmp_path / "shelf").is_dir()


def test_a_missing_program(
    runner: OrderRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = bots.write_bot_folder(tmp_path / "fox", "run: [perl, fox.pl]", fox_pl="")
    monkeypatch.setenv("PATH", str(tmp_path))
    came = run_order(runner, order(*BOT_FOLDERS[:2], place))
    assert isinstance(came, WorkerUnfit)
    assert came.digest == bots.make_entry(place).digest
    assert "is run by perl, which is not installed or not on the PATH" in came.text
    assert blocks(run_order(runner, order())), "others can be played all the same"


def test_a_build_that_fails(runner: OrderRunner, tmp_path: Path) -> None:
    place = bots.write_bot_folder(
        tmp_path / "fox", "run: [./bot]\nbuild: [sh, build.sh]", build_sh="echo no; exit 3\n"
    )
    came = run_order(runner, order(*BOT_FOLDERS[:2], place))
    assert isinstance(came, WorkerUnfit)
    assert came.digest == bots.make_entry(place).digest
    assert came.text.endswith("failed with exit status 3:\nno")


def test_a_sandbox_that_is_not_available(
    runner: OrderRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never weaker ones."""
    from arena.bots.sandbox import host, sandbox  # noqa: PLC0415 (their caches are emptied)

    made = [host.detect_support, sandbox.probe_host]
    for one in made:
        one.cache_clear()
    worker.local_sandbox.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    try:
        asked = Sandbox(SandboxLevel.STANDARD)
        came = run_order(runner, replace(order(), config=replace(CONFIG, sandbox=asked)))
    finally:
        for one in made:
            one.cache_clear()
    assert isinstance(came, WorkerUnfit)
    assert (came.digest, "bubblewrap" in came.text) == ("", True)
    assert not idle_pids(runner)


def test_a_bundle_that_is_damaged(runner: OrderRunner) -> None:
    whole = order()
    digest = whole.entries[0].digest
    spoiled = {**whole.bundles, digest: whole.bundles[digest][:50]}
    came = run_order(runner, replace(whole, bundles=spoiled))
    assert isinstance(came, TaskNotPlayed)
    assert came.text.startswith("a bundle cannot be unpacked into ")


def test_a_greeting(runner: OrderRunner, tmp_path: Path) -> None:
    ready = '{"type":"ready","variants":["stic*"]}'
    some = bots.write_script(tmp_path / "some.py", f"print({ready!r}, flush=True)\ninput()\n")
    dead = bots.write_script(tmp_path / "dead.py", "raise SystemExit(3)\n")
    assert blocks(run_order(runner, greeting(*BOT_FOLDERS))) == []
    assert blocks(run_order(runner, greeting(some, variants=("sticheln", "stick-em")))) == []
    wrong = greeting(BOT_FOLDERS[0], some, variants=("sticheln", "was-sticht"))
    said = "some says that it does not play was-sticht"
    assert run_order(runner, wrong) == WorkerUnfit(said, bots.make_entry(some).digest)
    came = run_order(runner, greeting(dead))
    assert isinstance(came, WorkerUnfit)
    assert came.text.startswith("dead does not start: its output ended")
    assert came.digest == bots.make_entry(dead).digest
    assert not idle_pids(runner), "nothing was played"


def test_a_bot_is_greeted_once(runner: OrderRunner, tmp_path: Path) -> None:
    """And again for other variants, or if it has not got ready."""
    starts = tmp_path / "starts"
    count = f"with open({str(starts)!r}, 'a') as file: file.write('x')\n"
    slow = f"import os\nif os.path.getsize({str(starts)!r}) < 3: raise SystemExit(3)\n"
    place = bots.write_script(tmp_path / "fox.py", count + slow + bots.INNOCENT_BOT)
    assert isinstance(run_order(runner, greeting(place)), WorkerUnfit)
    assert starts.read_text() == "xx", "it may have been busy"
    for _ in range(2):
        assert blocks(run_order(runner, greeting(place))) == []
    assert starts.read_text() == "xxx"
    assert blocks(run_order(runner, greeting(place, variants=("was-sticht",)))) == []
    assert starts.read_text() == "xxxx"


def test_a_cancelled_order_ends_at_once(runner: OrderRunner) -> None:
    aside = Aside(runner, order(deals=MANY_DEALS))
    wait_for(lambda: len(playing()) == 3)
    aside.wanted = False
    assert aside.ended() == TaskNotPlayed("it is no longer wanted")
    wait_for(lambda: not playing())
    assert not idle_pids(runner)


@pytest.mark.slow
def test_a_process_that_is_killed(runner: OrderRunner) -> None:
    aside = Aside(runner, order(deals=MANY_DEALS))
    wait_for(lambda: len(playing()) == 3)
    (worker_process,) = find_children([os.getpid()], "arena.cluster.worker_process")
    os.kill(worker_process, signal.SIGKILL)
    assert aside.ended() == TaskNotPlayed("a worker process died (killed by SIGKILL)")
    assert blocks(run_order(runner, order()))


def test_a_process_that_was_killed_while_it_was_idle(runner: OrderRunner) -> None:
    assert blocks(run_order(runner, order()))
    ((_, worker_process),) = runner.idle_processes
    os.kill(worker_process.process.pid, signal.SIGKILL)
    worker_process.process.wait()
    assert blocks(run_order(runner, order()))
    worker_process.close()


def test_idle_processes_are_ended(runner: OrderRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert blocks(run_order(runner, order()))
    ((_, worker_process),) = runner.idle_processes
    assert runner.timer
    runner.timer.cancel()
    runner.timer = None
    monkeypatch.setattr(worker, "IDLE_TIMEOUT", 0.2)
    assert blocks(run_order(runner, order()))
    wait_for(lambda: not runner.idle_processes and not worker_process.is_alive)
    wait_for(lambda: runner.timer is None)


def test_a_missing_home(runner: OrderRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "~")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    runner.bot_cache = None
    came = run_order(runner, order())
    assert isinstance(came, WorkerUnfit)
    assert (came.digest, bool(came.text)) == ("", True)


def test_a_cache_that_cannot_be_written(tmp_path: Path, runner: OrderRunner) -> None:
    """A worker without a disk would be given each chunk four times, and all would be lost."""
    (tmp_path / "file").touch()
    runner.bot_cache = BotCache(tmp_path / "file" / "shelf")
    came = run_order(runner, order())
    assert isinstance(came, WorkerUnfit)
    assert came.digest == ""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["another kind of machine", "a package that is not there"])
def test_a_bot_that_does_not_start_here(runner: OrderRunner, tmp_path: Path, what: str) -> None:
    """What a machine has not is no fault of a bot: it is played elsewhere."""
    try:
        select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    except SandboxUnavailable as why:
        skip_without_sandbox(why)
    place = bots.write_bot_folder(tmp_path / "fox", "run: [./fox]")
    binary = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xf3\0" + bytes(100)
    script = b"#!/usr/bin/env python3\nimport no_such_package\n"
    (place / "fox").write_bytes(binary if what == "another kind of machine" else script)
    (place / "fox").chmod(0o755)
    asked = replace(CONFIG, sandbox=Sandbox(SandboxLevel.STANDARD))
    came = run_order(runner, replace(order(*BOT_FOLDERS[:2], place), config=asked))
    assert isinstance(came, WorkerUnfit), "it was played, and the bot was at fault"
    assert came.digest == bots.make_entry(place).digest
