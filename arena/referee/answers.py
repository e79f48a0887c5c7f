"""Read the output of bots and handle it as answers or faults."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from arena.protocol.codec import Malformed, decode_answers, decode_line
from arena.protocol.messages import MAX_LINE_BYTES, Choose, FaultKind, Ready
from arena.referee.connection import Connection, ConnectionState, OpenQuestion
from arena.referee.fault_handler import FaultHandler
from arena.referee.faults import timeout_text
from arena.sanitize import cut_middle

MAX_STALE_ANSWERS = 64
"""Stale answers in a row that are dropped: as many as answer all open questions once more."""

MAX_ERROR_LENGTH = 200
"""Characters kept of a parser's error, which may quote the whole line."""

TOO_LONG_TEXT = f"a line is longer than {MAX_LINE_BYTES} bytes"


class BadLine(NamedTuple):
    """A line that is not an answer, and why."""

    fault: FaultKind
    text: str
    id: int = -1
    """It answers no question."""


def split_lines(lines: bytes, max_lines: int) -> Iterable[bytes]:
    """Split whole lines lazily into portions of at most this many."""
    return (lines,) if lines.count(b"\n") <= max_lines else split_long_output(lines, max_lines)


def split_long_output(lines: bytes, max_lines: int) -> Iterator[bytes]:
    """Split more whole lines than one portion may have."""
    while lines.count(b"\n") > max_lines:
        *first, lines = lines.split(b"\n", max_lines)
        yield b"\n".join([*first, b""])
    yield lines


def parse_answers(lines: bytes) -> Sequence[Choose | BadLine]:
    """Parse whole lines into one answer, or bad line, for each."""
    answers = decode_answers(lines) if len(lines) <= MAX_LINE_BYTES else None
    return list(parse_line_by_line(lines)) if answers is None else answers


def parse_line_by_line(lines: bytes) -> Iterator[Choose | BadLine]:
    """Parse whole lines one by one, some of which may be bad."""
    for line in lines.split(b"\n")[:-1]:
        if len(line) >= MAX_LINE_BYTES:
            yield BadLine("too-long", TOO_LONG_TEXT)
            continue
        try:
            message = decode_line(line)
        except Malformed as error:
            yield BadLine("malformed", cut_middle(str(error), MAX_ERROR_LENGTH))
            continue
        if isinstance(message, Choose):
            yield message
        else:
            yield BadLine("out-of-turn", "it says 'ready' a second time")


def nth_line(lines: bytes, number: int) -> bytes:
    """Return the line with this number, as the bot wrote it."""
    return lines.split(b"\n", number + 1)[number]


def count_answered(
    open_questions: dict[int, OpenQuestion], answers: Sequence[Choose | BadLine]
) -> int:
    """Count the open questions that these answers settle."""
    if len(answers) == 1:
        return int(answers[0].id in open_questions)
    return len(open_questions.keys() & {answer.id for answer in answers})


