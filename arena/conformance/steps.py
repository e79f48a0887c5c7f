"""The steps of a check, each with the protocol clause that requires it."""

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from arena.bots.process import KEPT_BYTES
from arena.bots.usage import NS_PER_SECOND
from arena.conformance.conversation import SILENCE, TICK, Conversation, StepFailure
from arena.conformance.scripted_game import BotUnderTest, ScriptedGame, play_games
from arena.protocol.codec import encode
from arena.protocol.messages import (
    MAX_LINE_BYTES,
    MAX_SAFE_INTEGER,
    PROTOCOL_VERSION,
    FaultMessage,
    Hello,
)

GRACE = 2.0
"""Seconds a bot has to end."""


def check_eof(bot: BotUnderTest, talk: Conversation) -> None:
    """It ends when its stdin is closed, and leaves nothing behind."""
    talk.handshake()
    play_games(talk, [ScriptedGame(1, bot.smallest_game(), 0, bot.clock())], 1)
    talk.process.close_stdin()
    wait_for_exit(talk, "S1", "when its stdin was closed")


def check_sigterm(bot: BotUnderTest, talk: Conversation) -> None:
    """It ends at SIGTERM, even in a game."""
    talk.handshake()
    talk.send(ScriptedGame(1, bot.smallest_game(), 0, bot.clock()).start())
    os.kill(talk.process.pid, signal.SIGTERM)
    wait_for_exit(talk, "S2", "at SIGTERM")


def wait_for_exit(talk: Conversation, clause: str, when: str) -> None:
    """Wait until a bot has ended by itself, without leaving anything behind."""
    pid, launcher = talk.process.pid, talk.launcher
    until = time.monotonic() + GRACE
    while not launcher.wait_for_exit([pid], 0.01):
        if time.monotonic() > until:
            raise StepFailure(clause, f"it did not end in {GRACE:g} s {when}")
        talk.receive(0)
    if left := launcher.exits[pid].left:
        raise StepFailure("S3", f"it left {left} process{'es' if left > 1 else ''} behind {when}")


INTERLEAVING_SECONDS = 20.0
"""Seconds after which games at once are broken off; the step `tables` plays all to their ends."""

MIN_QUESTIONS = 2
"""Questions that each of them has at least, so that all were open together and went on."""


def check_consecutive_games(bot: BotUnderTest, talk: Conversation) -> None:
    """It plays whole games in one process, one after the other."""
    talk.handshake()
    game = bot.smallest_game()
    play_games(
        talk,
        [ScriptedGame(number, game, number % game.seats, bot.clock()) for number in (1, 2, 3)],
        1,
    )
    talk.expect_silence(SILENCE)


def check_speed(bot: BotUnderTest, talk: Conversation) -> str:
    """It answers within the time there is for a decision."""
    talk.handshake()
    game = bot.smallest_game()
    sitting = ScriptedGame(1, game, 0, bot.clock())
    talk.progress.expected_answers = sitting.count_questions()
    talk.send(sitting.start())
    slowest, number, begin = 0.0, 0, talk.process.cpu_time()
    while question := sitting.next_question(number := number + 1):
        before = talk.process.cpu_time()
        answer = talk.ask(question)
        talk.process.update_usage()
        slowest = max(slowest, (talk.process.cpu_time() - before) / NS_PER_SECOND)
        if slowest > bot.limits.move:
            text = f"an answer took {slowest:.2f} s of CPU time, {bot.limits.move:g} s are allowed"
            raise talk.failure("T1", text, encode(answer))
        sitting.advance(answer.choice)
    mean = (talk.process.cpu_time() - begin) / NS_PER_SECOND / (number - 1)
    return f"{mean * 1000:.2f} ms of CPU time a decision, {slowest * 1000:.1f} ms at most"


def check_no_clock(bot: BotUnderTest, talk: Conversation) -> None:
    """It plays when no clock runs."""
    talk.handshake(Hello(PROTOCOL_VERSION, MAX_LINE_BYTES, 1, None))
    play_games(talk, [ScriptedGame(1, bot.smallest_game(), 0, None)], 1)


