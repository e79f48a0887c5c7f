"""The referee: plays games with running bots, many of them at once."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.games.base import Game
from arena.games.replay import Step
from arena.protocol.messages import Result
from arena.referee.answers import AnswerReader
from arena.referee.config import RefereeConfig
from arena.referee.connection import (
    Connection,
    ConnectionState,
    HousePlayer,
    TrafficCallback,
)
from arena.referee.fair_clock import CHECK_INTERVAL_NS
from arena.referee.fault_handler import FaultHandler
from arena.referee.live_game import Deal, LiveGame, Seating
from arena.referee.poller import Poller
from arena.referee.record import Record, SeatedBot
from arena.referee.watchdog import Watchdog

HOUSE_BOT = SeatedBot("house", "")
"""The bot in seats that no process plays."""


class FinishedGame(Struct, frozen=True):
    """A finished game, and what its bots wrote to stderr."""

    number: int
    """Which of the deals it is, from 1."""
    record: Record
    stderr: tuple[str, ...]
    deciders: tuple[int, ...]
    """The seat that made each choice."""


StepCallback = Callable[[LiveGame, Step], None]
"""Receives every step of every game as it is made."""


class Referee:
    """Plays games of one variant with the same bots."""

    def __init__(  # noqa: PLR0913 (two of them are callbacks)
        self,
        game: Game[Any],
        bots: Sequence[Bot | HousePlayer],
        launcher: Launcher,
        config: RefereeConfig | None = None,
        *,
        on_step: StepCallback | None = None,
        on_traffic: TrafficCallback | None = None,
    ) -> None:
        if len(bots) != game.seats:
            raise ValueError(f"{len(bots)} bots for {game.seats} seats")
        self.game = game
        self.config = config or RefereeConfig()
        self.on_step = on_step
        self.players: list[Connection | HousePlayer] = [
            Connection(place, bot, launcher, self.config, on_traffic)
            if isinstance(bot, Bot)
            else bot
            for place, bot in enumerate(bots)
        ]
        self.connections = [player for player in self.players if isinstance(player, Connection)]
        self.seated_bots = [
            player.seated_bot if isinstance(player, Connection) else HOUSE_BOT
            for player in self.players
        ]
        self.live_games: dict[int, LiveGame] = {}
        self.players_by_seat: dict[int, list[Connection | HousePlayer]] = {}
        """The player in each seat of each game."""
        self.games_begun = 0
        self.complete_games: list[LiveGame] = []
        """Games in which no choice is missing."""
        self.finished_games: list[FinishedGame] = []
        self.poller = Poller(launcher)
        self.fault_handler = FaultHandler(self.poller, self.config)
        self.answer_reader = AnswerReader(self.fault_handler, game.variant)
        self.watchdog = Watchdog(launcher, self.fault_handler, self.connections)
        self.next_check = 0
        self.pending_deals: Iterator[tuple[Deal, Seating]] | None = None
        """The deals that are not begun yet, each with its seating."""
        self.has_room = True
        """Whether there may be room for another game."""

    def play(
        self, deals: Iterable[Deal], seatings: Iterable[Seating] | None = None
    ) -> Generator[FinishedGame, None, None]:
        """Play these deals, once; games come as they end, which need not be in order.

        Each deal may have a seating of its own; by default all sit in the order of `bots`.
        """
        if self.games_begun:
            raise RuntimeError("a referee plays once; then it needs fresh bots")
        self.pending_deals = iter(
            zip(deals, seatings or repeat(range(self.game.seats)), strict=False)
        )
        grace = 0.0
        try:
            for connection in self.connections:
                self.poller.connect(connection)
            while self.pending_deals or self.live_games:
                if self.pending_deals and self.has_room:
                    self.begin_games(self.pending_deals)
                if not self.finished_games and (self.live_games or self.pending_deals):
                    self.run_once()
                yield from self.finished_games
                self.finished_games.clear()
            self.poller.send(self.connections)
            grace = self.config.grace
        finally:
            self.poller.close(grace)

    def begin_games(self, pending_deals: Iterator[tuple[Deal, Seating]]) -> None:
        """Begin as many games as each bot can hold, unless a bot is just starting."""
        states = [connection.state for connection in self.connections]
        if ConnectionState.STARTING in states:
            return
        room = min(
            (
                connection.capacity
                for connection in self.connections
                if connection.state is not ConnectionState.RETIRED
            ),
            default=self.config.games_at_once,
        )
        self.has_room = False
        while len(self.live_games) + len(self.finished_games) < room:
            following = next(pending_deals, None)
            if following is None:
                self.pending_deals = None
                return
            self.begin_game(*following)

    def run_once(self) -> None:
        """Send what is ready, wait for output, and advance the games that it completes."""
        if self.complete_games:
            self.advance_games()
        self.poller.send(self.connections)
        now = 0
        for connection in self.poller.wait():
            now = now or time.monotonic_ns()
            self.answer_reader.read_output(connection, now)
        now = now or time.monotonic_ns()
        if now >= self.next_check:
            self.next_check = now + CHECK_INTERVAL_NS
            self.watchdog.check_all(now)
        self.advance_games()

    def begin_game(self, deal: Deal, seating: Seating) -> None:
        """Set up a game; bots that are not running are started for it."""
        self.games_begun += 1
        live_game = LiveGame(
            self.games_begun,
            self.game,
            deal,
            self.config.bank_ns,
            seating=seating,
            bots=self.seated_bots,
            complete_games=self.complete_games,
        )
        self.players_by_seat[live_game.number] = [self.players[place] for place in seating]
        self.live_games[live_game.number] = live_game
        for connection in self.connections:
            self.fault_handler.enter_game(connection, live_game)
        if self.on_step:
            self.on_step(live_game, Step(self.game, None, (), live_game.state))
        self.ask_players(live_game)

    def advance_games(self) -> None:
        """Advance the games in which no choice is missing."""
        while self.complete_games:
            live_game = self.complete_games.pop()
            self.apply_choices(live_game)
            self.ask_players(live_game)

    def apply_choices(self, live_game: LiveGame) -> None:
        """Apply the choices of a game, none of which is missing."""
        choices = live_game.choices
        before = live_game.advance()
        if self.on_step:
            self.on_step(live_game, Step(self.game, before, tuple(choices), live_game.state))

    def ask_players(self, live_game: LiveGame) -> None:
        """Put the open decisions to their seats; the referee answers for those it plays."""
        game, players = self.game, self.players_by_seat[live_game.number]
        while decisions := live_game.decisions:
            live_game.missing_choices = 0
            for place, decision in enumerate(decisions):
                seat = decision.seat
                player = players[seat]
                if not isinstance(player, Connection):
                    view = game.view(live_game.state, seat)
                    live_game.choices[place] = player(decision, view)
                    continue
                if player.idle_exit and seat not in live_game.forfeited:
                    self.fault_handler.charge_idle_exit(player, live_game)
                if seat in live_game.forfeited:
                    live_game.choices[place] = decision.options[0]
                else:
                    player.ask(live_game, place, decision, game.view(live_game.state, seat))
                    live_game.missing_choices += 1
            if live_game.missing_choices:
                return
            self.apply_choices(live_game)
        self.finish_game(live_game)

    def finish_game(self, live_game: LiveGame) -> None:
        """Finish a game: send its result to its bots, and keep the record."""
        number = live_game.number
        del self.live_games[number], self.players_by_seat[number]
        self.has_room = True
        record = live_game.record()
        result = Result(number, record.scores, record.ranks)
        for connection in self.connections:
            connection.leave_game(number, result)
        self.finished_games.append(
            FinishedGame(number, record, live_game.stderr_texts(), tuple(live_game.deciders))
        )
