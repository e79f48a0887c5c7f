"""A conversation with one bot, a line at a time, in which nothing is forgiven."""

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from arena.bots.bot import Bot
from arena.bots.launcher import LAST, Launcher
from arena.bots.process import Process, read
from arena.bots.stderr import Said
from arena.bots.usage import NANO
from arena.conformance.failure import Due, Failure
from arena.conformance.pace import Pace
from arena.match.court import FLUSH, IDLE
from arena.match.player import shown
from arena.match.terms import AT_ONCE
from arena.protocol.codec import Malformed, decode, encode, encode_lines
from arena.protocol.messages import (
    LONGEST_LINE,
    PROTOCOL,
    Choose,
    Decide,
    FromBot,
    Hello,
    Limits,
    Message,
    Ready,
)

SILENCE = 0.15
"""Seconds without a word after which nothing is expected to come."""

TICK = 0.05
"""Seconds between looks at clocks and memory."""


class Cancelled(Exception):
    """Nobody wants to know the answer any more."""


class Conversation:
    """A process of a bot, and what was said."""

    cancelled: Event | None = None
    """Set by another thread to end the wait for a line, with `Cancelled`."""

    def __init__(self, bot: Bot, launcher: Launcher, limits: Limits, pace: Pace) -> None:
        self.pace = pace
        self.limits = limits
        self.launcher = launcher
        self.process = Process(bot, launcher)
        self.said = Said()
        self.heard = b""
        self.last_request: str | None = None
        self.poll = select.poll()
        self.poll.register(self.process.stdout, select.POLLIN)
        self.poll.register(self.process.stderr, select.POLLIN)

    def say(self, *messages: Message, lines: bytes = b"") -> None:
        """Send messages, or lines that are none."""
        if messages:
            self.last_request = encode(messages[-1]).decode()
        elif lines:
            self.last_request = lines.decode()
        self.process.write(lines + encode_lines(messages))

    def line(self, due: Due) -> bytes:
        """The next line the bot writes, in time and with its newline."""
        begin, before = time.monotonic(), self.process.cpu()
        while b"\n" not in self.heard:
            if not self.take(TICK):
                raise self.ended(due.ended)
            if self.cancelled and self.cancelled.is_set():
                raise Cancelled
            if len(self.heard) > LONGEST_LINE and b"\n" not in self.heard[:LONGEST_LINE]:
                raise self.failure("F3", f"a line is longer than {LONGEST_LINE} bytes")
            spent = time.monotonic() - begin
            if b"\n" not in self.heard and spent > TICK:
                self.in_time(due, spent, before)
        line, _, self.heard = self.heard.partition(b"\n")
        return line

    def in_time(self, due: Due, spent: float, before: int) -> None:
        """Whether a line that has not come yet can still come in time."""
        memory = self.process.look().memory
        cpu = (self.process.cpu() - before) / NANO
        allowed = self.process.bot.memory
        if allowed and memory > allowed:
            raise self.failure("E4", f"it holds {memory >> 20} MiB, {allowed >> 20} are allowed")
        if cpu > due.cpu:
            raise self.failure(due.late, f"nothing came in {cpu:.1f} s of CPU time")
        if spent > self.limits.wall and self.heard:
            text = f"no newline came in {self.limits.wall:g} s"
            raise self.failure("F1", text, self.heard)
        if spent > self.limits.wall:
            hint = FLUSH if cpu < IDLE * spent else ""
            raise self.failure(due.slow, f"nothing came in {self.limits.wall:g} s{hint}")

    def ended(self, clause: str) -> Failure:
        """What to say of a bot whose output has ended."""
        how = self.process.how_it_ended()
        if self.heard:
            return self.failure("F1", f"its output ended within a line: {how}")
        return self.failure(clause, f"its output ended: {how}")

    def take(self, seconds: float) -> bool:
        """Take what comes in this time; False when the output has ended."""
        if self.process.unsent:
            self.process.write(b"")
        for stream, _ in self.poll.poll(min(seconds, TICK) * 1000):
            written = read(stream)
            if stream == self.process.stderr:
                self.said.add(written or b"")
                if written == b"":
                    self.poll.unregister(stream)
            elif written == b"":
                return False
            else:
                self.heard += written or b""
        return True

    def message(self, due: Due) -> FromBot:
        """The next message."""
        line = self.line(due)
        try:
            return decode(line)
        except Malformed as error:
            raise self.failure("F2", f"its line is no message: {error}", line) from None

    def ready(self, hello: Hello | None = None) -> Ready:
        """Shake hands."""
        self.say(hello or Hello(PROTOCOL, LONGEST_LINE, AT_ONCE, self.limits))
        message = self.message(Due("H1", "T5", "T5", self.limits.start))
        if isinstance(message, Ready):
            return message
        raise self.failure("H1", "its first line is not 'ready'", encode(message))

    def choice(self, *questions: Decide) -> Choose:
        """The next answer, which has to be to one of these open questions."""
        answer = self.message(Due("G3", "T1", "T2", self.limits.move + self.limits.bank))
        if not isinstance(answer, Choose):
            raise self.failure("H1", "it says 'ready' a second time", encode(answer))
        for question in questions:
            if question.id == answer.id:
                if answer.choice in question.options:
                    self.pace.answer()
                    return answer
                self.last_request = encode(question).decode()
                text = f"{answer.choice[:40]!r} is none of the options"
                raise self.failure("A2", text, encode(answer))
        text = f"it answers question {answer.id}, which is not open"
        raise self.failure("A3", text, encode(answer))

    def ask(self, question: Decide) -> Choose:
        """Ask one question and take the answer."""
        self.say(question)
        return self.choice(question)

    def silence(self, seconds: float) -> None:
        """Make sure that it writes nothing of its own accord."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not self.take(left):
                raise self.ended("G3")
            if self.heard:
                raise self.failure("A3", "it writes without being asked", self.heard)

    def failure(self, clause: str, text: str, reply: bytes | None = None) -> Failure:
        """What went wrong, with the last request and the reply."""
        reply = reply if reply is not None else self.heard or None
        return Failure(clause, text, self.last_request, shown(reply) if reply else None)

    def close(self) -> None:
        """End the process at once, and take the rest of its stderr."""
        self.process.end(0)
        self.launcher.wait([self.process.pid], LAST)
        while written := read(self.process.stderr):
            self.said.add(written)
        self.process.close()


@contextmanager
def conversation(
    bot: Bot, launcher: Launcher, limits: Limits, pace: Pace | None = None
) -> Iterator[Conversation]:
    """A conversation that is ended in any case."""
    talk = Conversation(bot, launcher, limits, pace or Pace())
    try:
        yield talk
    finally:
        talk.close()
