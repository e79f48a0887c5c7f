"""Seats attackers with two innocents, in the sandbox, and tells what came of it as JSON.

python -m tests.hostile.runner LEVEL alone|together ATTACKER...

Alone, each attacker has a table of its own and plays whole games. Together, several attackers
share a table, its innocents and its referee, and games last one round, in which all of them strike.
"""

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
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from shutil import copy2, copytree
from threading import Event, Thread
from typing import Any

from arena.bots.bot import Bot, load_bot
from arena.bots.build import BuildSettings
from arena.bots.launcher import Launcher
from arena.bots.sandbox.cgroups import NAME_PREFIX
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox, usable_cgroups
from arena.games.base import Decision, Game
from arena.games.catalog import variant
from arena.games.replay import play_game
from arena.games.tricks import TrickGame
from arena.protocol.messages import Limits as Clock
from arena.referee.config import RefereeConfig
from arena.referee.live_game import Deal
from arena.referee.referee import FinishedGame, Referee
from tests.bots.leftover_processes import check_no_leftovers
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
VARIANT = "sticheln"
SHARING = 6
"""Attackers at one table, at most: there are eight seats, of which two are for the innocent."""

AT_ONCE = {"alone": 6, "together": 2}
"""Tables that are played at the same time, since many attackers make everybody wait."""

PORT = 48_211
SECRET = "STICHKAMPF_TEST_SECRET"
TICK = 0.01


def attacker(name: str, folder: Path, settings: BuildSettings) -> Bot:
    """An attacker as a contestant would send it: a folder with what it needs."""
    if (BOTS / name).is_dir():
        copytree(BOTS / name, folder)
    else:
        folder.mkdir()
        (folder / "bot.yaml").write_text(f"name: attacker\nrun: [python3, {name}.py]\n")
        copy2(BOTS / f"{name}.py", folder)
    copy2(BOTS / "attacker.py", folder)
    if not usable_cgroups():
        (folder / "uncounted").touch()  # attacker.py looks for this file
    return load_bot(folder, settings)


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
                if isinstance(address, str) and address.startswith("/"):
                    stack.callback(taken_away, Path(address))
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


@dataclass(frozen=True)
class AttackTable:
    """Attackers at one table, and what is played there."""

    cases: tuple[Case, ...]
    deals: int
    rounds: int | None = None
    """How many of them a game has; None: those of the rules."""

    @property
    def seated(self) -> tuple[Case | None, ...]:
        """The attacker in each seat; None is an innocent."""
        first = self.cases[0]
        return (first, None, first) if first.twins else (*self.cases, None, None)

    def seats(self, case: Case | None) -> list[int]:
        """The seats of an attacker, or of the innocent."""
        return [seat for seat, other in enumerate(self.seated) if other is case]

    def game(self) -> TrickGame[Any]:
        """What is played."""
        game = variant(VARIANT).game(len(self.seated))
        assert isinstance(game, TrickGame)
        game.rounds = self.rounds or game.rounds
        return game


def alone(cases: list[Case], level: SandboxLevel) -> list[AttackTable]:
    """A table for each: a second game shows at one level what comes after a fault."""
    return [
        AttackTable(
            (case,), 2 if level == SandboxLevel.STRICT or case.group == "after the game" else 1
        )
        for case in cases
    ]


