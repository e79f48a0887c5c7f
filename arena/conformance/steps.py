"""The steps of a check: what a bot has to do, and the clause of the protocol that says so."""

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.stderr import KEPT
from arena.conformance.conversation import Conversation, Failure
from arena.conformance.sitting import Done, Sitting, sit
from arena.games.base import Game
from arena.games.catalog import Variant
from arena.match.player import NANO
from arena.protocol.codec import encode
from arena.protocol.messages import (
    LARGEST,
    LONGEST_LINE,
    PROTOCOL,
    Clock,
    Fault,
    Hello,
    Limits,
    Ready,
)

MOMENT = 0.15
"""Seconds of silence that are believed."""

GRACE = 2.0
"""Seconds a bot has to end."""

QUESTIONS = 64


@dataclass
class Candidate:
    """The bot under test, and what was found out about it."""

    bot: Bot
    launcher: Launcher
    limits: Limits
    variants: list[Variant[Any]]
    """Those that it is to be tried with."""
    done: Done = lambda: None
    """Called after each of its many games."""
    ready: Ready | None = None

    def clock(self) -> Clock:
        """The time it has for a decision."""
        return Clock(self.limits.move, self.limits.bank)

    def some_game(self) -> Game[Any]:
        """A game that it plays, at the smallest table."""
        variant = self.variants[0]
        return variant.game(variant.seats[0])

    def tables(self) -> list[tuple[Variant[Any], int]]:
        """Every variant it plays with every number of players."""
        return [(variant, seats) for variant in self.variants for seats in variant.seats]

    def at_once(self) -> int:
        """How many games it says it can hold, as far as it will be asked to."""
        offered = self.ready.games if self.ready else 1
        return min(offered, self.bot.games or offered, QUESTIONS)


@dataclass(frozen=True)
class Step:
    """Something a bot has to do."""

    name: str
    clause: str
    says: str
    run: Callable[[Candidate, Conversation], str | None]
    """Does it with a fresh process; a remark if there is one to make."""
    basic: bool = False
    """Whether there is no use in trying anything else where it fails."""


def handshake(bot: Candidate, talk: Conversation) -> str:
    """It answers `hello` with `ready`."""
    bot.ready = ready = talk.ready()
    talk.silence(MOMENT)
    return f"holds {ready.games} game{'s' if ready.games > 1 else ''} at once"


def answers(bot: Candidate, talk: Conversation) -> None:
    """It answers a question with its id and one of its options, and then is silent."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(sitting.start())
    talk.silence(MOMENT)
    question = sitting.question(1)
    if question:
        talk.ask(question)
    talk.silence(MOMENT)


def same_id(bot: Candidate, talk: Conversation) -> None:
    """It echoes whatever id a question has."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(sitting.start())
    for number in (7, 3, LARGEST, 1_000_000):
        if question := sitting.question(number):
            sitting.move(talk.ask(question).choice)


def one_after_another(bot: Candidate, talk: Conversation) -> None:
    """It plays whole games in one process, one after the other."""
    talk.ready()
    game = bot.some_game()
    sit(talk, (Sitting(number, game, number % game.seats, bot.clock()) for number in (1, 2, 3)), 1)
    talk.silence(MOMENT)


def unknown_things(bot: Candidate, talk: Conversation) -> None:
    """It ignores fields and messages it does not know."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(lines=b'{"type":"weather","sun":true,"of":[{"x":null}]}\n')
    talk.say(lines=spiced(encode(sitting.start())))
    question = sitting.question(1)
    if question:
        talk.say(lines=spiced(encode(question)))
        talk.choice(question)
    talk.silence(MOMENT)


def other_spelling(bot: Candidate, talk: Conversation) -> None:
    """It reads JSON, however it is spelt."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(lines=respelt(encode(sitting.start())))
    if question := sitting.question(1):
        talk.say(lines=respelt(encode(question)))
        talk.choice(question)


