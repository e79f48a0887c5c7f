"""What bots write, taken as answers or as faults."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.bots.process import read
from arena.match.court import Court, late
from arena.match.player import FROM_BOT, Asked, Player
from arena.printable import short
from arena.protocol.codec import Malformed, decode, decode_answers
from arena.protocol.messages import LONGEST_LINE, Choose, FaultKind, Ready

STALE = 64
"""Stale answers in a row that are dropped: as many as answer all open questions once more."""

SHOWN = 200
"""Characters of what is wrong with a line, which may be all of it."""

TOO_LONG = f"a line is longer than {LONGEST_LINE} bytes"


class Wrong(NamedTuple):
    """A line that is no answer, and why."""

    fault: FaultKind
    text: str
    id: int = -1
    """It answers no question."""


def portions(lines: bytes, most: int) -> Iterator[bytes]:
    """Cut whole lines into portions of so many, of which none is read before it is its turn."""
    while lines.count(b"\n") > most:
        *first, lines = lines.split(b"\n", most)
        yield b"\n".join([*first, b""])
    yield lines


def messages(lines: bytes) -> Sequence[Choose | Wrong]:
    """What whole lines hold, one for each."""
    answers = decode_answers(lines) if len(lines) <= LONGEST_LINE else None
    return list(one_by_one(lines)) if answers is None else answers


def nth_line(lines: bytes, number: int) -> bytes:
    """One of them, as it was written."""
    return lines.split(b"\n", number + 1)[number]


def one_by_one(lines: bytes) -> Iterator[Choose | Wrong]:
    """The answers in whole lines, of which some may be none."""
    for line in lines.split(b"\n")[:-1]:
        if len(line) >= LONGEST_LINE:
            yield Wrong("too-long", TOO_LONG)
            continue
        try:
            message = decode(line)
        except Malformed as error:
            yield Wrong("malformed", short(str(error), SHOWN))
            continue
        if isinstance(message, Choose):
            yield message
        else:
            yield Wrong("out-of-turn", "it says 'ready' a second time")


def shared_by(asked_of: dict[int, Asked], answers: Sequence[Choose | Wrong]) -> int:
    """How many open questions these answers answer."""
    if len(answers) == 1:
        return int(answers[0].id in asked_of)
    return len(asked_of.keys() & {answer.id for answer in answers})


class Hearing:
    """Listens to the bots of one table, which plays one variant."""

    def __init__(self, court: Court, variant: str) -> None:
        self.court = court
        self.variant = variant

    def hear(self, player: Player, now: int) -> None:
        """Take what a bot has written, which may be many lines or a part of one."""
        process = player.process
        written = read(process.stdout) if process else None
        if written is None:
            return
        if not written:
            self.ended(player)
            return
        if player.tap:
            player.tap(player.place, FROM_BOT, written)
        lines = player.heard + written if player.heard else written
        end = lines.rfind(b"\n") + 1
        player.heard = lines[end:]
        lines = lines[:end]
        if lines and not player.ready:
            first, _, lines = lines.partition(b"\n")
            self.greet(player, first, now)
        if lines and player.process is process:
            # More lines than these hold too many that answer nothing: they may never be read.
            for portion in portions(lines, len(player.open) + STALE + 1):
                self.answer(player, portion, now)
                if player.process is not process:
                    break
        if player.process is process and len(player.heard) >= LONGEST_LINE:
            self.too_long(player, player.heard)

    def greet(self, player: Player, line: bytes, now: int) -> None:
        """Take a bot's first line."""
        if len(line) >= LONGEST_LINE:
            self.court.failed_start(player, TOO_LONG, line)
            return
        try:
            ready = decode(line)
        except Malformed as error:
            text = f"its first line is no message: {short(str(error), SHOWN)}"
            self.court.failed_start(player, text, line)
            return
        if not isinstance(ready, Ready):
            self.court.failed_start(player, "its first line is not 'ready'", line)
        elif not ready.plays(self.variant):
            text = f"it says that it does not play {self.variant}"
            self.court.failed_start(player, text, line)
        elif ready.games < len(player.tables):
            text = "it was to take over more games than it says it can hold"
            self.court.failed_start(player, text, line)
        else:
            player.is_ready(ready, now)

    def answer(self, player: Player, lines: bytes, now: int) -> None:
        """Take answers; the time since the last one is shared among those that were asked for."""
        answers = messages(lines)
        process, court = player.process, self.court
        asked_of = {} if player.fresh else player.open  # who cannot know a question answers none
        since_wall, since_cpu = player.charge(now)
        due = shared_by(asked_of, answers)
        wall, cpu = since_wall // (due or 1), since_cpu // (due or 1)
        over = max(0, cpu - player.move) if player.clock else 0
        for number, answer in enumerate(answers):
            asked = asked_of.get(answer.id)
            if asked is None or isinstance(answer, Wrong):
                self.unasked(player, answer, lines, number)
            elif answer.choice not in asked.question.options:
                text = f"{answer.choice[:40]!r} is none of the options"
                court.fault(player, "illegal", text, reply=nth_line(lines, number), asked=asked)
            elif over and over > asked.bank():
                text = late(cpu, player.move + asked.bank())
                court.fault(player, "timeout", text, reply=nth_line(lines, number), asked=asked)
            else:
                del asked_of[answer.id]
                table, place = asked.table, asked.place
                made = len(table.made) + place
                table.wall[made] = wall // 1000
                table.cpu[made] = cpu // 1000
                if over:
                    table.bank[asked.seat] -= over
                if answer.note is not None:
                    table.keep_note(made, asked.seat, answer.note)
                player.stale = 0
                court.settle(table, place, answer.choice)
                continue
            if player.process is not process:
                return
        if due:
            player.wall_mark = now
            player.cpu_mark += since_cpu

    def unasked(self, player: Player, answer: Choose | Wrong, lines: bytes, number: int) -> None:
        """A line that answers no open question: stale if it did once, else a fault.

        Too many stale ones in a row are a fault as well: they cost the bot next to nothing, and
        the referee has to read them.
        """
        if isinstance(answer, Wrong):
            self.court.fault(player, answer.fault, answer.text, reply=nth_line(lines, number))
        elif 0 < answer.id <= player.last_id - player.fresh:
            player.count_stale()
            if player.stale > STALE:
                text = f"it answers settled questions more than {STALE} times in a row"
                reply = nth_line(lines, number)
                self.court.fault(player, "out-of-turn", text, reply=reply, fatal=True)
        else:
            text = f"it answers question {answer.id}, which it was not asked"
            self.court.fault(player, "out-of-turn", text, reply=nth_line(lines, number))

    def too_long(self, player: Player, line: bytes) -> None:
        """A line that does not end."""
        self.court.fault(player, "too-long", TOO_LONG, reply=line)

    def ended(self, player: Player) -> None:
        """A bot's output has ended."""
        if player.process is None:
            return
        how = player.process.how_it_ended()
        self.court.excuse(player)
        too_much = self.court.too_much(player)
        if not player.ready:
            text = too_much or f"it never said 'ready': {how}"
            kind: FaultKind = "memory" if too_much else "start"
            self.court.failed_start(player, text, player.heard, kind)
        elif player.heard and not too_much:
            text = f"its last line has no newline at its end: {how}"
            self.court.fault(player, "malformed", text, reply=player.heard, fatal=True)
        elif player.open:
            self.court.fault(player, *self.court.exit(player, how))
        else:
            player.listen()
            lapse = self.court.exit(player, how)
            self.court.switchboard.disconnect(player)
            player.lapse = lapse