def together(cases: list[Case]) -> list[AttackTable]:
    """Tables that attackers share if they have the same clock."""
    attack_tables = []
    for (twins, _, deals), alike in groupby(sorted(cases, key=kind), kind):
        sharing = list(alike)
        tables = len(sharing) if twins else -(-len(sharing) // SHARING)
        attack_tables += [AttackTable(tuple(sharing[at::tables]), deals, 1) for at in range(tables)]
    return attack_tables


def kind(case: Case) -> tuple[bool, str, int]:
    """What attackers that share a table have in common.

    Those that use up their time or their memory do so in each game, which costs as much again.
    """
    return case.twins, repr(clock(case)), 1 if case.group in {"clock", "memory"} else 2


def clock(case: Case) -> Clock:
    """The time there is for a case."""
    if case.why:
        return PATIENT
    if "start" in case.verdict and case.group == "clock":
        return HASTY
    return BRIEF if case.group in {"protocol", "clock"} else CLOCK


def play_table(
    attack_table: AttackTable, bots: list[Bot], config: RefereeConfig
) -> list[FinishedGame]:
    """The games of a table, in order."""
    with check_no_leftovers(), Launcher(config.sandbox) as launcher:
        referee = Referee(attack_table.game(), bots, launcher, config)
        played = list(referee.play([Deal(seed) for seed in range(attack_table.deals)]))
    return sorted(played, key=lambda each: each.record.seed)


def peaceful(game: Game[Any], seed: int, innocent: list[int]) -> tuple[str, ...]:
    """The same deal if nobody attacked: attackers take their first options, others their last."""

    def choose(_state: object, decisions: tuple[Decision, ...]) -> list[str]:
        return [each.options[-1 if each.seat in innocent else 0] for each in decisions]

    return play_game(game, seed, choose).choices


def groups() -> list[str]:
    """Control groups of ours that are still there."""
    counting = usable_cgroups()
    folders = {counting.memory, counting.pids, counting.unified} - {None} if counting else set()
    name = f"{NAME_PREFIX}-{os.getpid()}-*"
    return [str(group) for folder in folders for group in Path(str(folder)).glob(name)]


def outcomes(attack_table: AttackTable, level: SandboxLevel) -> list[dict[str, Any]]:
    """What came of attacks, beside what would have come of none."""
    sandbox = select_sandbox(level, ResourceLimits())
    config = RefereeConfig(limits=clock(attack_table.cases[0]), sandbox=sandbox, grace=0.2)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)
        settings = BuildSettings(sandbox)
        bots: dict[Case | None, Bot] = {
            case: attacker(case.name, folder / case.name, settings) for case in attack_table.cases
        }
        bots[None] = load_bot(INNOCENT)
        begun, pulse = time.monotonic(), Pulse()
        for _ in range(1 + attack_table.cases[0].twins):
            played = play_table(attack_table, [bots[case] for case in attack_table.seated], config)
        seconds, late = time.monotonic() - begun, pulse.end()
    innocent = attack_table.seats(None)
    peace = [peaceful(attack_table.game(), seed, innocent) for seed in range(attack_table.deals)]
    shared = {
        "paid": faults(played, innocent),
        "same": [each.record.choices for each in played] == peace,
        "ranks": [[each.record.ranks[seat] for seat in innocent] for each in played],
        "scores": [[each.record.scores[seat] for seat in innocent] for each in played],
        "seconds": round(seconds, 2),
        "late": round(late, 3),
        "groups": groups(),
    }
    return [
        {
            "name": case.name,
            "faults": faults(played, attack_table.seats(case)),
            "said": "".join(
                each.stderr[seat] for each in played for seat in attack_table.seats(case)
            ),
            **shared,
        }
        for case in attack_table.cases
    ]


def faults(played: list[FinishedGame], seats: list[int]) -> list[tuple[int, str, str]]:
    """The faults of some seats."""
    return [
        (fault.seat, fault.fault, fault.text)
        for each in played
        for fault in each.record.faults
        if fault.seat in seats
    ]


def main(level: SandboxLevel, how: str, names: list[str]) -> None:
    """Play, and print a line for each attacker."""
    cases = [case for case in CASES if case.name in names]
    attack_tables = alone(cases, level) if how == "alone" else together(cases)
    with bait(), ProcessPoolExecutor(AT_ONCE[how], get_context("fork")) as tables:
        for found in tables.map(partial(outcomes, level=level), attack_tables):
            for each in found:
                print(json.dumps(each), flush=True)


if __name__ == "__main__":
    main(SandboxLevel(sys.argv[1]), sys.argv[2], sys.argv[3:])
