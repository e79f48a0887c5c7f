"""The steps of a check, each with the protocol clause that requires it."""

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from arena.bots.process import KEPT_STDERR_BYTES
from arena.bots.resource_usage import NS_PER_SECOND
from arena.conformance.conversation import (
    CHECK_INTERVAL,
    SILENCE_SECONDS,
    Conversation,
    StepFailure,
)
from arena.conformance.scripted_game import BotUnderTest, ScriptedGame, play_games
from arena.protocol.codec import encode_message
from arena.protocol.messages import (
    MAX_LINE_BYTES,
    MAX_SAFE_INTEGER,
    PROTOCOL_VERSION,
    FaultMessage,
    Hello,
)

EXIT_GRACE = 2.0
"""Seconds a bot has to end by itself."""

INTERLEAVING_SECONDS = 20.0
"""Seconds after which simultaneous games stop; the step `tables` plays all to their ends."""

MIN_QUESTIONS = 2
"""Questions in each of them at least, so that all were open together and went on."""


@dataclass(frozen=True)
class CheckStep:
    """One thing that a bot has to do."""

    name: str
    clause: str
    says: str
    run: Callable[[BotUnderTest, Conversation], str | None]
    """Checks it with a fresh process; returns a remark, or raises `StepFailure`."""
    is_essential: bool = False
    """Whether nothing else can work if it fails."""


def start_game(bot: BotUnderTest, conversation: Conversation) -> ScriptedGame:
    """Start a game at the smallest table with a bot that was just launched."""
    conversation.handshake()
    scripted = ScriptedGame.smallest(bot)
    conversation.send(scripted.start())
    return scripted


def check_handshake(bot: BotUnderTest, conversation: Conversation) -> str:
    """It answers `hello` with `ready`."""
    bot.ready = ready = conversation.handshake()
    conversation.expect_silence(SILENCE_SECONDS)
    return f"holds {ready.games} game{'s' if ready.games > 1 else ''} at once"


def check_answer(bot: BotUnderTest, conversation: Conversation) -> None:
    """It answers a question with its id and one of its options, and then is silent."""
    scripted = start_game(bot, conversation)
    conversation.expect_silence(SILENCE_SECONDS)
    question = scripted.next_question(1)
    if question:
        conversation.ask(question)
    conversation.expect_silence(SILENCE_SECONDS)


def check_consecutive_games(bot: BotUnderTest, conversation: Conversation) -> None:
    """It plays whole games in one process, one after the other."""
    conversation.handshake()
    game = bot.smallest_game()
    play_games(
        conversation,
        [ScriptedGame(number, game, number % game.seats, bot.clock()) for number in (1, 2, 3)],
        1,
    )
    conversation.expect_silence(SILENCE_SECONDS)


def check_speed(bot: BotUnderTest, conversation: Conversation) -> str:
    """It answers within the time there is for a decision."""
    conversation.handshake()
    scripted = ScriptedGame.smallest(bot)
    conversation.progress.expected_answers = scripted.count_questions()
    conversation.send(scripted.start())
    slowest, number, begin = 0.0, 0, conversation.process.cpu_time()
    while question := scripted.next_question(number := number + 1):
        before = conversation.process.cpu_time()
        answer = conversation.ask(question)
        conversation.process.update_usage()
        slowest = max(slowest, (conversation.process.cpu_time() - before) / NS_PER_SECOND)
        if slowest > bot.limits.move:
            text = f"an answer took {slowest:.2f} s of CPU time, {bot.limits.move:g} s are allowed"
            raise conversation.failure("T1", text, encode_message(answer))
        scripted.advance(answer.choice)
    mean = (conversation.process.cpu_time() - begin) / NS_PER_SECOND / (number - 1)
    return f"{mean * 1000:.2f} ms of CPU time a decision, {slowest * 1000:.1f} ms at most"


def check_id(bot: BotUnderTest, conversation: Conversation) -> None:
    """It echoes whatever id a question has."""
    scripted = start_game(bot, conversation)
    for number in (7, 3, MAX_SAFE_INTEGER, 1_000_000):
        if question := scripted.next_question(number):
            scripted.advance(conversation.ask(question).choice)


