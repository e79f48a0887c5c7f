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

from arena.bots.guard import below, children
from arena.bots.launcher import Launcher
from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.machine import NoWalls
from arena.bots.sandbox.sandbox import Sandbox, chosen
from arena.cluster import station as module
from arena.cluster.messages import Lacking, NotPlayed, Order, Outcome, Played, Said, Unfit
from arena.cluster.shelf import Shelf
from arena.cluster.station import Station
from arena.match.terms import Terms
from arena.store.block import Block
from arena.tournaments.backend import Task
from arena.tournaments.work import play
from tests.bots.survivors import nothing_left
from tests.cluster import bots
from tests.cluster.pieces import BOTS, ENDLESS, LIMITS, PLACES, chunk, outcome, task
from tests.suite.tools import no_sandbox
from tests.tournaments.small import LONG, command_line, started, wait_for

pytestmark = pytest.mark.slow

TERMS = Terms(LIMITS)


@pytest.fixture
def station(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Station]:
    """A station with an empty shelf, of which nothing is left in the end."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    with nothing_left(LONG):
        made = Station(Shelf(tmp_path / "shelf", 1 << 40))
        yield made
        if made.timer:
            made.timer.cancel()
        for _, player in made.idle:
            player.close()


def order(*places: Path, deals: int = 1, number: int = 1) -> Order:
    """Three bots at a table, as they are at home unless others are named, with their bundles."""
    entries, bundles = bots.sent(*(places or PLACES))
    return Order(task(number, deals), 5, entries, TERMS, bundles=bundles)


def greeting(*places: Path, variants: tuple[str, ...] = ("sticheln",)) -> Order:
    """What asks bots only whether they are ready."""
    empty = Task(-1, replace(chunk(0), table=tuple(range(len(places)))))
    return replace(order(*places), task=empty, variants=variants)


def performed(station: Station, order: Order) -> Outcome:
    """What comes of an order that is wanted to its end."""
    return station.perform(order, lambda _: None, lambda: True)


def blocks(came: Outcome) -> list[Block]:
    """The blocks that came back."""
    assert isinstance(came, Played), came
    return msgspec.msgpack.decode(came.blocks, type=list[Block])


def players_of(station: Station) -> list[int]:
    """The numbers of players that have nothing to do."""
    return [player.process.pid for _, player in station.idle]


class Aside:
    """An order that is being carried out, in a thread of its own."""

    def __init__(self, station: Station, order: Order) -> None:
        self.wanted = True
        self.said: list[Said] = []
        self.came: Outcome | None = None
        self.thread = threading.Thread(target=self.run, args=(station, order))
        self.thread.start()

    def run(self, station: Station, order: Order) -> None:
        """Carry it out."""
        self.came = station.perform(order, self.said.append, lambda: self.wanted)

    def ended(self) -> Outcome | None:
        """What came of it."""
        self.thread.join(LONG)
        return self.came


def playing() -> list[int]:
    """The bots below this process, whose own command line may say anything."""
    return [pid for pid in below(children(os.getpid())) if "bot.py" in command_line(pid)]


def test_the_blocks_are_those_of_one_machine(station: Station) -> None:
    with Launcher() as launcher:
        here = play(chunk(2), BOTS, launcher, TERMS, lambda: None)
    came = performed(station, order(deals=2))
    assert outcome(blocks(came)) == outcome(here)
    assert isinstance(came, Played)
    assert came.seconds > 0
    (first,) = players_of(station)
    again = replace(order(number=2), bundles={})
    assert outcome(blocks(performed(station, again))) == outcome(here[:1])
    assert players_of(station) == [first], "a player serves again"


@pytest.mark.slow
def test_inside_walls(station: Station) -> None:
    try:
        chosen(Level.STANDARD, Limits())
    except NoWalls as why:
        no_sandbox(why)
    asked = Sandbox(Level.STANDARD, Limits(memory=128))
    open_one = performed(station, order())
    walled = performed(station, replace(order(), terms=replace(TERMS, sandbox=asked)))
    assert outcome(blocks(walled)) == outcome(blocks(open_one))
    assert len(players_of(station)) == 1, "one player plays inside walls and without"


def test_two_orders_at_once(station: Station) -> None:
    one, two = Aside(station, order(number=1)), Aside(station, order(number=2))
    assert outcome(blocks(one.ended() or Unfit(""))) == outcome(blocks(two.ended() or Unfit("")))
    assert len(players_of(station)) == 2


def test_what_is_said(station: Station) -> None:
    said: list[Said] = []
    came = station.perform(order(number=9), said.append, lambda: True)
    assert isinstance(came, Played)
    assert {(one.number, one.attempt) for one in said} == {(9, 5)}
    assert said[0].games == 0
    (logged,) = [one for told in said for one in told.logged]
    assert logged.text.startswith("chunk 9: 1 blocks of sticheln")
    assert logged.name == "arena.tournaments.worker"


WORDS = 6
"""How often a station has to say something while a bot waits."""


class Words(list[Said]):
    """What a station says. A bot that waits may go on once enough was said since it began."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.begun = folder / "begun"
        self.enough = folder / "enough"
        self.meanwhile = 0

    def hear(self, said: Said) -> None:
        """Take one word."""
        self.append(said)
        self.meanwhile += self.begun.exists()
        if self.meanwhile >= WORDS:
            self.enough.touch()