def check_takeover(bot: BotUnderTest, talk: Conversation) -> None:
    """It takes over a game that is going on."""
    talk.handshake()
    for number, (variant, seats) in enumerate(
        bot.variants_with_seats()[:: max(1, len(bot.variants_with_seats()) // 12)]
    ):
        sitting = ScriptedGame(number, variant.game(seats), number % seats, bot.clock())
        while len(sitting.game.pending(sitting.state)) != 1 or sitting.rng.random() < 0.9:
            own = sitting.own_decision()
            sitting.advance(sitting.rng.choice(own.options) if own else "")
            if not sitting.game.pending(sitting.state):
                break
        if question := sitting.next_question(number):
            talk.send(sitting.start())
            talk.ask(question)
            talk.send(sitting.result())


def check_long_lists(bot: BotUnderTest, talk: Conversation) -> str:
    """It chooses from the longest lists of options there are."""
    talk.handshake()
    longest = 0
    for number, (variant, seats) in enumerate(bot.variants_with_seats()):
        sitting = ScriptedGame(number, variant.game(seats), 0, bot.clock())
        question = sitting.next_question(number)
        if question and len(question.options) > longest:
            longest = len(question.options)
            talk.send(sitting.start())
            talk.ask(question)
            talk.send(sitting.result())
    return f"up to {longest} options"


def check_interleaving(bot: BotUnderTest, talk: Conversation) -> str | None:
    """It holds as many games at once as it offers."""
    at_once = min(talk.handshake().games, bot.games_at_once())
    if at_once == 1:
        return "offers one game at a time"
    game = bot.smallest_game()
    sittings = [
        ScriptedGame(number, game, number % game.seats, bot.clock()) for number in range(at_once)
    ]
    begin, whole = time.monotonic(), at_once * sittings[0].count_questions()

    def enough() -> bool:
        spent = time.monotonic() - begin
        likely = talk.progress.answer_count * INTERLEAVING_SECONDS / max(spent, TICK)
        talk.progress.expected_answers = min(whole, max(likely, at_once * MIN_QUESTIONS))
        return spent > INTERLEAVING_SECONDS and all(
            sitting.answer_count >= MIN_QUESTIONS for sitting in sittings
        )

    play_games(talk, sittings, at_once, enough)
    talk.expect_silence(SILENCE)
    if any(game.pending(sitting.state) for sitting in sittings):
        return f"{at_once} games at once, their first {talk.progress.answer_count} questions"
    return f"{at_once} games at once"


def check_every_variant(bot: BotUnderTest, talk: Conversation) -> str:
    """It plays every variant with every number of players, to the end."""
    at_once = min(talk.handshake().games, bot.games_at_once())
    tables = bot.variants_with_seats()
    sittings = [
        ScriptedGame(number, variant.game(seats), number % seats, bot.clock())
        for number, (variant, seats) in enumerate(tables)
    ]
    play_games(talk, sittings, at_once)
    return f"{len(tables)} tables, {talk.progress.answer_count} questions"


def check_handshake(bot: BotUnderTest, talk: Conversation) -> str:
    """It answers `hello` with `ready`."""
    bot.ready = ready = talk.handshake()
    talk.expect_silence(SILENCE)
    return f"holds {ready.games} game{'s' if ready.games > 1 else ''} at once"


def check_answer(bot: BotUnderTest, talk: Conversation) -> None:
    """It answers a question with its id and one of its options, and then is silent."""
    talk.handshake()
    sitting = ScriptedGame(1, bot.smallest_game(), 0, bot.clock())
    talk.send(sitting.start())
    talk.expect_silence(SILENCE)
    question = sitting.next_question(1)
    if question:
        talk.ask(question)
    talk.expect_silence(SILENCE)


def check_id(bot: BotUnderTest, talk: Conversation) -> None:
    """It echoes whatever id a question has."""
    talk.handshake()
    sitting = ScriptedGame(1, bot.smallest_game(), 0, bot.clock())
    talk.send(sitting.start())
    for number in (7, 3, MAX_SAFE_INTEGER, 1_000_000):
        if question := sitting.next_question(number):
            sitting.advance(talk.ask(question).choice)


def check_same_offer(bot: BotUnderTest, talk: Conversation) -> None:
    """It offers the same whenever it is started."""
    ready = talk.handshake()
    if ready != bot.ready:
        raise talk.failure("H4", "it offers something else than before", encode(ready))


def check_unknown_fields(bot: BotUnderTest, talk: Conversation) -> None:
    """It ignores fields and messages it does not know."""
    talk.handshake()
    sitting = ScriptedGame(1, bot.smallest_game(), 0, bot.clock())
    talk.send(lines=b'{"type":"weather","sun":true,"of":[{"x":null}]}\n')
    talk.send(lines=add_unknown_fields(encode(sitting.start())))
    question = sitting.next_question(1)
    if question:
        talk.send(lines=add_unknown_fields(encode(question)))
        talk.read_choice(question)
    talk.expect_silence(SILENCE)


def add_unknown_fields(line: bytes) -> bytes:
    """The same message with fields of a later version of the protocol."""
    return line[:-1] + b',"later":{"deep":[1,{"x":"\\u00e9"}]},"more":-1.5e3}\n'


def check_spelling(bot: BotUnderTest, talk: Conversation) -> None:
    """It reads JSON, however it is spelt."""
    talk.handshake()
    sitting = ScriptedGame(1, bot.smallest_game(), 0, bot.clock())
    talk.send(lines=respell(encode(sitting.start())))
    if question := sitting.next_question(1):
        talk.send(lines=respell(encode(question)))
        talk.read_choice(question)


def respell(line: bytes) -> bytes:
    """The same message with its keys in another order, white space, and letters escaped."""
    found = dict(reversed(json.loads(line).items()))
    return json.dumps(found, separators=(" , ", " : ")).replace("R", "\\u0052").encode() + b"\n"


def check_pieces(bot: BotUnderTest, talk: Conversation) -> None:
    """It waits for a line that comes in pieces."""
    talk.handshake()
    sitting = ScriptedGame(1, bot.smallest_game(), 0, bot.clock())
    talk.send(sitting.start())
    if question := sitting.next_question(1):
        line = encode(question) + b"\n"
        talk.process.write(line[:100])
        talk.expect_silence(SILENCE)
        talk.send(lines=line[100:])
        talk.read_choice(question)


def check_after_fault(bot: BotUnderTest, talk: Conversation) -> None:
    """It goes on after it was told of a fault."""
    talk.handshake()
    sitting = ScriptedGame(1, bot.smallest_game(), 0, bot.clock())
    talk.send(sitting.start())
    if question := sitting.next_question(1):
        talk.ask(question)
        talk.send(FaultMessage(1, 1, "illegal", "only a test: nothing was wrong"))
        talk.send(FaultMessage(None, None, "out-of-turn", "only a test: nothing was wrong"))
        talk.expect_silence(SILENCE)
        if question := sitting.next_question(2):
            talk.ask(question)


def check_stderr(bot: BotUnderTest, talk: Conversation) -> str:
    """It does not flood its stderr."""
    talk.handshake()
    play_games(talk, [ScriptedGame(1, bot.smallest_game(), 0, bot.clock())], 1)
    talk.expect_silence(SILENCE)
    if talk.stderr.left_out:
        written = talk.stderr.left_out + 2 * KEPT_BYTES
        raise StepFailure(
            "E1", f"it wrote {written} bytes to stderr in a game, {2 * KEPT_BYTES} are kept"
        )
    return f"{len(talk.stderr.first)} bytes in a game"


@dataclass(frozen=True)
class CheckStep:
    """Something a bot has to do."""

    name: str
    clause: str
    says: str
    run: Callable[[BotUnderTest, Conversation], str | None]
    """Does it with a fresh process; a remark if there is one to make."""
    basic: bool = False
    """Whether there is no use in trying anything else where it fails."""


STEPS = (
    CheckStep("handshake", "H1", "answers hello with ready", check_handshake, basic=True),
    CheckStep("answer", "A1", "answers a question, and only then", check_answer, basic=True),
    CheckStep("games", "G1", "plays games one after another", check_consecutive_games, basic=True),
    CheckStep("speed", "T1", "answers in time", check_speed),
    CheckStep("id", "A1", "echoes the id of the question", check_id),
    CheckStep("unknown", "V1", "ignores what it does not know", check_unknown_fields),
    CheckStep("spelling", "V2", "reads JSON however it is spelt", check_spelling),
    CheckStep("offer", "H4", "offers the same whenever it is started", check_same_offer),
    CheckStep("pieces", "F1", "waits for the rest of a line", check_pieces),
    CheckStep("no-clock", "T4", "plays without a clock", check_no_clock),
    CheckStep("middle", "G4", "takes over a game that is going on", check_takeover),
    CheckStep("fault", "A5", "goes on after a fault", check_after_fault),
    CheckStep("options", "A2", "chooses from long lists of options", check_long_lists),
    CheckStep("interleaving", "I1", "holds as many games at once as it offers", check_interleaving),
    CheckStep(
        "tables", "G2", "plays every variant with every number of players", check_every_variant
    ),
    CheckStep("stderr", "E1", "keeps its stderr small", check_stderr),
    CheckStep("eof", "S1", "ends when its stdin is closed, leaving nothing behind", check_eof),
    CheckStep("sigterm", "S2", "ends at SIGTERM", check_sigterm),
)
"""In the order they are tried."""
