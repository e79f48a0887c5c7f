"""A station carries out orders: builds what was brought, plays it, and says how far it is."""

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
from arena.bots.reaper import children, process_tree
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import Sandbox, select_sandbox
from arena.cluster import worker
from arena.cluster.bot_cache import BotCache
from arena.cluster.messages import (
    Lacking,
    NotPlayed,
    Outcome,
    PlayedTask,
    PlayOrder,
    TaskProgress,
    Unfit,
)
from arena.cluster.worker import OrderRunner
from arena.referee.config import RefereeConfig
from arena.store.block import PlayedBlock
from arena.tournaments.play.backend import ChunkTask
from arena.tournaments.play.worker import play_chunk
from tests.bots.leftover_processes import nothing_left
from tests.cluster import bots
from tests.cluster.chunks import BOTS, ENDLESS, LIMITS, PLACES, chunk, outcome, task
from tests.suite.tools import no_sandbox
from tests.tournaments.small_runs import LONG, command_line, started, wait_for

pytestmark = pytest.mark.slow

TERMS = RefereeConfig(LIMITS)


@pytest.fixture
def station(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OrderRunner]:
    """A station with an empty shelf, of which nothing is left in the end."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    with nothing_left(LONG):
        made = OrderRunner(BotCache(tmp_path / "shelf", 1 << 40))
        yield made
        if made.timer:
            made.timer.cancel()
        for _, player in made.idle_processes:
            player.close()


def order(*places: Path, deals: int = 1, number: int = 1) -> PlayOrder:
    """Three bots at a table, as they are at home unless others are named, with their bundles."""
    entries, bundles = bots.sent(*(places or PLACES))
    return PlayOrder(task(number, deals), 5, entries, TERMS, bundles=bundles)


def greeting(*places: Path, variants: tuple[str, ...] = ("sticheln",)) -> PlayOrder:
    """What asks bots only whether they are ready."""
    empty = ChunkTask(-1, replace(chunk(0), table=tuple(range(len(places)))))
    return replace(order(*places), task=empty, variants=variants)


def performed(station: OrderRunner, order: PlayOrder) -> Outcome:
    """What comes of an order that is wanted to its end."""
    return station.run(order, lambda _: None, lambda: True)


def blocks(came: Outcome) -> list[PlayedBlock]:
    """The blocks that came back."""
    assert isinstance(came, PlayedTask), came
    return msgspec.msgpack.decode(came.blocks, type=list[PlayedBlock])


def players_of(station: OrderRunner) -> list[int]:
    """The numbers of players that have nothing to do."""
    return [player.process.pid for _, player in station.idle_processes]


class Aside:
    """An order that is being carried out, in a thread of its own."""

    def __init__(self, station: OrderRunner, order: PlayOrder) -> None:
        self.wanted = True
        self.said: list[TaskProgress] = []
        self.came: Outcome | None = None
        self.thread = threading.Thread(target=self.run, args=(station, order))
        self.thread.start()

    def run(self, station: OrderRunner, order: PlayOrder) -> None:
        """Carry it out."""
        self.came = station.run(order, self.said.append, lambda: self.wanted)

    def ended(self) -> Outcome | None:
        """What came of it."""
        self.thread.join(LONG)
        return self.came


def playing() -> list[int]:
    """The bots below this process, whose own command line may say anything."""
    return [pid for pid in process_tree(children(os.getpid())) if "bot.py" in command_line(pid)]


def test_the_blocks_are_those_of_one_machine(station: OrderRunner) -> None:
    with Launcher() as launcher:
        here = play_chunk(chunk(2), BOTS, launcher, TERMS, lambda: None)
    came = performed(station, order(deals=2))
    assert outcome(blocks(came)) == outcome(here)
    assert isinstance(came, PlayedTask)
    assert came.seconds > 0
    (first,) = players_of(station)
    again = replace(order(number=2), bundles={})
    assert outcome(blocks(performed(station, again))) == outcome(here[:1])
    assert players_of(station) == [first], "a player serves again"


@pytest.mark.slow
def test_inside_walls(station: OrderRunner) -> None:
    try:
        select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    except SandboxUnavailable as why:
        no_sandbox(why)
    asked = Sandbox(SandboxLevel.STANDARD, ResourceLimits(memory=128))
    open_one = performed(station, order())
    walled = performed(station, replace(order(), config=replace(TERMS, sandbox=asked)))
    assert outcome(blocks(walled)) == outcome(blocks(open_one))
    assert len(players_of(station)) == 1, "one player plays inside walls and without"


def test_two_orders_at_once(station: OrderRunner) -> None:
    one, two = Aside(station, order(number=1)), Aside(station, order(number=2))
    assert outcome(blocks(one.ended() or Unfit(""))) == outcome(blocks(two.ended() or Unfit("")))
    assert len(players_of(station)) == 2


def test_what_is_said(station: OrderRunner) -> None:
    said: list[TaskProgress] = []
    came = station.run(order(number=9), said.append, lambda: True)
    assert isinstance(came, PlayedTask)
    assert {(one.number, one.attempt) for one in said} == {(9, 5)}
    assert said[0].games == 0
    (logged,) = [one for told in said for one in told.logged]
    assert logged.text.startswith("chunk 9: 1 blocks of sticheln")
    assert logged.name == "arena.tournaments.play.worker"


WORDS = 6
"""How often a station has to say something while a bot waits."""


class Words(list[TaskProgress]):
    """What a station says. A bot that waits may go on once enough was said since it began."""

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


def test_it_is_said_while_something_is_built(
    station: OrderRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "REPORT_INTERVAL", 0.02)
    words = Words(tmp_path)
    wait = f"""