def test_it_is_said_while_something_is_built(
    station: Station, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TELL", 0.02)
    words = Words(tmp_path)
    wait = f"""
touch {words.begun}
for i in $(seq 1000); do [ -e {words.enough} ] && exit 3; sleep 0.05; done
exit 4
"""
    slow = bots.folder(tmp_path / "slow", "run: [./bot]\nbuild: [sh, build.sh]", build_sh=wait)
    came = station.perform(order(slow), words.hear, lambda: True)
    assert isinstance(came, Unfit)
    assert "failed with exit status 3" in came.text
    many = len(words)
    time.sleep(0.1)
    assert len(words) == many, "nobody says anything when it is over"


def test_it_is_said_while_a_bot_gets_ready(
    station: Station, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot may take longer to get ready than a worker may be silent, if its clock allows it."""
    monkeypatch.setattr(module, "TELL", 0.02)
    words = Words(tmp_path)
    wait = f"""
import time
from pathlib import Path

Path({str(words.begun)!r}).touch()
while not Path({str(words.enough)!r}).exists():
    time.sleep(0.05)
"""
    place = bots.script(tmp_path / "slow.py", wait + bots.PLAYER)
    came = station.perform(greeting(place), words.hear, lambda: True)
    assert isinstance(came, Played), came


def test_what_was_not_brought(station: Station, tmp_path: Path) -> None:
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
    station: Station, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = bots.folder(tmp_path / "fox", "run: [perl, fox.pl]", fox_pl="")
    monkeypatch.setenv("PATH", str(tmp_path))
    came = performed(station, order(*PLACES[:2], place))
    assert isinstance(came, Unfit)
    assert came.digest == bots.entry(place).digest
    assert "is run by perl, which is not installed or not on the PATH" in came.text
    assert blocks(performed(station, order())), "others can be played all the same"


def test_a_build_that_fails(station: Station, tmp_path: Path) -> None:
    place = bots.folder(
        tmp_path / "fox", "run: [./bot]\nbuild: [sh, build.sh]", build_sh="echo no; exit 3\n"
    )
    came = performed(station, order(*PLACES[:2], place))
    assert isinstance(came, Unfit)
    assert came.digest == bots.entry(place).digest
    assert came.text.endswith("failed with exit status 3:\nno")


def test_walls_that_cannot_be_had(
    station: Station, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never weaker ones."""
    from arena.bots.sandbox import machine, sandbox  # noqa: PLC0415 (their caches are emptied)

    made = [machine.machine, sandbox.tried]
    for one in made:
        one.cache_clear()
    module.walls.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    try:
        asked = Sandbox(Level.STANDARD)
        came = performed(station, replace(order(), terms=replace(TERMS, sandbox=asked)))
    finally:
        for one in made:
            one.cache_clear()
    assert isinstance(came, Unfit)
    assert (came.digest, "bubblewrap" in came.text) == ("", True)
    assert not players_of(station)


def test_a_bundle_that_is_damaged(station: Station) -> None:
    whole = order()
    digest = whole.entries[0].digest
    spoiled = {**whole.bundles, digest: whole.bundles[digest][:50]}
    came = performed(station, replace(whole, bundles=spoiled))
    assert isinstance(came, NotPlayed)
    assert came.text.startswith("a bundle cannot be unpacked into ")


def test_a_greeting(station: Station, tmp_path: Path) -> None:
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


def test_a_bot_is_greeted_once(station: Station, tmp_path: Path) -> None:
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


def test_what_nobody_wants_ends_at_once(station: Station) -> None:
    aside = Aside(station, order(deals=ENDLESS))
    wait_for(lambda: len(playing()) == 3)
    aside.wanted = False
    assert aside.ended() == NotPlayed("nobody wants it any more")
    wait_for(lambda: not playing())
    assert not players_of(station)


@pytest.mark.slow
def test_a_player_that_is_killed(station: Station) -> None:
    aside = Aside(station, order(deals=ENDLESS))
    wait_for(lambda: len(playing()) == 3)
    (player,) = started([os.getpid()], "arena.cluster.player")
    os.kill(player, signal.SIGKILL)
    assert aside.ended() == NotPlayed("a player died (killed by SIGKILL)")
    assert blocks(performed(station, order()))


def test_a_player_that_was_killed_while_it_had_nothing_to_do(station: Station) -> None:
    assert blocks(performed(station, order()))
    ((_, player),) = station.idle
    os.kill(player.process.pid, signal.SIGKILL)
    player.process.wait()
    assert blocks(performed(station, order()))
    player.close()


def test_who_has_nothing_to_do_is_sent_home(
    station: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert blocks(performed(station, order()))
    ((_, player),) = station.idle
    assert station.timer
    station.timer.cancel()
    station.timer = None
    monkeypatch.setattr(module, "REST", 0.2)
    assert blocks(performed(station, order()))
    wait_for(lambda: not station.idle and not player.alive)
    wait_for(lambda: station.timer is None)


def test_a_home_that_is_not_there(station: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "~")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    station.shelf = None
    came = performed(station, order())
    assert isinstance(came, Unfit)
    assert (came.digest, bool(came.text)) == ("", True)


def test_a_shelf_that_cannot_be_written(tmp_path: Path, station: Station) -> None:
    """A worker without a disk would be given each chunk four times, and all would be lost."""
    (tmp_path / "file").touch()
    station.shelf = Shelf(tmp_path / "file" / "shelf")
    came = performed(station, order())
    assert isinstance(came, Unfit)
    assert came.digest == ""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["another kind of machine", "a package that is not there"])
def test_a_bot_that_does_not_start_here(station: Station, tmp_path: Path, what: str) -> None:
    """What a machine has not is no fault of a bot: it is played elsewhere."""
    try:
        chosen(Level.STANDARD, Limits())
    except NoWalls as why:
        no_sandbox(why)
    place = bots.folder(tmp_path / "fox", "run: [./fox]")
    binary = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xf3\0" + bytes(100)
    script = b"#!/usr/bin/env python3\nimport no_such_package\n"
    (place / "fox").write_bytes(binary if what == "another kind of machine" else script)
    (place / "fox").chmod(0o755)
    asked = replace(TERMS, sandbox=Sandbox(Level.STANDARD))
    came = performed(station, replace(order(*PLACES[:2], place), terms=asked))
    assert isinstance(came, Unfit), "it was played, and the bot was at fault"
    assert came.digest == bots.entry(place).digest
