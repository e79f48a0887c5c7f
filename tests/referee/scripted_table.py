"""Transcripts of games with scripted bots: no processes, and time passes only when it is told to.

A transcript has one event on each line. The referee's part is checked, the bot's part happens:

    > decide 3            the referee sends this message next: its type, and its id or fault
    < ready 4             the bot offers 4 games; `< ready` offers one
    < choose 3 R7         the bot answers question 3; without a choice it takes the last option
    < choose 3 | choose 4 it writes several lines at once
    < "text"              it writes a line that is not a message; `<- text` has no newline
    e text                it writes to stderr
    + 0.2 cpu 0.1         so many seconds pass, in which it uses so much CPU time
    ~ 3                   the whole machine stands still for so long
    x exit status 1       its output ends, and this is how its process ended
    = THINKING            the state of the connection
    ! 2 timeout no answer a fault is recorded in game 2: its kind, and a part of its text
    ! none                no further fault is recorded

A digit before the sign says which bot of the table it is about; without one it is bot 0.
"""

import json
import os
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.resource_usage import NS_PER_SECOND, ThreadState
from arena.bots.sandbox.sandbox import Sandbox
from arena.errors import BadBot
from arena.games.catalog import variant
from arena.games.replay import Step
from arena.protocol.codec import encode_message
from arena.protocol.messages import Choose, Limits, Ready
from arena.referee import connection, fair_clock, fault_handler, poller, referee
from arena.referee.config import RefereeConfig
from arena.referee.connection import Connection
from arena.referee.fair_clock import CHECK_INTERVAL_NS
from arena.referee.faults import Fault
from arena.referee.live_game import Deal, LiveGame
from arena.referee.referee import FinishedGame, Referee
from tests.referee.game_helpers import Seats, first_option

CONFIG = RefereeConfig(limits=Limits(start=1.0, move=0.5, bank=1.0, wall=3.0))

LINE = re.compile(r"(?P<place>\d?)(?P<sign><-|[<>+~x=!e]) ?(?P<rest>.*)")
QUIET_TURNS = 3
"""Turns of the referee's loop after which it waits for the bots or for the clock."""


class ScriptedTime:
    """Takes the place of the module `time`; the referee's own work takes no time."""

    def __init__(self) -> None:
        self.now = 1_000 * NS_PER_SECOND

    def monotonic_ns(self) -> int:
        return self.now

    def process_time_ns(self) -> int:
        return 0


class ScriptedFreezer:
    """Knows whether the bot is stopped."""

    is_frozen = False

    def freeze(self) -> None:
        self.is_frozen = True

    def thaw(self) -> None:
        self.is_frozen = False


class ScriptedProcess:
    """A bot without a process: its output comes from the transcript, through pipes."""

    def __init__(self, pid: int) -> None:
        self.pid = self.reaper_pid = pid
        self.stdin = -1
        self.stdout, self.stdout_writer = os.pipe2(os.O_NONBLOCK)
        self.stderr, self.stderr_writer = os.pipe2(os.O_NONBLOCK)
        self.freezer = ScriptedFreezer()
        self.unsent = b""
        self.cpu = 0
        self.is_stdin_broken = False
        self.violation = ""
        self.exit_text = "exit status 0"
        self.external_cause = ""
        self.is_out_of_memory = False
        self.memory_limit = 64 << 20
        self.is_open = True

    def write(self, _data: bytes) -> bool:
        return True

    def cpu_time(self) -> int:
        return self.cpu

    def update_usage(self) -> None:
        pass

    def limit_violation(self) -> str:
        return self.violation

    def exit_reason(self) -> str:
        return self.exit_text

    def was_killed(self) -> bool:
        return bool(self.external_cause)

    def end(self, grace: float) -> None:
        pass

    def end_output(self) -> None:
        if self.stdout_writer >= 0:
            os.close(self.stdout_writer)
            self.stdout_writer = -1

    def close(self) -> None:
        assert self.is_open, "a process is closed once"
        self.is_open = False
        self.end_output()
        for stream in (self.stdout, self.stderr, self.stderr_writer):
            os.close(stream)


