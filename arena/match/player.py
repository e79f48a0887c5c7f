"""A bot as the referee sees it: its process, its open questions, what is still to be sent."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.process import Process, read
from arena.bots.stderr import Said
from arena.bots.usage import NANO
from arena.games.base import Decision, Game
from arena.match.faults import Evidence
from arena.match.patience import Patience
from arena.match.record import Seated
from arena.match.table import Table, own_seed
from arena.match.terms import Terms
from arena.protocol.codec import encode, encode_lines
from arena.protocol.messages import (
    LONGEST_LINE,
    PROTOCOL,
    Clock,
    Decide,
    FaultKind,
    Hello,
    Message,
    Ready,
    Start,
)

TAIL = 2_000
"""Bytes of stderr and of a bad line that are kept as evidence."""

LOOK = 10_000_000
"""Nanoseconds after which an answer is worth looking at everything the bot has started."""

FROM_BOT, TO_BOT = "<", ">"
Tap = Callable[[int, str, bytes], None]
"""Overhears a bot's conversation: its place at the table, the direction, the lines."""

House = Callable[[Decision, Any], str]
"""Chooses for a seat that no process plays, from the decision and the seat's view."""


class Asked(Struct, frozen=True, gc=False):
    """An open question."""

    question: Decide
    table: Table
    place: int
    """Which of the decisions that are open together it is."""
    seat: int

    def bank(self) -> int:
        """Nanoseconds its seat has left in this game beyond those for its moves."""
        return self.table.bank[self.seat]


