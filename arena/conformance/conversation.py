"""A conversation with one bot, a line at a time, in which nothing is forgiven."""

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager

from arena.bots.bot import Bot
from arena.bots.launcher import LAST, Launcher
from arena.bots.process import Process, read
from arena.bots.stderr import Said
from arena.match.player import shown
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

STDERR = 2_000
"""Bytes of stderr that are shown."""

GAMES = 64
"""Games at once that a bot is offered."""


class Failure(Exception):
    """What a bot did wrong, against which clause, and what shows it."""

    def __init__(
        self, clause: str, text: str, request: str | None = None, reply: str | None = None
    ) -> None:
        super().__init__(text)
        self.clause = clause
        self.text = text
        self.request = request
        self.reply = reply


class Conversation:
    """A process of a bot, and what was said."""

    def __init__(self, bot: Bot, launcher: Launcher, limits: Limits) -> None:
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

    def line(self, clause: str) -> bytes:
        """The next line the bot writes, in time and with its newline."""
        begin = time.monotonic()
        while b"\n" not in self.heard:
            left = begin + self.limits.wall - time.monotonic()
            if left <= 0 and self.heard:
                text = f"no newline came in {self.limits.wall:g} s"
                raise self.failure("F1", text, self.heard)
            if left <= 0:
                raise self.failure(clause, f"nothing came in {self.limits.wall:g} s")
            if not self.take(left):
                how = self.process.how_it_ended(0.25) or "it closed its stdout"
                text = f"its output ended{' within a line' if self.heard else ''}: {how}"
                raise self.failure("F1" if self.heard else clause, text)
            if len(self.heard) > LONGEST_LINE and b"\n" not in self.heard[:LONGEST_LINE]:
                raise self.failure("F3", f"a line is longer than {LONGEST_LINE} bytes")
        line, _, self.heard = self.heard.partition(b"\n")
        return line

    def take(self, seconds: float) -> bool:
        """Take what comes in this time; False when the output has ended."""
        if self.process.unsent:
            self.process.write(b"")
        for stream, _ in self.poll.poll(min(seconds, 0.05) * 1000):
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

    def message(self, clause: str) -> FromBot:
        """The next message."""
        line = self.line(clause)
        try:
            return decode(line)
        except Malformed as error:
            raise self.failure("F2", f"its line is no message: {error}", line) from None

    def ready(self) -> Ready:
        """Shake hands."""
        self.say(Hello(PROTOCOL, LONGEST_LINE, GAMES, self.limits))
        message = self.message("H1")
        if isinstance(message, Ready):
            return message
        raise self.failure("H1", "its first line is not 'ready'", encode(message))

    def choice(self, *questions: Decide) -> Choose:
        """The next answer, which has to be to one of these open questions."""
        answer = self.message("A1")
        if not isinstance(answer, Choose):
            raise self.failure("H1", "it says 'ready' a second time", encode(answer))
        for question in questions:
            if question.id == answer.id:
                if answer.choice in question.options:
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
                how = self.process.how_it_ended(0.25) or "it closed its stdout"
                raise self.failure("G3", f"it ended although it was not told to: {how}")
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
def conversation(bot: Bot, launcher: Launcher, limits: Limits) -> Iterator[Conversation]:
    """A conversation that is ended in any case."""
    talk = Conversation(bot, launcher, limits)
    try:
        yield talk
    finally:
        talk.close()
