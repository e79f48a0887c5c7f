"""Seats attackers with two innocents each, inside walls, and tells what came of it as JSON."""

import ctypes
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from shutil import copy2, copytree
from threading import Event, Thread
from typing import Any

from arena.bots.bot import Bot, find
from arena.bots.build import Workshop
from arena.bots.launcher import Launcher
from arena.bots.sandbox.cgroups import OURS
from arena.bots.sandbox.level import Level, Limits
from arena.bots.sandbox.sandbox import chosen, counted
from arena.games.base import Decision, Game
from arena.games.catalog import variant
from arena.games.replay import play
from arena.match.referee import Played, Referee
from arena.match.table import Deal
from arena.match.terms import Terms
from arena.protocol.messages import Limits as Clock
from tests.bots.survivors import nothing_left
from tests.hostile.cases import CASES, Case

BOTS = Path(__file__).parent / "bots"
INNOCENT = Path(__file__).parents[1] / "misbehaving" / "innocent.py"
CLOCK = Clock(start=2.0, move=1.0, bank=2.0, wall=6.0)
BRIEF = Clock(start=2.0, move=1.0, bank=2.0, wall=3.0)
"""For attackers that make the referee wait, and do little else."""

PATIENT = Clock(start=2.0, move=0.2, bank=0.2, wall=30.0)
"""Where it has to show that CPU time counts, however busy the machine is."""

HASTY = Clock(start=1.0, move=1.0, bank=2.0, wall=3.0)
"""Where the CPU time of the start is used up; who needs little of it still has all the wall."""

SHARED_KEY = 0x53544943
VARIANT, SEATS = "sticheln", 3
AT_ONCE = 6
"""Tables that are played at the same time, since many attackers make everybody wait."""

PORT = 48_211
SECRET = "STICHKAMPF_TEST_SECRET"
TICK = 0.01


def attacker(name: str, folder: Path, workshop: Workshop) -> Bot:
    """An attacker as a contestant would send it: a folder with what it needs."""
    if (BOTS / name).is_dir():
        copytree(BOTS / name, folder)
    else:
        folder.mkdir()
        (folder / "bot.yaml").write_text(f"name: attacker\nrun: [python3, {name}.py]\n")
        copy2(BOTS / f"{name}.py", folder)
    copy2(BOTS / "attacker.py", folder)
    return find(folder, workshop)


def taken_away(secret: Path) -> None:
    """Remove it, unless somebody else has put it there by now."""
    with suppress(OSError):
        secret.unlink()


@contextmanager
def bait() -> Iterator[None]:
    """What attackers look for: a secret, and sockets that somebody listens to."""
    os.environ[SECRET] = "the deals of tomorrow"
    with ExitStack() as stack:
        for family, kind, address in (
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)),
            (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", PORT)),
            (socket.AF_UNIX, socket.SOCK_STREAM, "\0stichkampf-test"),
            (socket.AF_UNIX, socket.SOCK_STREAM, "/tmp/stichkampf-test.sock"),  # noqa: S108 (bait)
        ):
            listening = stack.enter_context(socket.socket(family, kind))
            with suppress(OSError):  # another test has laid it out already
                listening.bind(address)
                if kind == socket.SOCK_STREAM:
                    listening.listen()
        for place in (Path("/tmp"), Path("/var/tmp")):  # noqa: S108 (bait)
            secret = place / "stichkampf-test-secret"
            with suppress(OSError):
                secret.write_text("the deals of tomorrow")
                stack.callback(taken_away, secret)
        libc = ctypes.CDLL(None)
        segment = libc.shmget(SHARED_KEY, 4096, 0o1666)
        queue = libc.mq_open(b"/stichkampf-test", os.O_CREAT | os.O_RDWR, 0o666, None)
        yield
        libc.shmctl(segment, 0, None)
        if queue >= 0:  # another test's that is somebody else's cannot be opened
            os.close(queue)
            libc.mq_unlink(b"/stichkampf-test")


