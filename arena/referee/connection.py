"""The connection to one bot: its process, its open questions and its outgoing messages."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess, CapturedStderr, read_available
from arena.bots.usage import NS_PER_SECOND
from arena.games.base import Decision, Game
from arena.protocol.codec import encode, encode_lines
from arena.protocol.messages import (
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    Clock,
    Decide,
    FaultKind,
    Hello,
    Message,
    Ready,
    Start,
)
from arena.referee.config import RefereeConfig
from arena.referee.fair_clock import FairClock
from arena.referee.faults import Evidence
from arena.referee.live_game import LiveGame, bot_seed
from arena.referee.record import Seated

MAX_EVIDENCE_BYTES = 2_000
"""Bytes of stderr and of a bad line that are kept as evidence."""

USAGE_CHECK_AFTER = 10_000_000
"""Nanoseconds after which an answer is worth looking at everything the bot has started."""

FROM_BOT, TO_BOT = "<", ">"
TrafficCallback = Callable[[int, str, bytes], None]
"""Overhears a bot's conversation: its place at the table, the direction, the lines."""

HousePlayer = Callable[[Decision, Any], str]
"""Chooses for a seat that no process plays, from the decision and the seat's view."""


class OpenQuestion(Struct, frozen=True, gc=False):
    """An open question."""

    question: Decide
    live_game: LiveGame
    place: int
    """Which of the decisions that are open together it is."""
    seat: int

    def bank_left(self) -> int:
        """Nanoseconds its seat has left in this game beyond those for its moves."""
        return self.live_game.bank_left[self.seat]


