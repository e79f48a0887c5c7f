"""Steps about lines and messages."""

import json

from arena.bots.stderr import KEPT
from arena.conformance.candidate import Candidate
from arena.conformance.conversation import SILENCE, Conversation
from arena.conformance.failure import Failure
from arena.conformance.sitting import Sitting, sit
from arena.protocol.codec import encode
from arena.protocol.messages import (
    LARGEST,
    Fault,
)


def handshake(bot: Candidate, talk: Conversation) -> str:
    """It answers `hello` with `ready`."""
    bot.ready = ready = talk.ready()
    talk.silence(SILENCE)
    return f"holds {ready.games} game{'s' if ready.games > 1 else ''} at once"


def answers(bot: Candidate, talk: Conversation) -> None:
    """It answers a question with its id and one of its options, and then is silent."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(sitting.start())
    talk.silence(SILENCE)
    question = sitting.question(1)
    if question:
        talk.ask(question)
    talk.silence(SILENCE)


def same_id(bot: Candidate, talk: Conversation) -> None:
    """It echoes whatever id a question has."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(sitting.start())
    for number in (7, 3, LARGEST, 1_000_000):
        if question := sitting.question(number):
            sitting.move(talk.ask(question).choice)


def same_offer(bot: Candidate, talk: Conversation) -> None:
    """It offers the same whenever it is started."""
    ready = talk.ready()
    if ready != bot.ready:
        raise talk.failure("H4", "it offers something else than before", encode(ready))


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
    talk.silence(SILENCE)


def spiced(line: bytes) -> bytes:
    """The same message with fields of a later version of the protocol."""
    return line[:-1] + b',"later":{"deep":[1,{"x":"\\u00e9"}]},"more":-1.5e3}\n'


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


def in_pieces(bot: Candidate, talk: Conversation) -> None:
    """It waits for a line that comes in pieces."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(sitting.start())
    if question := sitting.question(1):
        line = encode(question) + b"\n"
        talk.process.write(line[:100])
        talk.silence(SILENCE)
        talk.say(lines=line[100:])
        talk.choice(question)


def after_a_fault(bot: Candidate, talk: Conversation) -> None:
    """It goes on after it was told of a fault."""
    talk.ready()
    sitting = Sitting(1, bot.some_game(), 0, bot.clock())
    talk.say(sitting.start())
    if question := sitting.question(1):
        talk.ask(question)
        talk.say(Fault(1, 1, "illegal", "only a test: nothing was wrong"))
        talk.say(Fault(None, None, "out-of-turn", "only a test: nothing was wrong"))
        talk.silence(SILENCE)
        if question := sitting.question(2):
            talk.ask(question)


def little_stderr(bot: Candidate, talk: Conversation) -> str:
    """It does not flood its stderr."""
    talk.ready()
    sit(talk, [Sitting(1, bot.some_game(), 0, bot.clock())], 1)
    talk.silence(SILENCE)
    if talk.said.left_out:
        written = talk.said.left_out + 2 * KEPT
        raise Failure("E1", f"it wrote {written} bytes to stderr in a game, {2 * KEPT} are kept")
    return f"{len(talk.said.first)} bytes in a game"