class Pulse:
    """Feels whether the machine still reacts: how late a thread woke that wanted to at once."""

    def __init__(self) -> None:
        self.worst = 0.0
        self.over = Event()
        self.thread = Thread(target=self.feel, daemon=True)
        self.thread.start()

    def feel(self) -> None:
        """Sleep for moments, and look at the clock after each."""
        while not self.over.is_set():
            before = time.monotonic()
            time.sleep(TICK)
            self.worst = max(self.worst, time.monotonic() - before - TICK)

    def end(self) -> float:
        """The longest delay, in seconds."""
        self.over.set()
        self.thread.join()
        return self.worst


def table(bots: list[Bot], terms: Terms, deals: int) -> list[Played]:
    """Some games of these bots, in order."""
    with nothing_left(), Launcher(terms.sandbox) as launcher:
        referee = Referee(variant(VARIANT).game(len(bots)), bots, launcher, terms)
        played = list(referee.play([Deal(seed) for seed in range(deals)]))
    return sorted(played, key=lambda each: each.record.seed)


def peaceful(game: Game[Any], seed: int, hostile: set[int]) -> tuple[str, ...]:
    """The same deal if nobody attacked: these seats take their first options, others their last."""

    def choose(_state: object, decisions: tuple[Decision, ...]) -> list[str]:
        return [each.options[0 if each.seat in hostile else -1] for each in decisions]

    return play(game, seed, choose).choices


def groups() -> list[str]:
    """Control groups of ours that are still there."""
    counting = counted()
    folders = {counting.memory, counting.pids, counting.unified} - {None} if counting else set()
    name = f"{OURS}-{os.getpid()}-*"
    return [str(group) for folder in folders for group in Path(str(folder)).glob(name)]


def clock(case: Case) -> Clock:
    """The time there is for a case."""
    if case.why:
        return PATIENT
    if "start" in case.verdict and case.group == "clock":
        return HASTY
    return BRIEF if case.group in {"protocol", "clock"} else CLOCK


def deals(case: Case, level: Level) -> int:
    """How many games a case takes: a second one shows at one level what comes after a fault."""
    return 2 if level == Level.STRICT or case.group == "after the game" else 1


def outcome(name: str, level: Level) -> dict[str, Any]:
    """What came of an attack, beside what would have come of none."""
    sandbox = chosen(level, Limits())
    (case,) = [case for case in CASES if case.name == name]
    seats = {0, 2} if case.twins else {0}
    terms = Terms(limits=clock(case), sandbox=sandbox, grace=0.2)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)
        hostile = attacker(name, folder / "attacker", Workshop(sandbox))
        innocent = find(INNOCENT)
        begun, pulse = time.monotonic(), Pulse()
        bots = [hostile if seat in seats else innocent for seat in range(SEATS)]
        for _ in range(1 + case.twins):
            played = table(bots, terms, deals(case, level))
        seconds, late = time.monotonic() - begun, pulse.end()
    game = variant(VARIANT).game(SEATS)
    peace = [peaceful(game, seed, seats) for seed in range(deals(case, level))]
    return {
        "name": name,
        "faults": [
            [fault.seat, fault.fault, fault.text] for p in played for fault in p.record.faults
        ],
        "said": "".join(each.stderr[seat] for each in played for seat in sorted(seats)),
        "same": [p.record.choices for p in played] == peace,
        "ranks": [p.record.ranks for p in played],
        "scores": [p.record.scores for p in played],
        "seconds": round(seconds, 2),
        "late": round(late, 3),
        "groups": groups(),
    }


if __name__ == "__main__":
    play_one = partial(outcome, level=Level(sys.argv[1]))
    with bait(), ProcessPoolExecutor(AT_ONCE, get_context("fork")) as tables:
        for found in tables.map(play_one, sys.argv[2:]):
            print(json.dumps(found), flush=True)