class Connection:
    """A bot of the table, over all games it plays in one life; where it sits may differ."""

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
        self.move_ns = round(limits.move * NS_PER_SECOND) if limits else 0
        self.bank_ns = config.bank_ns
        self.seated = Seated(bot.name, bot.version)
        self.process: BotProcess | None = None
        self.ready: Ready | None = None
        self.capacity = 1
        self.is_retired = False
        self.fault_count = 0
        self.failed_starts = 0
        self.last_fault: FaultKind = "start"
        self.pending_fault: tuple[FaultKind, str, Evidence] | None = None
        """A fault in no game, which will count in its next one."""
        self.idle_exit: tuple[FaultKind, str] | None = None
        """How it ended when it was not asked anything."""
        self.live_games: dict[int, LiveGame] = {}
        """The games it holds."""
        self.open_questions: dict[int, OpenQuestion] = {}
        self.unsent_questions = 0
        """How many of the open questions are not sent yet."""
        self.last_id = 0
        self.outbox: list[Message] = []
        self.partial_line = b""
        self.stale_in_a_row = 0
        """Answers to settled questions since its last one to an open question."""
        self.early_stderr = CapturedStderr()
        """What its process wrote to stderr before it was ready, or in no game."""
        self.cpu_baseline = 0
        """Its CPU time at its last answer."""
        self.wall_baseline = 0
        """When it was last known to have nothing to do, or gave its last answer."""
        self.fair_clock = FairClock()

    def launch(self, now: int) -> BotProcess:
        """Start a process, which takes over the games that are going on."""
        self.process = process = BotProcess(self.bot, self.launcher)
        self.ready, self.idle_exit, self.partial_line, self.early_stderr = (
            None,
            None,
            b"",
            CapturedStderr(),
        )
        self.cpu_baseline, self.wall_baseline, self.stale_in_a_row = 0, now, 0
        self.fair_clock.restart(now, {})
        self.outbox = [self.game_start(table) for table in self.live_games.values()]
        self.outbox += [asked.question for asked in self.open_questions.values()]
        self.unsent_questions = len(self.open_questions)
        return process

    def send_hello(self) -> None:
        """Say hello; all else waits until it is ready."""
        hello = Hello(PROTOCOL_VERSION, MAX_LINE_BYTES, self.config.games, self.config.limits)
        self.send([hello])

    def send(self, messages: list[Message]) -> None:
        """Write messages to the bot."""
        lines = encode_lines(messages)
        if self.process:
            self.process.write(lines)
        if self.on_traffic:
            self.on_traffic(self.place, TO_BOT, lines)

    def accept_ready(self, ready: Ready, now: int) -> None:
        """It can play: let it hold as many games as everybody allows."""
        self.ready = ready
        self.wall_baseline = now
        if self.process:
            self.cpu_baseline = self.process.cpu_time()
        self.failed_starts = 0
        self.capacity = min(ready.games, self.bot.games or ready.games, self.config.games)

    def game_start(self, live_game: LiveGame) -> Start:
        """What it is told when a game begins."""
        seat = live_game.seat_of_place[self.place]
        names = None if self.config.anonymous else tuple(seated.name for seated in live_game.bots)
        return start_message(
            live_game.game, live_game.number, seat, bot_seed(live_game.deal, seat), names
        )

    def join_game(self, live_game: LiveGame) -> None:
        """Take part in a game, in which belongs what it has written in none."""
        self.live_games[live_game.number] = live_game
        self.stderr_in(live_game).add(self.early_stderr.first + self.early_stderr.last)
        self.early_stderr = CapturedStderr()
        if self.process:
            self.outbox.append(self.game_start(live_game))

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
        self.unsent_questions += 1

    def flush(self, now: int) -> None:
        """Send all that is ready in one write."""
        if len(self.open_questions) == self.unsent_questions:
            self.wall_baseline = now  # it had nothing to do until now
        self.unsent_questions = 0
        messages, self.outbox = self.outbox, []
        self.send(messages)

    def oldest_question(self) -> OpenQuestion | None:
        """The question that has been open longest."""
        return next(iter(self.open_questions.values()), None)

    def current_game(self) -> LiveGame | None:
        """The game it is in: that of its oldest question, or the oldest it holds."""
        asked = self.oldest_question()
        return asked.live_game if asked else next(iter(self.live_games.values()), None)

    def read_stderr(self) -> bytes | None:
        """Take what it wrote to stderr: nothing at its end, None if there is nothing yet."""
        data = read_available(self.process.stderr) if self.process else b""
        if data:
            table = self.current_game() if self.ready else None
            self.stderr_in(table).add(data)
        return data

    def stderr_in(self, live_game: LiveGame | None) -> CapturedStderr:
        """What it wrote to stderr in a game, or in none."""
        return (
            live_game.stderr[live_game.seat_of_place[self.place]]
            if live_game
            else self.early_stderr
        )

    def time_used(self, now: int) -> tuple[int, int]:
        """Nanoseconds of real and of CPU time since it last answered or was last idle."""
        process = self.process
        if process is None:
            return 0, 0
        wall = now - self.wall_baseline
        if wall > USAGE_CHECK_AFTER:
            process.update_usage()
        return wall, process.cpu_time() - self.cpu_baseline

    def discount_stall(self, now: int, stall: int) -> None:
        """The machine stood still for so long, which is nobody's time."""
        if self.wall_baseline < now:
            before, self.wall_baseline = self.wall_baseline, min(now, self.wall_baseline + stall)
            if self.fair_clock.since == before:
                self.fair_clock.since = self.wall_baseline

    def core_wait(self, now: int) -> int:
        """Nanoseconds since then in which it had no core though it wanted one, if looked at."""
        if self.process and self.fair_clock.since == self.wall_baseline:
            self.fair_clock.update(now, self.process.reaper_pid)
            return self.fair_clock.waited
        return 0

    def count_stale(self) -> None:
        """Count an answer to a question that is settled."""
        self.stale_in_a_row += 1
        table = self.current_game()
        if table:
            table.stale[table.seat_of_place[self.place]] += 1

    def evidence(
        self,
        open_question: OpenQuestion | None,
        live_game: LiveGame | None,
        reply: bytes | None,
        now: int,
    ) -> Evidence:
        """What shows a fault."""
        self.read_stderr()
        wall, cpu = self.time_used(now)
        said = self.stderr_in(live_game)
        return Evidence(
            request=encode(open_question.question).decode() if open_question else None,
            reply=evidence_text(reply) if reply is not None else None,
            stderr=said.tail(MAX_EVIDENCE_BYTES) or self.early_stderr.tail(MAX_EVIDENCE_BYTES),
            wall=round(wall / NS_PER_SECOND, 6),
            cpu=round(cpu / NS_PER_SECOND, 6),
            waited=round(self.core_wait(now) / NS_PER_SECOND, 6),
        )


def start_message(
    game: Game[Any], number: int, seat: int, seed: int, names: tuple[str, ...] | None = None
) -> Start:
    """The message that a game begins."""
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
    """A line of a bot as evidence: its beginning, if it is long."""
    text = reply[:MAX_EVIDENCE_BYTES].decode(errors="backslashreplace")
    return text if len(reply) <= MAX_EVIDENCE_BYTES else f"{text}[... {len(reply)} bytes]"