class AnswerReader:
    """Reads the output of the bots of one table, which plays one variant."""

    def __init__(self, fault_handler: FaultHandler, variant: str) -> None:
        self.fault_handler = fault_handler
        self.variant = variant

    def read_output(self, connection: Connection, now: int) -> None:
        """Read what a bot has written, which may be many lines or a part of one, and handle it."""
        process = connection.process
        written = connection.receive()
        if written is None:
            return
        if not written:
            self.handle_eof(connection)
            return
        lines = connection.partial_line + written if connection.partial_line else written
        end = lines.rfind(b"\n") + 1
        connection.partial_line = lines[end:]
        lines = lines[:end]
        if lines and connection.state is ConnectionState.STARTING:
            first, _, lines = lines.partition(b"\n")
            self.handle_ready(connection, first, now)
        if lines and connection.process is process:
            # More lines than these hold too many stale answers, and the rest is never parsed.
            most = len(connection.open_questions) + MAX_STALE_ANSWERS + 1
            for portion in split_lines(lines, most):
                self.handle_answers(connection, portion, now)
                if connection.process is not process:
                    break
        if connection.process is process and len(connection.partial_line) >= MAX_LINE_BYTES:
            reply = connection.partial_line
            self.fault_handler.handle_fault(connection, "too-long", TOO_LONG_TEXT, reply=reply)

    def handle_ready(self, connection: Connection, line: bytes, now: int) -> None:
        """Handle the first line of a process, which has to be 'ready'."""
        try:
            text, ready = self.parse_ready(connection, line)
        except Malformed as error:
            text = f"its first line is not a message: {cut_middle(str(error), MAX_ERROR_LENGTH)}"
            ready = None
        if ready:
            connection.accept_ready(ready, now)
        else:
            self.fault_handler.handle_failed_start(connection, text, line)

    def parse_ready(self, connection: Connection, line: bytes) -> tuple[str, Ready | None]:
        """Parse a bot's first line; return what is wrong with it, or the message."""
        if len(line) >= MAX_LINE_BYTES:
            return TOO_LONG_TEXT, None
        ready = decode_line(line)
        if not isinstance(ready, Ready):
            return "its first line is not 'ready'", None
        if not ready.plays(self.variant):
            return f"it says that it does not play {self.variant}", None
        if ready.games < len(connection.live_games):
            return "it was to take over more games than it says it can hold", None
        return "", ready

    def handle_answers(self, connection: Connection, lines: bytes, now: int) -> None:
        """Handle answers; those to open questions share the time since the last one equally."""
        answers = parse_answers(lines)
        process = connection.process
        # A question that was not sent yet cannot have been answered.
        is_thinking = connection.state is ConnectionState.THINKING
        open_questions = connection.open_questions if is_thinking else {}
        total_wall, total_cpu = connection.measure_time(now)
        count = count_answered(open_questions, answers)
        wall, cpu = total_wall // (count or 1), total_cpu // (count or 1)
        overtime = max(0, cpu - connection.move_ns) if connection.clock else 0
        for number, answer in enumerate(answers):
            open_question = open_questions.get(answer.id)
            if open_question is None or isinstance(answer, BadLine):
                self.handle_unexpected(connection, answer, lines, number)
            elif answer.choice not in open_question.question.options:
                text = f"{answer.choice[:40]!r} is none of the options"
                self.fault_handler.handle_fault(
                    connection,
                    "illegal",
                    text,
                    reply=nth_line(lines, number),
                    open_question=open_question,
                )
            elif overtime and overtime > open_question.bank_left():
                text = timeout_text(cpu, connection.move_ns + open_question.bank_left())
                self.fault_handler.handle_fault(
                    connection,
                    "timeout",
                    text,
                    reply=nth_line(lines, number),
                    open_question=open_question,
                )
            else:
                connection.close_question(answer.id)
                connection.stale_in_a_row = 0
                open_question.live_game.answer(
                    open_question.place,
                    answer.choice,
                    wall=wall,
                    cpu=cpu,
                    from_bank=overtime,
                    note=answer.note,
                )
                continue
            if connection.process is not process:
                return
        if count:
            connection.restart_clocks(now, total_cpu)

    def handle_unexpected(
        self, connection: Connection, answer: Choose | BadLine, lines: bytes, number: int
    ) -> None:
        """Handle a line that answers no open question: stale if it answers a settled one.

        Otherwise it is a fault. Too many stale answers in a row are a fault as well: they cost the
        bot next to nothing, and the referee has to read them.
        """
        if isinstance(answer, BadLine):
            kind, text, fatal = answer.fault, answer.text, False
        elif not 0 < answer.id <= connection.last_sent_id:
            text = f"it answers question {answer.id}, which it was not asked"
            kind, fatal = "out-of-turn", False
        else:
            connection.count_stale()
            if connection.stale_in_a_row <= MAX_STALE_ANSWERS:
                return
            text = f"it answers settled questions more than {MAX_STALE_ANSWERS} times in a row"
            kind, fatal = "out-of-turn", True
        reply = nth_line(lines, number)
        self.fault_handler.handle_fault(connection, kind, text, reply=reply, fatal=fatal)

    def handle_eof(self, connection: Connection) -> None:
        """Handle the end of a bot's output."""
        if connection.process is None:
            return
        how = connection.process.exit_reason()
        connection.raise_if_killed()
        memory_text = connection.out_of_memory_text()
        if connection.state is ConnectionState.STARTING:
            text = memory_text or f"it never said 'ready': {how}"
            kind: FaultKind = "memory" if memory_text else "start"
            self.fault_handler.handle_failed_start(connection, text, connection.partial_line, kind)
        elif connection.partial_line and not memory_text:
            text = f"its last line has no newline at its end: {how}"
            self.fault_handler.handle_fault(
                connection, "malformed", text, reply=connection.partial_line, fatal=True
            )
        elif connection.open_questions:
            self.fault_handler.handle_fault(connection, *connection.exit_fault(how))
        else:
            self.fault_handler.keep_idle_exit(connection, how)
