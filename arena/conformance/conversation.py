"""A strict conversation with one bot: its deadlines, failures and progress."""

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import NamedTuple, Self

from arena.bots.bot import Bot
from arena.bots.launcher import EXIT_TIMEOUT, Launcher
from arena.bots.process import BotProcess, CapturedStderr, read_available
from arena.bots.resource_usage import NS_PER_SECOND
from arena.protocol.codec import Malformed, decode_line, encode_lines, encode_message
from arena.protocol.messages import (
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    Choose,
    Decide,
    FromBot,
    Hello,
    Limits,
    Message,
    Ready,
)
from arena.referee.config import GAMES_AT_ONCE
from arena.referee.connection import evidence_text
from arena.referee.faults import FLUSH_HINT, IDLE_CPU_SHARE


class Deadline(NamedTuple):
    """How long a line may take, and the clauses that say so."""

    eof_clause: str
    """Broken if the output ends instead."""
    cpu_clause: str
    """Broken if it takes too much CPU time."""
    wall_clause: str
    """Broken if it takes too much real time."""
    cpu_limit: float
    """Seconds of CPU time."""


class StepFailure(Exception):
    """What a bot did wrong, the clause it broke, and the evidence."""

    def __init__(
        self, clause: str, text: str, request: str | None = None, reply: str | None = None
    ) -> None:
        super().__init__(text)
        self.clause = clause
        self.text = text
        self.request = request
        self.reply = reply


CheckCallback = Callable[["CheckProgress"], None]
"""Is called when a step begins and after every answer."""


def ignore_progress(_: "CheckProgress") -> None:
    """Do nothing."""


class CheckProgress:
    """How far a step is."""

    def __init__(self, step: str = "", on_progress: CheckCallback = ignore_progress) -> None:
        self.step = step
        self.on_progress = on_progress
        self.answer_count = 0
        self.expected_answers: float | None = None
        """About how many there will be; None: unknown, or only a few."""

    def begin(self) -> Self:
        """Report that the step begins."""
        self.on_progress(self)
        return self

    def count_answer(self) -> None:
        """Count one more answer."""
        self.answer_count += 1
        self.on_progress(self)


SILENCE_SECONDS = 0.15
"""Seconds that a bot has to be silent when it has no question to answer."""

CHECK_INTERVAL = 0.05
"""Seconds between checks of time and memory."""


class Cancelled(Exception):
    """The check was cancelled by another thread."""