class ScriptedLauncher:
    """Starts scripted processes."""

    def __init__(self, *, stops_idle_bots: bool) -> None:
        self.sandbox = Sandbox(stops_idle_bots=stops_idle_bots)
        self.started: list[ScriptedProcess] = []
        self.refuses = False

    def listen(self) -> None:
        pass

    def wait_for_exit(self, _pids: list[int], _seconds: float) -> bool:
        return True


def start_process(bot: Bot, launcher: ScriptedLauncher) -> ScriptedProcess:
    """Takes the place of `BotProcess`."""
    if launcher.refuses:
        raise BadBot(f"{bot.name} cannot be started")
    launcher.started.append(ScriptedProcess(len(launcher.started) + 1))
    return launcher.started[-1]


class ScriptedTable:
    """A referee whose bots do what transcripts say."""

    def __init__(
        self, launcher: ScriptedLauncher, time: ScriptedTime, config: RefereeConfig, bots: int
    ) -> None:
        self.launcher = launcher
        self.time = time
        self.threads: dict[int, ThreadState] = {}
        self.games: dict[int, LiveGame] = {}
        self.sent: list[deque[dict[str, Any]]] = [deque() for _ in range(bots)]
        self.questions: dict[tuple[int, int], dict[str, Any]] = {}
        self.finished: list[FinishedGame] = []
        self.counted_faults: set[tuple[int, int]] = set()
        named = [Bot(f"bot{place}", "1", ("none",), Path()) for place in range(bots)]
        seats: Seats = [*named, *[first_option] * (3 - bots)]
        self.referee = Referee(
            variant("sticheln").game(3),
            seats,
            cast("Launcher", launcher),
            config,
            on_step=self.remember_game,
            on_traffic=self.overhear,
        )

    def begin(self, deals: int) -> None:
        """Start the bots."""
        seated = [(Deal(seed), range(3)) for seed in range(deals)]
        self.referee.pending_deals = iter(seated)
        for one in self.referee.connections:
            self.referee.poller.connect(one)

    def remember_game(self, game: LiveGame, _step: Step) -> None:
        self.games[game.number] = game

    def overhear(self, place: int, direction: str, lines: bytes) -> None:
        """Keep what the referee sends."""
        for line in lines.splitlines() if direction == ">" else ():
            message = json.loads(line)
            self.sent[place].append(message)
            if message["type"] == "decide":
                self.questions[place, message["id"]] = message

    def connection(self, place: int = 0) -> Connection:
        return self.referee.connections[place]

    def process(self, place: int = 0) -> ScriptedProcess:
        """The bot's present process."""
        process = self.connection(place).process
        assert process, "the bot has no process"
        return cast("ScriptedProcess", cast("object", process))

    def faults(self) -> list[Fault]:
        """All faults, game by game."""
        return [fault for game in self.games.values() for fault in game.faults]

    def play(self, transcript: str) -> None:
        """Let all this happen, and check the referee's part of it."""
        for line in filter(None, map(str.strip, transcript.splitlines())):
            found = LINE.fullmatch(line)
            assert found, line
            place = int(found["place"] or 0)
            match found["sign"]:
                case ">":
                    self.check_sent(place, found["rest"], line)
                case "=":
                    assert self.connection(place).state.name == found["rest"], line
                case "!":
                    self.check_fault(found["rest"], line)
                case sign:
                    self.act(place, sign, found["rest"])

    def check_sent(self, place: int, expected: str, line: str) -> None:
        assert self.sent[place], f"{line}: nothing was sent"
        message = self.sent[place].popleft()
        detail = message.get("fault", message.get("id", ""))
        shown = f"{message['type']} {detail}".strip()
        assert expected in {shown, message["type"]}, f"{line}: {shown} was sent"

    def check_fault(self, expected: str, line: str) -> None:
        """Check the first fault, game by game, that was not checked before."""
        new = [
            (game.number, number)
            for game in self.games.values()
            for number in range(len(game.faults))
            if (game.number, number) not in self.counted_faults
        ]
        if expected == "none":
            assert new == [], line
            return
        assert new, f"{line}: no fault was recorded"
        self.counted_faults.add(new[0])
        game, number = new[0]
        fault = self.games[game].faults[number]
        shown = f"{game} {fault.fault} {fault.text}"
        wanted_game, kind, text = f"{expected}  ".split(" ", 2)
        assert (str(game), fault.fault) == (wanted_game, kind), f"{line}: {shown}"
        assert text.strip() in fault.text, f"{line}: {shown}"

    def act(self, place: int, sign: str, rest: str) -> None:
        """Let something happen, and the referee react to it."""
        match sign:
            case "<":
                lines = [self.line(place, part) + b"\n" for part in rest.split(" | ")]
                os.write(self.process(place).stdout_writer, b"".join(lines))
            case "<-":
                os.write(self.process(place).stdout_writer, rest.encode())
            case "e":
                os.write(self.process(place).stderr_writer, rest.encode())
            case "x":
                self.process(place).exit_text = rest
                self.process(place).end_output()
            case "~":
                self.time.now += round(float(rest) * NS_PER_SECOND)
            case "+":
                self.pass_time(place, rest)
        self.turns()

    def line(self, place: int, part: str) -> bytes:
        """A line that a bot writes, without its newline."""
        match part.split():
            case ["ready"]:
                return encode_message(Ready())
            case ["ready", games]:
                return encode_message(Ready(games=int(games)))
            case ["choose", number]:
                return encode_message(
                    Choose(int(number), self.questions[place, int(number)]["options"][-1])
                )
            case ["choose", number, choice]:
                return encode_message(Choose(int(number), choice))
            case _:
                return part.strip('"').encode()

    def pass_time(self, place: int, rest: str) -> None:
        """Let time pass tick by tick, so that the referee does not miss it."""
        seconds, _, cpu = rest.partition(" cpu ")
        if cpu:
            self.process(place).cpu += round(float(cpu) * NS_PER_SECOND)
        until = self.time.now + round(float(seconds) * NS_PER_SECOND)
        while self.time.now < until:
            self.time.now = min(until, self.time.now + CHECK_INTERVAL_NS)
            self.turn()

    def turns(self) -> None:
        for _ in range(QUIET_TURNS):
            self.turn()

    def turn(self) -> None:
        """What `Referee.play` does in a loop."""
        if self.referee.pending_deals and self.referee.has_room:
            self.referee.begin_games(self.referee.pending_deals)
        self.referee.run_once()
        self.finished += self.referee.finished_games
        self.referee.finished_games.clear()


