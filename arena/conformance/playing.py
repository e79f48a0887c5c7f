"""Steps about games."""

import time

from arena.bots.usage import NANO
from arena.conformance.candidate import Candidate
from arena.conformance.conversation import SILENCE, TICK, Conversation
from arena.conformance.sitting import Sitting, sit
from arena.protocol.codec import encode
from arena.protocol.messages import (
    LONGEST_LINE,
    PROTOCOL,
    Hello,
)

ENOUGH = 20.0
"""Seconds after which games at once are broken off; the step `tables` plays all to their ends."""

LEAST = 2
"""Questions that each of them has at least, so that all were open together and went on."""


def one_after_another(bot: Candidate, talk: Conversation) -> None:
    """It plays whole games in one process, one after the other."""
    talk.ready()
    game = bot.some_game()
    sit(talk, [Sitting(number, game, number % game.seats, bot.clock()) for number in (1, 2, 3)], 1)
    talk.silence(SILENCE)


def speed(bot: Candidate, talk: Conversation) -> str:
    """It answers within the time there is for a decision."""
    talk.ready()
    game = bot.some_game()
    sitting = Sitting(1, game, 0, bot.clock())
    talk.pace.expected = sitting.length()
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


def interleaved(bot: Candidate, talk: Conversation) -> str | None:
    """It holds as many games at once as it offers."""
    at_once = min(talk.ready().games, bot.at_once())
    if at_once == 1:
        return "offers one game at a time"
    game = bot.some_game()
    sittings = [
        Sitting(number, game, number % game.seats, bot.clock()) for number in range(at_once)
    ]
    begin, whole = time.monotonic(), at_once * sittings[0].length()

    def enough() -> bool:
        spent = time.monotonic() - begin
        likely = talk.pace.answered * ENOUGH / max(spent, TICK)
        talk.pace.expected = min(whole, max(likely, at_once * LEAST))
        return spent > ENOUGH and all(sitting.answered >= LEAST for sitting in sittings)

    sit(talk, sittings, at_once, enough)
    talk.silence(SILENCE)
    if any(game.pending(sitting.state) for sitting in sittings):
        return f"{at_once} games at once, their first {talk.pace.answered} questions"
    return f"{at_once} games at once"


def every_table(bot: Candidate, talk: Conversation) -> str:
    """It plays every variant with every number of players, to the end."""
    at_once = min(talk.ready().games, bot.at_once())
    tables = bot.tables()
    sittings = [
        Sitting(number, variant.game(seats), number % seats, bot.clock())
        for number, (variant, seats) in enumerate(tables)
    ]
    sit(talk, sittings, at_once)
    return f"{len(tables)} tables, {talk.pace.answered} questions"
