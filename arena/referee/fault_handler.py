"""Record faults with their evidence, play stand-in choices, restart or retire bots."""

import time

from arena.errors import BadBot
from arena.protocol.messages import FaultKind, FaultMessage
from arena.referee.config import RefereeConfig
from arena.referee.connection import Connection, ConnectionState, OpenQuestion, PendingFault
from arena.referee.faults import FATAL_FAULTS, Evidence, Fault, FaultPolicy
from arena.referee.live_game import LiveGame
from arena.referee.poller import Poller
from arena.referee.record import GameStopped

MAX_FAILED_STARTS = 2
"""A bot that fails to start this many times in a row is retired."""


class FaultHandler:
    """Handles the faults of the bots of one table."""

    def __init__(self, poller: Poller, config: RefereeConfig) -> None:
        self.poller = poller
        self.config = config

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
        """Handle a fault, by default in the game of the oldest open question or the oldest game."""
        open_question = open_question or (None if live_game else connection.oldest_question())
        live_game = live_game or (
            open_question.live_game if open_question else connection.current_game()
        )
        evidence = connection.collect_evidence(open_question, live_game, reply, time.monotonic_ns())
        connection.fault_count += 1
        connection.last_fault = kind
        fatal = fatal or kind in FATAL_FAULTS
        if fatal:
            self.poller.disconnect(connection)
        if live_game is None:
            connection.pending_fault = PendingFault(kind, text, evidence, fatal=False)
            connection.outbox.append(FaultMessage(None, None, kind, text))
        else:
            self.record_fault(connection, live_game, kind, text, evidence, fatal=fatal)
        if connection.fault_count >= self.config.max_faults:
            self.retire(connection)
        elif connection.process is None and connection.live_games:
            self.restart(connection)

    def handle_failed_start(
        self,
        connection: Connection,
        text: str,
        reply: bytes | None = None,
        kind: FaultKind = "start",
    ) -> None:
        """Handle a failed start: the bot loses the games it was to take over, or its next one."""
        evidence = connection.collect_evidence(None, None, reply or None, time.monotonic_ns())
        self.poller.disconnect(connection)
        connection.fault_count += 1
        connection.last_fault = kind
        connection.failed_starts += 1
        held = list(connection.live_games.values())
        for live_game in held:
            self.record_fault(connection, live_game, kind, text, evidence)
        if not held:
            connection.pending_fault = PendingFault(kind, text, evidence, fatal=True)
        if (
            connection.failed_starts >= MAX_FAILED_STARTS
            or connection.fault_count >= self.config.max_faults
        ):
            self.retire(connection)

    def restart(self, connection: Connection) -> None:
        """Start a bot once more; if it cannot be started any more, that is its fault."""
        try:
            self.poller.connect(connection)
        except BadBot as error:
            self.handle_failed_start(connection, str(error))

    def keep_idle_exit(self, connection: Connection, how: str) -> None:
        """Remember that a bot ended without an open question: a fault only if a game needs it."""
        connection.read_stderr()
        idle_exit = connection.exit_fault(how)
        self.poller.disconnect(connection)
        connection.idle_exit = idle_exit

    def charge_idle_exit(self, connection: Connection, live_game: LiveGame | None) -> None:
        """Record that a bot had ended before a game needed it, and start it again."""
        if connection.idle_exit:
            kind, text = connection.idle_exit
            connection.idle_exit = None
            self.handle_fault(connection, kind, text, live_game=live_game)

    def enter_game(self, connection: Connection, live_game: LiveGame) -> None:
        """Let a bot take part in a new game, with the faults that were not in any game.

        A bot that is gone is started again, unless it loses this game anyway.
        """
        if connection.live_games:
            self.charge_idle_exit(connection, connection.current_game())
        connection.join_game(live_game)
        is_retired = connection.state is ConnectionState.RETIRED
        if pending := connection.pending_fault:
            connection.pending_fault = None
            kind, text, evidence, fatal = pending
            fatal = fatal or is_retired
            self.record_fault(connection, live_game, kind, text, evidence, fatal=fatal)
        elif is_retired:
            self.forfeit_game(connection, live_game)
        if connection.state is ConnectionState.GONE and live_game.number in connection.live_games:
            self.restart(connection)

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
        """Record a fault in a game, and play a stand-in choice if a question is open."""
        open_question = connection.open_question_in(live_game)
        place = len(live_game.choices_so_far) + open_question.place if open_question else None
        seat = live_game.seat_of_place[connection.place]
        fault = Fault(seat, kind, text, place, evidence)
        live_game.faults.append(fault)
        if self.config.policy is FaultPolicy.STRICT:
            raise GameStopped(fault, live_game.record(stopped=True), live_game.stderr_texts())
        if fatal or self.config.policy is FaultPolicy.FORFEIT:
            live_game.forfeited.add(seat)
        if fatal:
            connection.leave_game(live_game.number)
        elif connection.process:
            number = open_question.question.id if open_question else None
            connection.outbox.append(FaultMessage(live_game.number, number, kind, text))
        if open_question:
            connection.close_question(open_question.question.id)
            live_game.answer(open_question.place, open_question.question.options[0])

    def retire(self, connection: Connection) -> None:
        """Retire a bot with too many faults: from now on the referee plays for it."""
        self.poller.disconnect(connection)
        connection.retire()
        for live_game in list(connection.live_games.values()):
            self.forfeit_game(connection, live_game)

    def forfeit_game(self, connection: Connection, live_game: LiveGame) -> None:
        """Record the loss of a game by a retired bot."""
        text = f"it was retired after {connection.fault_count} faults"
        self.record_fault(connection, live_game, connection.last_fault, text, Evidence())
