"""Record faults with their evidence, play stand-in choices, restart or retire bots."""

import time

from arena.bots.usage import NS_PER_SECOND
from arena.errors import BadBot, BotKilled, HarnessFailure
from arena.protocol.messages import FaultKind, FaultMessage
from arena.referee.config import RefereeConfig
from arena.referee.connection import Connection, OpenQuestion
from arena.referee.faults import FATAL, Evidence, Fault, FaultPolicy
from arena.referee.live_game import LiveGame
from arena.referee.poller import Poller
from arena.referee.record import Stopped

MAX_FAILED_STARTS = 2
"""A bot that fails to start as often in a row is asked no more."""

IDLE_CPU_SHARE = 0.1
"""The share of the time up to which a bot seems to wait for something."""

FLUSH_HINT = "; does it flush its stdout after each line, and answer before its stdin ends?"


class FaultHandler:
    """Judges the bots of one table."""

    def __init__(
        self,
        poller: Poller,
        config: RefereeConfig,
        games_to_advance: list[LiveGame],
    ) -> None:
        self.poller = poller
        self.config = config
        self.games_to_advance = games_to_advance
        """Games in which no choice is missing."""

    def handle_fault(  # noqa: PLR0913 (what is not known is left out)
        self,
        connection: Connection,
        kind: FaultKind,
        text: str,
        *,
        reply: bytes | None = None,
        open_question: OpenQuestion | None = None,
        live_game: LiveGame | None = None,
        fatal: bool = False,
    ) -> None:
        """A bot broke the protocol: in the game of its oldest question, or the oldest it holds."""
        open_question = open_question or (None if live_game else connection.oldest_question())
        live_game = live_game or (
            open_question.live_game if open_question else connection.current_game()
        )
        evidence = connection.evidence(open_question, live_game, reply, time.monotonic_ns())
        connection.fault_count += 1
        connection.last_fault = kind
        fatal = fatal or kind in FATAL
        if fatal:
            self.poller.disconnect(connection)
            connection.idle_exit = None
        if live_game is None:
            connection.pending_fault = (kind, text, evidence)
            connection.outbox.append(FaultMessage(None, None, kind, text))
        else:
            self.record_fault(connection, live_game, kind, text, evidence, fatal=fatal)
        if connection.fault_count >= self.config.retire:
            self.retire(connection)
        elif connection.process is None and connection.live_games:
            self.restart(connection)

    def restart(self, connection: Connection) -> None:
        """Start a bot once more; that it cannot be started any more is its fault."""
        try:
            self.poller.connect(connection)
        except BadBot as error:
            self.handle_failed_start(connection, str(error))

    def handle_failed_start(
        self,
        connection: Connection,
        text: str,
        reply: bytes | None = None,
        kind: FaultKind = "start",
    ) -> None:
        """A bot did not get ready: lost are the games it was to take over."""
        evidence = connection.evidence(None, None, reply or None, time.monotonic_ns())
        self.poller.disconnect(connection)
        connection.fault_count += 1
        connection.last_fault = kind
        connection.failed_starts += 1
        held = list(connection.live_games.values())
        for table in held:
            self.record_fault(connection, table, kind, text, evidence)
        if not held:
            connection.pending_fault = (kind, text, evidence)
        if (
            connection.failed_starts >= MAX_FAILED_STARTS
            or connection.fault_count >= self.config.retire
        ):
            self.retire(connection)

    def record_fault(  # noqa: PLR0913 (a fault has that many parts)
        self,
        connection: Connection,
        live_game: LiveGame,
        kind: FaultKind,
        text: str,
        evidence: Evidence,
        *,
        fatal: bool = True,
    ) -> None:
        """Write down a fault in a game, and choose in the bot's place."""
        asked = next(
            (asked for asked in connection.open_questions.values() if asked.live_game is live_game),
            None,
        )
        place = len(live_game.choices_so_far) + asked.place if asked else None
        seat = live_game.seat_of_place[connection.place]
        found = Fault(seat, kind, text, place, evidence)
        live_game.faults.append(found)
        if self.config.policy is FaultPolicy.STRICT:
            stderr = tuple(said.text() for said in live_game.stderr)
            raise Stopped(found, live_game.record(stopped=True), stderr)
        if fatal or self.config.policy is FaultPolicy.FORFEIT:
            live_game.forfeited.add(seat)
        if fatal:
            connection.live_games.pop(live_game.number, None)
        elif connection.process:
            number = asked.question.id if asked else None
            connection.outbox.append(FaultMessage(live_game.number, number, kind, text))
        if asked:
            del connection.open_questions[asked.question.id]
            self.take_choice(live_game, asked.place, asked.question.options[0])

    def take_choice(self, live_game: LiveGame, place: int, choice: str) -> None:
        """Take a choice; the game goes on once none is missing."""
        live_game.choices[place] = choice
        live_game.missing_choices -= 1
        if not live_game.missing_choices:
            self.games_to_advance.append(live_game)

    def raise_if_killed(self, connection: Connection) -> None:
        """See whether something else has ended a bot: then it is not to pay for it."""
        process = connection.process
        if process and process.was_killed():
            if self.config.is_excused(connection.bot.name):
                raise BotKilled(connection.bot.name, process.external_cause)
            raise HarnessFailure(f"{connection.bot.name} {process.external_cause}")

    def exit_fault(self, connection: Connection, how: str) -> tuple[FaultKind, str]:
        """The fault of a bot that ended like this."""
        text = self.out_of_memory_text(connection)
        return ("memory", text) if text else ("exited", how)

    def out_of_memory_text(self, connection: Connection) -> str:
        """What to say of a bot that the kernel had to kill; nothing if it had not."""
        process = connection.process
        if process and process.is_out_of_memory and process.memory_limit:
            return f"it was killed for holding more than {process.memory_limit >> 20} MiB"
        return ""

    def retire(self, connection: Connection) -> None:
        """A bot has had too many faults: from now on the referee plays for it."""
        self.poller.disconnect(connection)
        connection.is_retired = True
        for table in list(connection.live_games.values()):
            self.forfeit_game(connection, table)

    def forfeit_game(self, connection: Connection, live_game: LiveGame) -> None:
        """A retired bot loses a game."""
        text = f"it was retired after {connection.fault_count} faults"
        self.record_fault(connection, live_game, connection.last_fault, text, Evidence())


def timeout_text(cpu: int, allowed: int) -> str:
    """What to say of an answer that took too long."""
    return (
        f"it took {cpu / NS_PER_SECOND:.2f} s of CPU time, {allowed / NS_PER_SECOND:.2f} s were "
        f"left"
    )