@contextmanager
def start_scripted_table(
    config: RefereeConfig = CONFIG,
    *,
    bots: int = 1,
    deals: int = 1,
    stops_idle_bots: bool = False,
) -> Iterator[ScriptedTable]:
    """Start a referee whose bots do what transcripts say."""
    launcher = ScriptedLauncher(stops_idle_bots=stops_idle_bots)
    with pytest.MonkeyPatch.context() as patch:
        time = ScriptedTime()
        modules: list[ModuleType] = [referee, poller, fault_handler, fair_clock]
        for module in modules:
            patch.setattr(module, "time", time)
        patch.setattr(poller, "CHECK_INTERVAL_MS", 0)
        patch.setattr(connection, "BotProcess", start_process)
        table = ScriptedTable(launcher, time, config, bots)
        patch.setattr(fair_clock, "thread_states", lambda _reaper_pid: dict(table.threads))
        try:
            table.begin(deals)
            yield table
        finally:
            table.referee.poller.close(0)
    assert not any(process.is_open for process in launcher.started), "all processes are closed"


def play_transcript(
    transcript: str, config: RefereeConfig = CONFIG, **options: Any
) -> ScriptedTable:
    """Play a transcript; check that nothing else was sent and no other fault recorded."""
    with start_scripted_table(config, **options) as table:
        table.play(transcript)
        table.play("! none")
        assert not any(table.sent), f"sent besides: {table.sent}"
    return table
