"""The connection to one bot: its process, its state, its open questions and outgoing messages."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NamedTuple

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess, CapturedStderr, read_available
from arena.bots.resource_usage import NS_PER_SECOND
from arena.errors import BotKilled, HarnessFailure
from arena.games.base import Decision, Game
from arena.protocol.codec import encode_lines, encode_message
from arena.protocol.messages import (
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    Clock,
    Decide,
    FaultKind,
    Hello,
    Message,
    Ready,
    Result,
    Start,
)
from arena.referee.config import RefereeConfig
from arena.referee.fair_clock import FairClock
from arena.referee.faults import Evidence
from arena.referee.live_game import LiveGame, bot_seed
from arena.referee.record import SeatedBot

MAX_EVIDENCE_BYTES = 2_000
"""Bytes of stderr and of a bad line that are kept as evidence."""

USAGE_CHECK_AFTER = 10_000_000
"""Nanoseconds after which it pays to measure all processes that a bot has started."""

FROM_BOT, TO_BOT = "<", ">"
TrafficCallback = Callable[[int, str, bytes], None]
"""Receives a bot's conversation: its place at the table, the direction, the lines."""

HousePlayer = Callable[[Decision, Any], str]
"""Chooses for a seat that no process plays, from the decision and the seat's view."""


class ConnectionState(Enum):
    """What a bot is doing, as far as the referee knows."""

    STARTING = auto()
    """Its process runs and has not sent 'ready'."""
    READY = auto()
    """It can play, and was sent no question that is still open."""
    THINKING = auto()
    """It was sent a question that is still open."""
    FROZEN = auto()
    """It is stopped, since it has no question to answer."""
    GONE = auto()
    """It has no process; the next game starts one."""
    RETIRED = auto()
    """It has no process and gets none any more: the referee plays for it."""


STARTING, READY, THINKING, FROZEN, GONE, RETIRED = ConnectionState


class OpenQuestion(Struct, frozen=True, gc=False):
    """An open question."""

    question: Decide
    live_game: LiveGame
    place: int
    """Which of the decisions that are open together it is."""
    seat: int

    def bank_left(self) -> int:
        """Nanoseconds its seat has left in this game beyond those for its decisions."""
        return self.live_game.bank_left[self.seat]


class PendingFault(NamedTuple):
    """A fault in no game."""

    kind: FaultKind
    text: str
    evidence: Evidence
    fatal: bool
    """Whether the game in which it will count is lost."""