touch {words.begun}
for i in $(seq 1000); do [ -e {words.enough} ] && exit 3; sleep 0.05; done
exit 4
"""
    slow = bots.folder(tmp_path / "slow", "run: [./bot]\nbuild: [sh, build.sh]", build_sh=wait)
    came = station.run(order(slow), words.hear, lambda: True)
    assert isinstance(came, Unfit)
    assert "failed with exit status 3" in came.text
    many = len(words)
    time.sleep(0.1)
    assert len(words) == many, "nobody says anything when it is over"


def test_it_is_said_while_a_bot_gets_ready(
    station: OrderRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    place = bots.script(tmp_path / "slow.py", wait + bots.PLAYER)
    came = station.run(greeting(place), words.hear, lambda: True)
    assert isinstance(came, PlayedTask), came


def test_what_was_not_brought(station: OrderRunner, tmp_path: Path) -> None:
    whole = order()
    digests = [entry.digest for entry in whole.entries]
    only = {digests[1]: whole.bundles[digests[1]]}
    assert performed(station, replace(whole, bundles={})) == Lacking(tuple(digests))
    assert performed(station, replace(whole, bundles=only)) == Lacking((digests[0], digests[2]))
    rest = {digest: whole.bundles[digest] for digest in (digests[0], digests[2])}
    assert blocks(performed(station, replace(whole, bundles=rest)))
    assert players_of(station), "only now a player was needed"
    assert (tmp_path / "shelf").is_dir()


def test_a_program_that_is_not_there(
    station: OrderRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = bots.folder(tmp_path / "fox", "run: [perl, fox.pl]", fox_pl="")
    monkeypatch.setenv("PATH", str(tmp_path))
    came = performed(station, order(*PLACES[:2], place))
    assert isinstance(came, Unfit)
    assert came.digest == bots.entry(place).digest
    assert "is run by perl, which is not installed or not on the PATH" in came.text
    assert blocks(performed(station, order())), "others can be played all the same"


def test_a_build_that_fails(station: OrderRunner, tmp_path: Path) -> None:
    place = bots.folder(
        tmp_path / "fox", "run: [./bot]\nbuild: [sh, build.sh]", build_sh="echo no; exit 3\n"
    )
    came = performed(station, order(*PLACES[:2], place))
    assert isinstance(came, Unfit)
    assert came.digest == bots.entry(place).digest
    assert came.text.endswith("failed with exit status 3:\nno")


def test_walls_that_cannot_be_had(
    station: OrderRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
        came = performed(station, replace(order(), config=replace(TERMS, sandbox=asked)))
    finally:
        for one in made:
            one.cache_clear()
    assert isinstance(came, Unfit)
    assert (came.digest, "bubblewrap" in came.text) == ("", True)
    assert not players_of(station)


def test_a_bundle_that_is_damaged(station: OrderRunner) -> None:
    whole = order()
    digest = whole.entries[0].digest
    spoiled = {**whole.bundles, digest: whole.bundles[digest][:50]}
    came = performed(station, replace(whole, bundles=spoiled))
    assert isinstance(came, NotPlayed)
    assert came.text.startswith("a bundle cannot be unpacked into ")


def test_a_greeting(station: OrderRunner, tmp_path: Path) -> None:
    ready = '{"type":"ready","variants":["stic*"]}'
    some = bots.script(tmp_path / "some.py", f"print({ready!r}, flush=True)\ninput()\n")
    dead = bots.script(tmp_path / "dead.py", "raise SystemExit(3)\n")
    assert blocks(performed(station, greeting(*PLACES))) == []
    assert blocks(performed(station, greeting(some, variants=("sticheln", "stick-em")))) == []
    wrong = greeting(PLACES[0], some, variants=("sticheln", "was-sticht"))
    said = "some says that it does not play was-sticht"
    assert performed(station, wrong) == Unfit(said, bots.entry(some).digest)
    came = performed(station, greeting(dead))
    assert isinstance(came, Unfit)
    assert came.text.startswith("dead does not start: its output ended")
    assert came.digest == bots.entry(dead).digest
    assert not players_of(station), "nothing was played"


def test_a_bot_is_greeted_once(station: OrderRunner, tmp_path: Path) -> None:
    """And again for other variants, or if it has not got ready."""
    starts = tmp_path / "starts"
    count = f"with open({str(starts)!r}, 'a') as file: file.write('x')\n"
    slow = f"import os\nif os.path.getsize({str(starts)!r}) < 3: raise SystemExit(3)\n"
    place = bots.script(tmp_path / "fox.py", count + slow + bots.PLAYER)
    assert isinstance(performed(station, greeting(place)), Unfit)
    assert starts.read_text() == "xx", "it may have been busy"
    for _ in range(2):
        assert blocks(performed(station, greeting(place))) == []
    assert starts.read_text() == "xxx"
    assert blocks(performed(station, greeting(place, variants=("was-sticht",)))) == []
    assert starts.read_text() == "xxxx"


def test_what_nobody_wants_ends_at_once(station: OrderRunner) -> None:
    aside = Aside(station, order(deals=ENDLESS))
    wait_for(lambda: len(playing()) == 3)
    aside.wanted = False
    assert aside.ended() == NotPlayed("nobody wants it any more")
    wait_for(lambda: not playing())
    assert not players_of(station)


@pytest.mark.slow
def test_a_player_that_is_killed(station: OrderRunner) -> None:
    aside = Aside(station, order(deals=ENDLESS))
    wait_for(lambda: len(playing()) == 3)
    (player,) = started([os.getpid()], "arena.cluster.worker_process")
    os.kill(player, signal.SIGKILL)
    assert aside.ended() == NotPlayed("a player died (killed by SIGKILL)")
    assert blocks(performed(station, order()))


def test_a_player_that_was_killed_while_it_had_nothing_to_do(station: OrderRunner) -> None:
    assert blocks(performed(station, order()))
    ((_, player),) = station.idle_processes
    os.kill(player.process.pid, signal.SIGKILL)
    player.process.wait()
    assert blocks(performed(station, order()))
    player.close()


def test_who_has_nothing_to_do_is_sent_home(
    station: OrderRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert blocks(performed(station, order()))
    ((_, player),) = station.idle_processes
    assert station.timer
    station.timer.cancel()
    station.timer = None
    monkeypatch.setattr(worker, "IDLE_TIMEOUT", 0.2)
    assert blocks(performed(station, order()))
    wait_for(lambda: not station.idle_processes and not player.is_alive)
    wait_for(lambda: station.timer is None)


def test_a_home_that_is_not_there(station: OrderRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "~")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    station.bot_cache = None
    came = performed(station, order())
    assert isinstance(came, Unfit)
    assert (came.digest, bool(came.text)) == ("", True)


def test_a_shelf_that_cannot_be_written(tmp_path: Path, station: OrderRunner) -> None:
    """A worker without a disk would be given each chunk four times, and all would be lost."""
    (tmp_path / "file").touch()
    station.bot_cache = BotCache(tmp_path / "file" / "shelf")
    came = performed(station, order())
    assert isinstance(came, Unfit)
    assert came.digest == ""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["another kind of machine", "a package that is not there"])
def test_a_bot_that_does_not_start_here(station: OrderRunner, tmp_path: Path, what: str) -> None:
    """What a machine has not is no fault of a bot: it is played elsewhere."""
    try:
        select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    except SandboxUnavailable as why:
        no_sandbox(why)
    place = bots.folder(tmp_path / "fox", "run: [./fox]")
    binary = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xf3\0" + bytes(100)
    script = b"#!/usr/bin/env python3\nimport no_such_package\n"
    (place / "fox").write_bytes(binary if what == "another kind of machine" else script)
    (place / "fox").chmod(0o755)
    asked = replace(TERMS, sandbox=Sandbox(SandboxLevel.STANDARD))
    came = performed(station, replace(order(*PLACES[:2], place), config=asked))
    assert isinstance(came, Unfit), "it was played, and the bot was at fault"
    assert came.digest == bots.entry(place).digest
