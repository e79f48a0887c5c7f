"""Read what bots write, and take it as answers or report it as faults."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.bots.process import read_available
from arena.protocol.codec import Malformed, decode, decode_answers
from arena.protocol.messages import MAX_LINE_BYTES, Choose, FaultKind, Ready
from arena.referee.connection import FROM_BOT, Connection, OpenQuestion
from arena.referee.fault_handler import FaultHandler, timeout_text
from arena.sanitize import cut_middle

MAX_STALE_ANSWERS = 64
"""Stale answers in a row that are dropped: as many as answer all open questions once more."""

MAX_ERROR_LENGTH = 200
"""Characters of what is wrong with a line, which may be all of it."""

TOO_LONG_TEXT = f"a line is longer than {MAX_LINE_BYTES} bytes"


class BadLine(NamedTuple):
    """A line that is no answer, and why."""

    fault: FaultKind
    text: str
    id: int = -1
    """It answers no question."""


def portions(lines: bytes, max_lines: int) -> Iterator[bytes]:
    """Cut whole lines into portions of so many, of which none is read before it is its turn."""
    while lines.count(b"\n") > max_lines:
        *first, lines = lines.split(b"\n", max_lines)
        yield b"\n".join([*first, b""])
    yield lines


def parse_answers(lines: bytes) -> Sequence[Choose | BadLine]:
    """What whole lines hold, one for each."""
    answers = decode_answers(lines) if len(lines) <= MAX_LINE_BYTES else None
    return list(parse_line_by_line(lines)) if answers is None else answers


def nth_line(lines: bytes, number: int) -> bytes:
    """One of them, as it was written."""
    return lines.split(b"\n", number + 1)[number]


def parse_line_by_line(lines: bytes) -> Iterator[Choose | BadLine]:
    """The answers in whole lines, of which some may be none."""
    for line in lines.split(b"\n")[:-1]:
        if len(line) >= MAX_LINE_BYTES:
            yield BadLine("too-long", TOO_LONG_TEXT)
            continue
        try:
            message = decode(line)
        except Malformed as error:
            yield BadLine("malformed", cut_middle(str(error), MAX_ERROR_LENGTH))
            continue
        if isinstance(message, Choose):
            yield message
        else:
            yield BadLine("out-of-turn", "it says 'ready' a second time")


def count_answered(
    open_questions: dict[int, OpenQuestion], answers: Sequence[Choose | BadLine]
) -> int:
    """How many open questions these answers answer."""
    if len(answers) == 1:
        return int(answers[0].id in open_questions)
    return len(open_questions.keys() & {answer.id for answer in answers})


class AnswerReader:
    """Listens to the bots of one table, which plays one variant."""

    def __init__(self, fault_handler: FaultHandler, variant: str) -> None:
        self.fault_handler = fault_handler
        self.variant = variant

    def read_output(self, connection: Connection, now: int) -> None:
        """Take what a bot has written, which may be many lines or a part of one."""
        process = connection.process
        written = read_available(process.stdout) if process else None
        if written is None:
            return
        if not written:
            self.handle_eof(connection)
            return
        if connection.on_traffic:
            connection.on_traffic(connection.place, FROM_BOT, written)
        lines = connection.partial_line + written if connection.partial_line else written
        end = lines.rfind(b"\n") + 1
        connection.partial_line = lines[end:]
        lines = lines[:end]
        if lines and not connection.ready:
            first, _, lines = lines.partition(b"\n")
            self.take_ready(connection, first, now)
        if lines and connection.process is process:
            # More lines than these hold too many that answer nothing: they may never be read.
            for portion in portions(lines, len(connection.open_questions) + MAX_STALE_ANSWERS + 1):
                self.take_answers(connection, portion, now)
                if connection.process is not process:
                    break
        if connection.process is process and len(connection.partial_line) >= MAX_LINE_BYTES:
            self.handle_too_long(connection, connection.partial_line)

    def take_ready(self, connection: Connection, line: bytes, now: int) -> None:
        """Take a bot's first line."""
        if len(line) >= MAX_LINE_BYTES:
            self.fault_handler.handle_failed_start(connection, TOO_LONG_TEXT, line)
            return
        try:
            ready = decode(line)
        except Malformed as error:
            text = f"its first line is no message: {cut_middle(str(error), MAX_ERROR_LENGTH)}"
            self.fault_handler.handle_failed_start(connection, text, line)
            return
        if not isinstance(ready, Ready):
            self.fault_handler.handle_failed_start(
                connection, "its first line is not 'ready'", line
            )
        elif not ready.plays(self.variant):
            text = f"it says that it does not play {self.variant}"
            self.fault_handler.handle_failed_start(connection, text, line)
        elif ready.games < len(connection.live_games):
            text = "it was to take over more games than it says it can hold"
            self.fault_handler.handle_failed_start(connection, text, line)
        else:
            connection.accept_ready(ready, now)

    def take_answers(self, connection: Connection, lines: bytes, now: int) -> None:
        """Take answers; the time since the last one is shared among those that were asked for."""
        answers = parse_answers(lines)
        process, court = connection.process, self.fault_handler
        asked_of = (
            {} if connection.unsent_questions else connection.open_questions
        )  # who cannot know a question answers none
        since_wall, since_cpu = connection.time_used(now)
        due = count_answered(asked_of, answers)
        wall, cpu = since_wall // (due or 1), since_cpu // (due or 1)
        over = max(0, cpu - connection.move_ns) if connection.clock else 0
        for number, answer in enumerate(answers):
            asked = asked_of.get(answer.id)
            if asked is None or isinstance(answer, BadLine):
                self.handle_unexpected(connection, answer, lines, number)
            elif answer.choice not in asked.question.options:
                text = f"{answer.choice[:40]!r} is none of the options"
                court.handle_fault(
                    connection, "illegal", text, reply=nth_line(lines, number), open_question=asked
                )
            elif over and over > asked.bank_left():
                text = timeout_text(cpu, connection.move_ns + asked.bank_left())
                court.handle_fault(
                    connection, "timeout", text, reply=nth_line(lines, number), open_question=asked
                )
            else:
                del asked_of[answer.id]
                table, place = asked.live_game, asked.place
                made = len(table.choices_so_far) + place
                table.wall[made] = wall // 1000
                table.cpu[made] = cpu // 1000
                if over:
                    table.bank_left[asked.seat] -= over
                if answer.note is not None:
                    table.add_note(made, asked.seat, answer.note)
                connection.stale_in_a_row = 0
                court.take_choice(table, place, answer.choice)
                continue
            if connection.process is not process:
                return
        if due:
            connection.wall_baseline = now
            connection.cpu_baseline += since_cpu

    def handle_unexpected(
        self, connection: Connection, answer: Choose | BadLine, lines: bytes, number: int
    ) -> None:
        """A line that answers no open question: stale if it did once, else a fault.

        Too many stale ones in a row are a fault as well: they cost the bot next to nothing, and
        the referee has to read them.
        """
        if isinstance(answer, BadLine):
            self.fault_handler.handle_fault(
                connection, answer.fault, answer.text, reply=nth_line(lines, number)
            )
        elif 0 < answer.id <= connection.last_id - connection.unsent_questions:
            connection.count_stale()
            if connection.stale_in_a_row > MAX_STALE_ANSWERS:
                text = f"it answers settled questions more than {MAX_STALE_ANSWERS} times in a row"
                reply = nth_line(lines, number)
                self.fault_handler.handle_fault(
                    connection, "out-of-turn", text, reply=reply, fatal=True
                )
        else:
            text = f"it answers question {answer.id}, which it was not asked"
            self.fault_handler.handle_fault(
                connection, "out-of-turn", text, reply=nth_line(lines, number)
            )

    def handle_too_long(self, connection: Connection, line: bytes) -> None:
        """A line that does not end."""
        self.fault_handler.handle_fault(connection, "too-long", TOO_LONG_TEXT, reply=line)

    def handle_eof(self, connection: Connection) -> None:
        """A bot's output has ended."""
        if connection.process is None:
            return
        how = connection.process.exit_reason()
        self.fault_handler.raise_if_killed(connection)
        too_much = self.fault_handler.out_of_memory_text(connection)
        if not connection.ready:
            text = too_much or f"it never said 'ready': {how}"
            kind: FaultKind = "memory" if too_much else "start"
            self.fault_handler.handle_failed_start(connection, text, connection.partial_line, kind)
        elif connection.partial_line and not too_much:
            text = f"its last line has no newline at its end: {how}"
            self.fault_handler.handle_fault(
                connection, "malformed", text, reply=connection.partial_line, fatal=True
            )
        elif connection.open_questions:
            self.fault_handler.handle_fault(
                connection, *self.fault_handler.exit_fault(connection, how)
            )
        else:
            connection.read_stderr()
            lapse = self.fault_handler.exit_fault(connection, how)
            self.fault_handler.poller.disconnect(connection)
            connection.idle_exit = lapse