def check_unknown_fields(bot: BotUnderTest, conversation: Conversation) -> None:
    """It ignores fields and messages it does not know."""
    conversation.handshake()
    scripted = ScriptedGame.smallest(bot)
    conversation.send(lines=b'{"type":"weather","sun":true,"of":[{"x":null}]}\n')
    conversation.send(lines=add_unknown_fields(encode_message(scripted.start())))
    question = scripted.next_question(1)
    if question:
        conversation.send(lines=add_unknown_fields(encode_message(question)))
        conversation.read_choice(question)
    conversation.expect_silence(SILENCE_SECONDS)


def add_unknown_fields(line: bytes) -> bytes:
    """The same message with fields of a later version of the protocol."""
    return line[:-1] + b',"later":{"deep":[1,{"x":"\\u00e9"}]},"more":-1.5e3}\n'


def check_spelling(bot: BotUnderTest, conversation: Conversation) -> None:
    """It reads JSON, however it is spelt."""
    conversation.handshake()
    scripted = ScriptedGame.smallest(bot)
    conversation.send(lines=respell(encode_message(scripted.start())))
    if question := scripted.next_question(1):
        conversation.send(lines=respell(encode_message(question)))
        conversation.read_choice(question)


def respell(line: bytes) -> bytes:
    """The same message with its keys in another order, white space, and letters escaped."""
    found = dict(reversed(json.loads(line).items()))
    return json.dumps(found, separators=(" , ", " : ")).replace("R", "\\u0052").encode() + b"\n"


def check_same_offer(bot: BotUnderTest, conversation: Conversation) -> None:
    """It offers the same whenever it is started."""
    ready = conversation.handshake()
    if ready != bot.ready:
        raise conversation.failure(
            "H4", "it offers something else than before", encode_message(ready)
        )


def check_pieces(bot: BotUnderTest, conversation: Conversation) -> None:
    """It waits for a line that comes in pieces."""
    scripted = start_game(bot, conversation)
    if question := scripted.next_question(1):
        line = encode_message(question) + b"\n"
        conversation.process.write(line[:100])
        conversation.expect_silence(SILENCE_SECONDS)
        conversation.send(lines=line[100:])
        conversation.read_choice(question)


def check_no_clock(bot: BotUnderTest, conversation: Conversation) -> None:
    """It plays when no clock runs."""
    conversation.handshake(Hello(PROTOCOL_VERSION, MAX_LINE_BYTES, 1, None))
    play_games(conversation, [ScriptedGame(1, bot.smallest_game(), 0, None)], 1)