class Connection:
    """A bot of the table over all its games and processes; its seat may differ between games."""

    def __init__(
        self,
        place: int,
        bot: Bot,
        launcher: Launcher,
        config: RefereeConfig,
        on_traffic: TrafficCallback | None,
    ) -> None:
        self.place = place
        """Which bot of the table it is."""
        self.bot = bot
        self.launcher = launcher
        self.config = config
        self.on_traffic = on_traffic
        limits = config.limits
        self.clock = Clock(limits.move, limits.bank) if limits else None
        self.move_ns = config.move_ns
        self.bank_ns = config.bank_ns
        self.seated_bot = SeatedBot(bot.name, bot.version)
        self.state = GONE
        self.process: BotProcess | None = None
        """Its process, unless it is GONE or RETIRED."""
        self.capacity = 1
        """How many games it can hold at once."""
        self.fault_count = 0
        self.failed_starts = 0
        """How many starts in a row have failed."""
        self.last_fault: FaultKind = "start"
        self.pending_fault: PendingFault | None = None
        """A fault in no game, which will count in its next one."""
        self.idle_exit: tuple[FaultKind, str] | None = None
        """How it ended while no question was open; counts in the first game that misses it."""
        self.live_games: dict[int, LiveGame] = {}
        """The games it holds."""
        self.open_questions: dict[int, OpenQuestion] = {}
        """All that are not settled, the oldest first."""
        self.last_id = 0
        self.last_sent_id = 0
        """Questions above it are still in the outbox."""
        self.outbox: list[Message] = []
        self.partial_line = b""
        self.stale_in_a_row = 0
        """Answers to settled questions since its last one to an open question."""
        self.stderr_without_game = CapturedStderr()
        """What its process wrote to stderr before it was ready, or in no game."""
        self.cpu_baseline = 0
        """Its CPU time at its last answer."""
        self.fair_clock = FairClock(0, 0)

    def launch(self, now: int) -> BotProcess:
        """GONE → STARTING: start a process, which takes over the games in progress."""
        self.process = process = BotProcess(self.bot, self.launcher)
        self.state = STARTING
        self.idle_exit, self.partial_line = None, b""
        self.stderr_without_game = CapturedStderr()
        self.cpu_baseline, self.stale_in_a_row = 0, 0
        self.fair_clock = FairClock(now, process.reaper_pid)
        self.outbox = [self.start_message_of(live_game) for live_game in self.live_games.values()]
        self.outbox += [open_question.question for open_question in self.open_questions.values()]
        self.last_sent_id = self.last_id - len(self.open_questions)
        return process

    def accept_ready(self, ready: Ready, now: int) -> None:
        """STARTING → READY: it can play as many games at once as it and the settings allow."""
        self.state = READY
        self.fair_clock.restart(now)
        if self.process:
            self.cpu_baseline = self.process.cpu_time()
        self.failed_starts = 0
        self.capacity = min(ready.games, self.bot.games or ready.games, self.config.games_at_once)

    def flush(self, now: int) -> None:
        """READY or FROZEN → THINKING if there are questions: send all messages in one write."""
        if self.state is not THINKING:
            self.fair_clock.restart(now)  # it had nothing to do until now
            if self.open_questions:
                if self.state is FROZEN:
                    self.thaw()
                self.state = THINKING
        self.last_sent_id = self.last_id
        messages, self.outbox = self.outbox, []
        self.send(messages)

    def close_question(self, number: int) -> None:
        """THINKING → READY if this was the last open question: it is settled."""
        del self.open_questions[number]
        if not self.open_questions and self.state is THINKING:
            self.state = READY

    def freeze_if_idle(self) -> None:
        """READY → FROZEN; a FROZEN bot may have started processes that have to be stopped too."""
        if self.process and (self.state is READY or self.state is FROZEN):
            freezer = self.process.freezer
            freezer.freeze()
            self.state = FROZEN

    def thaw(self) -> None:
        """Let a FROZEN bot run."""
        if self.process:
            self.process.freezer.thaw()

    def close_process(self) -> None:
        """Any state → GONE: drop the process, if there is one; it was told to end."""
        if self.process:
            self.process.close()
            self.process = None
        self.outbox.clear()
        self.state = GONE

    def retire(self) -> None:
        """GONE → RETIRED."""
        self.state = RETIRED

    def send_hello(self) -> None:
        """Send the first message to a new process."""
        hello = Hello(
            PROTOCOL_VERSION, MAX_LINE_BYTES, self.config.games_at_once, self.config.limits
        )
        self.send([hello])

    def send(self, messages: list[Message]) -> None:
        """Write messages to the bot."""
        lines = encode_lines(messages)
        if self.process:
            self.process.write(lines)
        if self.on_traffic:
            self.on_traffic(self.place, TO_BOT, lines)

    def receive(self) -> bytes | None:
        """Read what it wrote to stdout: nothing at its end, None if there is nothing yet."""
        written = read_available(self.process.stdout) if self.process else None
        if written and self.on_traffic:
            self.on_traffic(self.place, FROM_BOT, written)
        return written

    def start_message_of(self, live_game: LiveGame) -> Start:
        """The message with which a game begins for this bot."""
        seat = live_game.seat_of_place[self.place]
        names = None if self.config.anonymous else tuple(seated.name for seated in live_game.bots)
        return start_message(
            live_game.game, live_game.number, seat, bot_seed(live_game.deal, seat), names
        )

    def join_game(self, live_game: LiveGame) -> None:
        """Take part in a game; stderr that belongs to no game is added to it."""
        self.live_games[live_game.number] = live_game
        early = self.stderr_without_game
        self.captured_stderr(live_game).add(early.first + early.last)
        self.stderr_without_game = CapturedStderr()
        if self.process:
            self.outbox.append(self.start_message_of(live_game))

    def leave_game(self, number: int, result: Result | None = None) -> None:
        """Leave a game; the bot is sent its result, if there is one."""
        if self.live_games.pop(number, None) and result and self.process:
            self.outbox.append(result)

    def ask(self, live_game: LiveGame, place: int, decision: Decision, view: Any) -> None:
        """Put a question to the bot, to be sent with the next flush."""
        self.last_id = number = self.last_id + 1
        left = live_game.bank_left[decision.seat]
        question = Decide(
            live_game.number,
            number,
            live_game.game.variant,
            decision.kind,
            decision.options,
            view,
            self.clock
            if left == self.bank_ns
            else Clock(self.move_ns / NS_PER_SECOND, left / NS_PER_SECOND),
        )
        self.open_questions[number] = OpenQuestion(question, live_game, place, decision.seat)
        self.outbox.append(question)

    def oldest_question(self) -> OpenQuestion | None:
        """The question that has been open longest."""
        return next(iter(self.open_questions.values()), None)

    def open_question_in(self, live_game: LiveGame) -> OpenQuestion | None:
        """The open question of a game."""
        return next(
            (
                open_question
                for open_question in self.open_questions.values()
                if open_question.live_game is live_game
            ),
            None,
        )

    def current_game(self) -> LiveGame | None:
        """The game it is in: that of its oldest question, or the oldest it holds."""
        open_question = self.oldest_question()
        return (
            open_question.live_game if open_question else next(iter(self.live_games.values()), None)
        )

    def read_stderr(self) -> bytes | None:
        """Read what it wrote to stderr: nothing at its end, None if there is nothing yet."""
        data = read_available(self.process.stderr) if self.process else b""
        if data:
            live_game = None if self.state is STARTING else self.current_game()
            self.captured_stderr(live_game).add(data)
        return data

    def captured_stderr(self, live_game: LiveGame | None) -> CapturedStderr:
        """Return the captured stderr of a game, or of no game."""
        if live_game is None:
            return self.stderr_without_game
        return live_game.stderr[live_game.seat_of_place[self.place]]

    def measure_time(self, now: int) -> tuple[int, int]:
        """Nanoseconds of real and of CPU time since it last answered or was last idle."""
        process = self.process
        if process is None:
            return 0, 0
        wall = now - self.fair_clock.since
        if wall > USAGE_CHECK_AFTER:
            process.update_usage()
        return wall, process.cpu_time() - self.cpu_baseline

    def restart_clocks(self, now: int, cpu: int) -> None:
        """Restart the clocks after answers that took this much CPU time."""
        self.fair_clock.restart(now)
        self.cpu_baseline += cpu

    def count_stale(self) -> None:
        """Count an answer to a question that is settled."""
        self.stale_in_a_row += 1
        live_game = self.current_game()
        if live_game:
            live_game.stale[live_game.seat_of_place[self.place]] += 1

    def raise_if_killed(self) -> None:
        """Raise an error if its process was killed without a fault of its own."""
        process = self.process
        if process and process.was_killed():
            if self.config.is_excused(self.bot.name):
                raise BotKilled(self.bot.name, process.external_cause)
            raise HarnessFailure(f"{self.bot.name} {process.external_cause}")

    def exit_fault(self, how: str) -> tuple[FaultKind, str]:
        """The fault of a bot whose process ended like this."""
        text = self.out_of_memory_text()
        return ("memory", text) if text else ("exited", how)

    def out_of_memory_text(self) -> str:
        """The sentence about a bot that the kernel killed at its memory limit; else nothing."""
        process = self.process
        if process and process.is_out_of_memory and process.memory_limit:
            return f"it was killed for holding more than {process.memory_limit >> 20} MiB"
        return ""

    def collect_evidence(
        self,
        open_question: OpenQuestion | None,
        live_game: LiveGame | None,
        reply: bytes | None,
        now: int,
    ) -> Evidence:
        """Collect what proves a fault."""
        self.read_stderr()
        wall, cpu = self.measure_time(now)
        waited = self.fair_clock.measure_wait(now) if self.process else 0
        stderr = self.captured_stderr(live_game).tail(MAX_EVIDENCE_BYTES)
        return Evidence(
            request=encode_message(open_question.question).decode() if open_question else None,
            reply=evidence_text(reply) if reply is not None else None,
            stderr=stderr or self.stderr_without_game.tail(MAX_EVIDENCE_BYTES),
            wall=round(wall / NS_PER_SECOND, 6),
            cpu=round(cpu / NS_PER_SECOND, 6),
            waited=round(waited / NS_PER_SECOND, 6),
        )


def start_message(
    game: Game[Any], number: int, seat: int, seed: int, names: tuple[str, ...] | None = None
) -> Start:
    """The message with which a game begins."""
    return Start(
        game=number,
        variant=game.variant,
        seats=game.seats,
        seat=seat,
        rounds=game.sizes.rounds,
        cards=game.cards,
        seed=seed,
        bots=names,
    )


def evidence_text(reply: bytes) -> str:
    """Return a line of a bot as evidence: its beginning, if it is long."""
    text = reply[:MAX_EVIDENCE_BYTES].decode(errors="backslashreplace")
    return text if len(reply) <= MAX_EVIDENCE_BYTES else f"{text}[... {len(reply)} bytes]"