class Conversation:
    """A process of a bot, and the messages to and from it."""

    cancelled: Event | None = None
    """Set by another thread to end the wait for a line, with `Cancelled`."""

    def __init__(
        self, bot: Bot, launcher: Launcher, limits: Limits, progress: CheckProgress
    ) -> None:
        self.progress = progress
        self.limits = limits
        self.launcher = launcher
        self.process = BotProcess(bot, launcher)
        self.stderr = CapturedStderr()
        self.buffer = b""
        self.last_request: str | None = None
        self.poll = select.poll()
        self.poll.register(self.process.stdout, select.POLLIN)
        self.poll.register(self.process.stderr, select.POLLIN)

    def send(self, *messages: Message, lines: bytes = b"") -> None:
        """Send messages, or lines that are not messages of the protocol."""
        if messages:
            self.last_request = encode_message(messages[-1]).decode()
        elif lines:
            self.last_request = lines.decode()
        self.process.write(lines + encode_lines(messages))

    def read_line(self, deadline: Deadline) -> bytes:
        """Return the next line of the bot, which has to come in time and with its newline."""
        begin, before = time.monotonic(), self.process.cpu_time()
        while b"\n" not in self.buffer:
            if not self.receive(CHECK_INTERVAL):
                raise self.end_failure(deadline.eof_clause)
            if self.cancelled and self.cancelled.is_set():
                raise Cancelled
            if len(self.buffer) > MAX_LINE_BYTES and b"\n" not in self.buffer[:MAX_LINE_BYTES]:
                raise self.failure("F3", f"a line is longer than {MAX_LINE_BYTES} bytes")
            spent = time.monotonic() - begin
            if b"\n" not in self.buffer and spent > CHECK_INTERVAL:
                self.check_deadline(deadline, spent, before)
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def check_deadline(self, deadline: Deadline, spent: float, before: int) -> None:
        """Raise if a line that has not come yet is too late."""
        memory = self.process.update_usage().memory
        cpu = (self.process.cpu_time() - before) / NS_PER_SECOND
        allowed = self.process.bot.memory
        if allowed and memory > allowed:
            raise self.failure("E4", f"it holds {memory >> 20} MiB, {allowed >> 20} are allowed")
        if cpu > deadline.cpu_limit:
            raise self.failure(deadline.cpu_clause, f"nothing came in {cpu:.1f} s of CPU time")
        if spent > self.limits.wall and self.buffer:
            text = f"no newline came in {self.limits.wall:g} s"
            raise self.failure("F1", text, self.buffer)
        if spent > self.limits.wall:
            hint = FLUSH_HINT if cpu < IDLE_CPU_SHARE * spent else ""
            raise self.failure(
                deadline.wall_clause, f"nothing came in {self.limits.wall:g} s{hint}"
            )

    def end_failure(self, clause: str) -> StepFailure:
        """The failure of a bot whose output has ended."""
        how = self.process.exit_reason()
        if self.buffer:
            return self.failure("F1", f"its output ended within a line: {how}")
        return self.failure(clause, f"its output ended: {how}")

    def receive(self, seconds: float) -> bool:
        """Read what comes in this time; return False when the output has ended."""
        if self.process.unsent:
            self.process.write(b"")
        for stream, _ in self.poll.poll(min(seconds, CHECK_INTERVAL) * 1000):
            written = read_available(stream)
            if stream == self.process.stderr:
                self.stderr.add(written or b"")
                if written == b"":
                    self.poll.unregister(stream)
            elif written == b"":
                return False
            else:
                self.buffer += written or b""
        return True

    def read_message(self, deadline: Deadline) -> FromBot:
        """Return the next message."""
        line = self.read_line(deadline)
        try:
            return decode_line(line)
        except Malformed as error:
            raise self.failure("F2", f"its line is not a message: {error}", line) from None

    def handshake(self, hello: Hello | None = None) -> Ready:
        """Send `hello` and return the answer, which has to be `ready`."""
        self.send(hello or Hello(PROTOCOL_VERSION, MAX_LINE_BYTES, GAMES_AT_ONCE, self.limits))
        message = self.read_message(Deadline("H1", "T5", "T5", self.limits.start))
        if isinstance(message, Ready):
            return message
        raise self.failure("H1", "its first line is not 'ready'", encode_message(message))

    def read_choice(self, *questions: Decide) -> Choose:
        """Return the next answer, which has to be to one of these open questions."""
        answer = self.read_message(Deadline("G3", "T1", "T2", self.limits.move + self.limits.bank))
        if not isinstance(answer, Choose):
            raise self.failure("H1", "it says 'ready' a second time", encode_message(answer))
        for question in questions:
            if question.id == answer.id:
                if answer.choice in question.options:
                    self.progress.count_answer()
                    return answer
                self.last_request = encode_message(question).decode()
                text = f"{answer.choice[:40]!r} is none of the options"
                raise self.failure("A2", text, encode_message(answer))
        text = f"it answers question {answer.id}, which is not open"
        raise self.failure("A3", text, encode_message(answer))

    def ask(self, question: Decide) -> Choose:
        """Ask one question and return the answer."""
        self.send(question)
        return self.read_choice(question)

    def expect_silence(self, seconds: float) -> None:
        """Raise an error if it writes without being asked."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not self.receive(left):
                raise self.end_failure("G3")
            if self.buffer:
                raise self.failure("A3", "it writes without being asked", self.buffer)

    def failure(self, clause: str, text: str, reply: bytes | None = None) -> StepFailure:
        """A failure, with the last request and the reply as evidence."""
        reply = reply if reply is not None else self.buffer or None
        return StepFailure(clause, text, self.last_request, evidence_text(reply) if reply else None)

    def close(self) -> None:
        """End the process at once, and read the rest of its stderr."""
        self.process.end(0)
        self.launcher.wait_for_exit([self.process.pid], EXIT_TIMEOUT)
        while written := read_available(self.process.stderr):
            self.stderr.add(written)
        self.process.close()


@contextmanager
def open_conversation(
    bot: Bot, launcher: Launcher, limits: Limits, progress: CheckProgress | None = None
) -> Iterator[Conversation]:
    """Start a bot and talk to it; it is ended in any case."""
    conversation = Conversation(bot, launcher, limits, progress or CheckProgress())
    try:
        yield conversation
    finally:
        conversation.close()