class Player:
    """A bot of the table, over all games it plays in one life; where it sits may differ."""

    def __init__(
        self, place: int, bot: Bot, launcher: Launcher, terms: Terms, tap: Tap | None
    ) -> None:
        self.place = place
        """Which bot of the table it is."""
        self.bot = bot
        self.launcher = launcher
        self.terms = terms
        self.tap = tap
        limits = terms.limits
        self.clock = Clock(limits.move, limits.bank) if limits else None
        self.move = round(limits.move * NANO) if limits else 0
        self.bank = terms.bank
        self.seated = Seated(bot.name, bot.version)
        self.process: Process | None = None
        self.ready: Ready | None = None
        self.capacity = 1
        self.retired = False
        self.faults = 0
        self.failed_starts = 0
        self.last_fault: FaultKind = "start"
        self.unplaced: tuple[FaultKind, str, Evidence] | None = None
        """A fault in no game, which will count in its next one."""
        self.lapse: tuple[FaultKind, str] | None = None
        """How it ended when it was not asked anything."""
        self.tables: dict[int, Table] = {}
        """The games it holds."""
        self.open: dict[int, Asked] = {}
        self.fresh = 0
        """How many of the open questions are not sent yet."""
        self.last_id = 0
        self.out: list[Message] = []
        self.heard = b""
        self.stale = 0
        """Answers to settled questions since its last one to an open question."""
        self.early = Said()
        """What its process wrote to stderr before it was ready, or in no game."""
        self.cpu_mark = 0
        """Its CPU time at its last answer."""
        self.wall_mark = 0
        """When it was last known to have nothing to do, or gave its last answer."""
        self.patience = Patience()

    def launch(self, now: int) -> Process:
        """Start a process, which takes over the games that are going on."""
        self.process = process = Process(self.bot, self.launcher)
        self.ready, self.lapse, self.heard, self.early = None, None, b"", Said()
        self.cpu_mark, self.wall_mark, self.stale = 0, now, 0
        self.patience.begin(now, {})
        self.out = [self.start(table) for table in self.tables.values()]
        self.out += [asked.question for asked in self.open.values()]
        self.fresh = len(self.open)
        return process

    def greet(self) -> None:
        """Say hello; all else waits until it is ready."""
        hello = Hello(PROTOCOL, LONGEST_LINE, self.terms.games, self.terms.limits)
        self.send([hello])

    def send(self, messages: list[Message]) -> None:
        """Write messages to the bot."""
        lines = encode_lines(messages)
        if self.process:
            self.process.write(lines)
        if self.tap:
            self.tap(self.place, TO_BOT, lines)

    def is_ready(self, ready: Ready, now: int) -> None:
        """It can play: let it hold as many games as everybody allows."""
        self.ready = ready
        self.wall_mark = now
        if self.process:
            self.cpu_mark = self.process.cpu()
        self.failed_starts = 0
        self.capacity = min(ready.games, self.bot.games or ready.games, self.terms.games)

    def start(self, table: Table) -> Start:
        """What it is told when a game begins."""
        seat = table.sits[self.place]
        names = None if self.terms.anonymous else tuple(seated.name for seated in table.bots)
        return begins(table.game, table.number, seat, own_seed(table.deal, seat), names)

    def hold(self, table: Table) -> None:
        """Take part in a game, in which belongs what it has written in none."""
        self.tables[table.number] = table
        self.said_in(table).add(self.early.first + self.early.last)
        self.early = Said()
        if self.process:
            self.out.append(self.start(table))

    def ask(self, table: Table, place: int, decision: Decision, view: Any) -> None:
        """Put a question to the bot, to be sent with the next flush."""
        self.last_id = number = self.last_id + 1
        left = table.bank[decision.seat]
        question = Decide(
            table.number,
            number,
            table.game.variant,
            decision.kind,
            decision.options,
            view,
            self.clock if left == self.bank else Clock(self.move / NANO, left / NANO),
        )
        self.open[number] = Asked(question, table, place, decision.seat)
        self.out.append(question)
        self.fresh += 1

    def flush(self, now: int) -> None:
        """Send all that is ready in one write."""
        if len(self.open) == self.fresh:
            self.wall_mark = now  # it had nothing to do until now
        self.fresh = 0
        messages, self.out = self.out, []
        self.send(messages)

    def oldest(self) -> Asked | None:
        """The question that has been open longest."""
        return next(iter(self.open.values()), None)

    def current(self) -> Table | None:
        """The game it is in: that of its oldest question, or the oldest it holds."""
        asked = self.oldest()
        return asked.table if asked else next(iter(self.tables.values()), None)

    def listen(self) -> bytes | None:
        """Take what it wrote to stderr: nothing at its end, None if there is nothing yet."""
        data = read(self.process.stderr) if self.process else b""
        if data:
            table = self.current() if self.ready else None
            self.said_in(table).add(data)
        return data

    def said_in(self, table: Table | None) -> Said:
        """What it wrote to stderr in a game, or in none."""
        return table.said[table.sits[self.place]] if table else self.early

    def charge(self, now: int) -> tuple[int, int]:
        """Nanoseconds of real and of CPU time since it last answered or was last idle."""
        process = self.process
        if process is None:
            return 0, 0
        wall = now - self.wall_mark
        if wall > LOOK:
            process.look()
        return wall, process.cpu() - self.cpu_mark

    def stalled(self, now: int, stall: int) -> None:
        """The machine stood still for so long, which is nobody's time."""
        if self.wall_mark < now:
            before, self.wall_mark = self.wall_mark, min(now, self.wall_mark + stall)
            if self.patience.mark == before:
                self.patience.mark = self.wall_mark

    def waited(self, now: int) -> int:
        """Nanoseconds since then in which it had no core though it wanted one, if looked at."""
        if self.process and self.patience.mark == self.wall_mark:
            self.patience.look(now, self.process.guard)
            return self.patience.waited
        return 0

    def count_stale(self) -> None:
        """Count an answer to a question that is settled."""
        self.stale += 1
        table = self.current()
        if table:
            table.stale[table.sits[self.place]] += 1

    def evidence(
        self, asked: Asked | None, table: Table | None, reply: bytes | None, now: int
    ) -> Evidence:
        """What shows a fault."""
        self.listen()
        wall, cpu = self.charge(now)
        said = self.said_in(table)
        return Evidence(
            request=encode(asked.question).decode() if asked else None,
            reply=shown(reply) if reply is not None else None,
            stderr=said.tail(TAIL) or self.early.tail(TAIL),
            wall=round(wall / NANO, 6),
            cpu=round(cpu / NANO, 6),
            waited=round(self.waited(now) / NANO, 6),
        )


def begins(
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


def shown(reply: bytes) -> str:
    """A line of a bot as evidence: its beginning, if it is long."""
    text = reply[:TAIL].decode(errors="backslashreplace")
    return text if len(reply) <= TAIL else f"{text}[... {len(reply)} bytes]"