def check_takeover(bot: BotUnderTest, conversation: Conversation) -> None:
    """It takes over a game that is going on."""
    conversation.handshake()
    for number, (variant, seats) in enumerate(
        bot.variants_with_seats()[:: max(1, len(bot.variants_with_seats()) // 12)]
    ):
        scripted = ScriptedGame(number, variant.game(seats), number % seats, bot.clock())
        while len(scripted.game.pending(scripted.state)) != 1 or scripted.rng.random() < 0.9:
            own = scripted.own_decision()
            scripted.advance(scripted.rng.choice(own.options) if own else "")
            if not scripted.game.pending(scripted.state):
                break
        if question := scripted.next_question(number):
            conversation.send(scripted.start())
            conversation.ask(question)
            conversation.send(scripted.result())


def check_after_fault(bot: BotUnderTest, conversation: Conversation) -> None:
    """It goes on after it was told of a fault."""
    scripted = start_game(bot, conversation)
    if question := scripted.next_question(1):
        conversation.ask(question)
        conversation.send(FaultMessage(1, 1, "illegal", "only a test: nothing was wrong"))
        conversation.send(FaultMessage(None, None, "out-of-turn", "only a test: nothing was wrong"))
        conversation.expect_silence(SILENCE_SECONDS)
        if question := scripted.next_question(2):
            conversation.ask(question)


def check_long_lists(bot: BotUnderTest, conversation: Conversation) -> str:
    """It chooses from the longest lists of options there are."""
    conversation.handshake()
    longest = 0
    for number, (variant, seats) in enumerate(bot.variants_with_seats()):
        scripted = ScriptedGame(number, variant.game(seats), 0, bot.clock())
        question = scripted.next_question(number)
        if question and len(question.options) > longest:
            longest = len(question.options)
            conversation.send(scripted.start())
            conversation.ask(question)
            conversation.send(scripted.result())
    return f"up to {longest} options"


def check_interleaving(bot: BotUnderTest, conversation: Conversation) -> str | None:
    """It holds as many games at once as it offers."""
    at_once = min(conversation.handshake().games, bot.games_at_once())
    if at_once == 1:
        return "offers one game at a time"
    game = bot.smallest_game()
    scripted_games = [
        ScriptedGame(number, game, number % game.seats, bot.clock()) for number in range(at_once)
    ]
    begin, whole = time.monotonic(), at_once * scripted_games[0].count_questions()

    def is_enough() -> bool:
        spent = time.monotonic() - begin
        likely = (
            conversation.progress.answer_count * INTERLEAVING_SECONDS / max(spent, CHECK_INTERVAL)
        )
        conversation.progress.expected_answers = min(whole, max(likely, at_once * MIN_QUESTIONS))
        return spent > INTERLEAVING_SECONDS and all(
            scripted.answer_count >= MIN_QUESTIONS for scripted in scripted_games
        )

    play_games(conversation, scripted_games, at_once, is_enough)
    conversation.expect_silence(SILENCE_SECONDS)
    if any(game.pending(scripted.state) for scripted in scripted_games):
        return (
            f"{at_once} games at once, their first {conversation.progress.answer_count} questions"
        )
    return f"{at_once} games at once"


def check_every_variant(bot: BotUnderTest, conversation: Conversation) -> str:
    """It plays every variant with every number of players, to the end."""
    at_once = min(conversation.handshake().games, bot.games_at_once())
    tables = bot.variants_with_seats()
    scripted_games = [
        ScriptedGame(number, variant.game(seats), number % seats, bot.clock())
        for number, (variant, seats) in enumerate(tables)
    ]
    play_games(conversation, scripted_games, at_once)
    return f"{len(tables)} tables, {conversation.progress.answer_count} questions"


def check_stderr(bot: BotUnderTest, conversation: Conversation) -> str:
    """It does not flood its stderr."""
    conversation.handshake()
    play_games(conversation, [ScriptedGame.smallest(bot)], 1)
    conversation.expect_silence(SILENCE_SECONDS)
    if conversation.stderr.left_out:
        written = conversation.stderr.left_out + 2 * KEPT_STDERR_BYTES
        raise StepFailure(
            "E1", f"it wrote {written} bytes to stderr in a game, {2 * KEPT_STDERR_BYTES} are kept"
        )
    return f"{len(conversation.stderr.first)} bytes in a game"


def check_eof(bot: BotUnderTest, conversation: Conversation) -> None:
    """It ends when its stdin is closed, and leaves nothing behind."""
    conversation.handshake()
    play_games(conversation, [ScriptedGame.smallest(bot)], 1)
    conversation.process.close_stdin()
    wait_for_exit(conversation, "S1", "when its stdin was closed")


def wait_for_exit(conversation: Conversation, clause: str, when: str) -> None:
    """Wait until a bot has ended by itself, without leaving anything behind."""
    pid, launcher = conversation.process.pid, conversation.launcher
    until = time.monotonic() + EXIT_GRACE
    while not launcher.wait_for_exit([pid], 0.01):
        if time.monotonic() > until:
            raise StepFailure(clause, f"it did not end in {EXIT_GRACE:g} s {when}")
        conversation.receive(0)
    if left := launcher.exits[pid].leftover_count:
        raise StepFailure("S3", f"it left {left} process{'es' if left > 1 else ''} behind {when}")


def check_sigterm(bot: BotUnderTest, conversation: Conversation) -> None:
    """It ends at SIGTERM, even in a game."""
    start_game(bot, conversation)
    os.kill(conversation.process.pid, signal.SIGTERM)
    wait_for_exit(conversation, "S2", "at SIGTERM")


STEPS = (
    CheckStep("handshake", "H1", "answers hello with ready", check_handshake, is_essential=True),
    CheckStep("answer", "A1", "answers a question, and only then", check_answer, is_essential=True),
    CheckStep(
        "games", "G1", "plays games one after another", check_consecutive_games, is_essential=True
    ),
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
"""All steps, in the order in which they run."""