def respelt(line: bytes) -> bytes:
    """The same message with its keys in another order, white space, and letters escaped."""
    found = dict(reversed(json.loads(line).items()))
    return json.dumps(found, separators=(" , ", " : ")).replace("R", "\\u0052").encode() + b"\n"


def same_offer(bot: Candidate, talk: Conversation) -> None:
    """It offers the same whenever it is started."""
    ready = talk.ready()
    if ready != bot.ready:
        raise talk.failure("H4", "it offers something else than before", encode(ready))


def spiced(line: bytes) -> bytes:
    """The same message with fields of a later version of the protocol."""
    return line[:-1] + b',"later":{"deep":[1,{"x":"\\u00e9"}]},"more":-1.5e3}\n'


def no_clock(bot: Candidate, talk: Conversation) -> None:
    """It plays when no clock runs."""
    talk.ready(Hello(PROTOCOL, LONGEST_LINE, 1, None))
    sit(talk, [Sitting(1, bot.some_game(), 0, None)], 1)


def in_the_middle(bot: Candidate, talk: Conversation) -> None:
    """It takes over a game that is going on."""
    talk.ready()
    for number, (variant, seats) in enumerate(bot.tables()[:: max(1, len(bot.tables()) // 12)]):
        sitting = Sitting(number, variant.game(seats), number % seats, bot.clock())
        while len(sitting.game.pending(sitting.state)) != 1 or sitting.chance.random() < 0.9:
            own = sitting.own()
            sitting.move(sitting.chance.choice(own.options) if own else "")
            if not sitting.game.pending(sitting.state):
                break
        if question := sitting.question(number):
            talk.say(sitting.start())
            talk.ask(question)
            talk.say(sitting.result())


def after_a_fault(bot: Candidate, talk: Conversation) -> None:
    """It goes on after it was told of a fault."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(sitting.start())
    if question := sitting.question(1):
        talk.ask(question)
        talk.say(Fault(1, 1, "illegal", "only a test: nothing was wrong"))
        talk.say(Fault(None, None, "out-of-turn", "only a test: nothing was wrong"))
        talk.silence(MOMENT)
        if question := sitting.question(2):
            talk.ask(question)


def long_lists(bot: Candidate, talk: Conversation) -> str:
    """It chooses from the longest lists of options there are."""
    talk.ready()
    longest = 0
    for number, (variant, seats) in enumerate(bot.tables()):
        sitting = Sitting(number, variant.game(seats), 0, bot.clock())
        question = sitting.question(number)
        if question and len(question.options) > longest:
            longest = len(question.options)
            talk.say(sitting.start())
            talk.ask(question)
            talk.say(sitting.result())
    return f"up to {longest} options"


def every_table(bot: Candidate, talk: Conversation) -> str:
    """It plays every variant with every number of players, to the end."""
    at_once = min(talk.ready().games, bot.at_once())
    tables = bot.tables()
    sittings = (
        Sitting(number, variant.game(seats), number % seats, bot.clock())
        for number, (variant, seats) in enumerate(tables)
    )
    questions = sit(talk, sittings, at_once, bot.done)
    return f"{len(tables)} tables, {questions} questions"


def speed(bot: Candidate, talk: Conversation) -> str:
    """It answers within the time there is for a decision."""
    talk.ready()
    game = bot.some_game()
    sitting = Sitting(1, game, 0, bot.clock())
    talk.say(sitting.start())
    slowest, number, begin = 0.0, 0, talk.process.cpu()
    while question := sitting.question(number := number + 1):
        before = talk.process.cpu()
        answer = talk.ask(question)
        talk.process.look()
        slowest = max(slowest, (talk.process.cpu() - before) / NANO)
        if slowest > bot.limits.move:
            text = f"an answer took {slowest:.2f} s of CPU time, {bot.limits.move:g} s are allowed"
            raise talk.failure("T1", text, encode(answer))
        sitting.move(answer.choice)
    mean = (talk.process.cpu() - begin) / NANO / (number - 1)
    return f"{mean * 1000:.2f} ms of CPU time a decision, {slowest * 1000:.1f} ms at most"


def interleaved(bot: Candidate, talk: Conversation) -> str | None:
    """It holds as many games at once as it offers."""
    at_once = min(talk.ready().games, bot.at_once())
    if at_once == 1:
        return "offers one game at a time"
    game = bot.some_game()
    sit(
        talk,
        (Sitting(number, game, number % game.seats, bot.clock()) for number in range(at_once)),
        at_once,
    )
    talk.silence(MOMENT)
    return f"{at_once} games at once"


def in_pieces(bot: Candidate, talk: Conversation) -> None:
    """It waits for a line that comes in pieces."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(sitting.start())
    if question := sitting.question(1):
        line = encode(question) + b"\n"
        talk.process.write(line[:100])
        talk.silence(MOMENT)
        talk.say(lines=line[100:])
        talk.choice(question)


def end_of_input(bot: Candidate, talk: Conversation) -> None:
    """It ends when its stdin is closed, and leaves nothing behind."""
    talk.ready()
    sit(talk, [Sitting(1, bot.some_game(), 0, bot.clock())], 1)
    talk.process.hang_up()
    gone(talk, "S1", "when its stdin was closed")


def told_to_end(bot: Candidate, talk: Conversation) -> None:
    """It ends at SIGTERM, even in a game."""
    talk.ready()
    talk.say(Sitting(1, bot.some_game(), 0, bot.clock()).start())
    os.kill(talk.process.pid, signal.SIGTERM)
    gone(talk, "S2", "at SIGTERM")


def gone(talk: Conversation, clause: str, when: str) -> None:
    """Wait until a bot has ended by itself, without leaving anything behind."""
    pid, launcher = talk.process.pid, talk.launcher
    until = time.monotonic() + GRACE
    while not launcher.wait([pid], 0.01):
        if time.monotonic() > until:
            raise Failure(clause, f"it did not end in {GRACE:g} s {when}")
        talk.take(0)
    if left := launcher.left[pid]:
        raise Failure("S3", f"it left {left} process{'es' if left > 1 else ''} behind {when}")


def little_stderr(bot: Candidate, talk: Conversation) -> str:
    """It does not flood its stderr."""
    talk.ready()
    sit(talk, [Sitting(1, bot.some_game(), 0, bot.clock())], 1)
    talk.silence(MOMENT)
    if talk.said.left_out:
        written = talk.said.left_out + 2 * KEPT
        raise Failure("E1", f"it wrote {written} bytes to stderr in a game, {2 * KEPT} are kept")
    return f"{len(talk.said.first)} bytes in a game"


STEPS = (
    Step("handshake", "H1", "answers hello with ready", handshake, basic=True),
    Step("answer", "A1", "answers a question, and only then", answers, basic=True),
    Step("games", "G1", "plays games one after another", one_after_another, basic=True),
    Step("speed", "T1", "answers in time", speed),
    Step("id", "A1", "echoes the id of the question", same_id),
    Step("unknown", "V1", "ignores what it does not know", unknown_things),
    Step("spelling", "V2", "reads JSON however it is spelt", other_spelling),
    Step("offer", "H4", "offers the same whenever it is started", same_offer),
    Step("pieces", "F1", "waits for the rest of a line", in_pieces),
    Step("no-clock", "T4", "plays without a clock", no_clock),
    Step("middle", "G4", "takes over a game that is going on", in_the_middle),
    Step("fault", "A5", "goes on after a fault", after_a_fault),
    Step("options", "A2", "chooses from long lists of options", long_lists),
    Step("interleaving", "I1", "holds as many games at once as it offers", interleaved),
    Step("tables", "G2", "plays every variant with every number of players", every_table),
    Step("stderr", "E1", "keeps its stderr small", little_stderr),
    Step("eof", "S1", "ends when its stdin is closed, leaving nothing behind", end_of_input),
    Step("sigterm", "S2", "ends at SIGTERM", told_to_end),
)
"""In the order they are tried."""
