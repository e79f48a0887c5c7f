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
from arena.match.court import Court
from arena.match.hearing import Hearing
from arena.match.patience import TICK
from arena.match.patrol import Patrol
from arena.match.player import House, Player, Tap
from arena.match.record import Record, Seated
from arena.match.switchboard import Switchboard
from arena.match.table import Deal, Seating, Table
from arena.match.terms import Terms
from arena.protocol.messages import Result

HOUSE = Seated("house", "")
"""Who sits where the referee itself plays."""


class Played(Struct, frozen=True):
    """A finished game, and what its bots wrote to stderr."""

    number: int
    """Which of the deals that were to be played, from 1."""
    record: Record
    stderr: tuple[str, ...]
    deciders: tuple[int, ...]
    """The seat that made each choice."""


Watch = Callable[[Table, Step], None]
"""Sees every step of every game as it is made."""


class Referee:
    """Plays games of one variant with the same bots."""

    def __init__(  # noqa: PLR0913 (two of them are for who watches)
        self,
        game: Game[Any],
        bots: Sequence[Bot | House],
        launcher: Launcher,
        terms: Terms | None = None,
        *,
        watch: Watch | None = None,
        tap: Tap | None = None,
    ) -> None:
        if len(bots) != game.seats:
            raise ValueError(f"{len(bots)} bots for {game.seats} seats")
        self.game = game
        self.terms = terms or Terms()
        self.watch = watch
        self.players: list[Player | House] = [
            Player(place, bot, launcher, self.terms, tap) if isinstance(bot, Bot) else bot
            for place, bot in enumerate(bots)
        ]
        self.bots = [player for player in self.players if isinstance(player, Player)]
        self.seated = [
            player.seated if isinstance(player, Player) else HOUSE for player in self.players
        ]
        self.tables: dict[int, Table] = {}
        self.sitting: dict[int, list[Player | House]] = {}
        """Who sits in each seat of each game."""
        self.begun = 0
        self.moving: list[Table] = []
        """Games in which no choice is missing."""
        self.done: list[Played] = []
        self.switchboard = Switchboard(launcher)
        self.court = Court(self.switchboard, self.terms, self.moving)
        self.hearing = Hearing(self.court, game.variant)
        self.patrol = Patrol(self.court, self.bots)
        self.next_patrol = 0
        self.waiting: Iterator[tuple[Deal, Seating]] | None = None
        """Deals that are not begun yet, and how they are to be seated."""
        self.free = True
        """Whether there may be room for another game."""

    def play(
        self, deals: Iterable[Deal], seatings: Iterable[Seating] | None = None
    ) -> Generator[Played, None, None]:
        """Play these deals, once; games come as they end, which need not be in order.

        Each deal may have a seating of its own; else all sit as they were named.
        """
        if self.begun:
            raise RuntimeError("a referee plays once; then it needs fresh bots")
        self.waiting = iter(zip(deals, seatings or repeat(range(self.game.seats)), strict=False))
        grace = 0.0
        try:
            for player in self.bots:
                self.switchboard.connect(player)
            while self.waiting or self.tables:
                if self.waiting and self.free:
                    self.fill(self.waiting)
                if not self.done and (self.tables or self.waiting):
                    self.turn()
                yield from self.done
                self.done.clear()
            self.switchboard.send(self.bots)
            grace = self.terms.grace
        finally:
            self.switchboard.close(grace)

    def fill(self, waiting: Iterator[tuple[Deal, Seating]]) -> None:
        """Begin games, as many at once as each bot can hold, unless one is just starting."""
        if any(player.process and not player.ready for player in self.bots):
            return
        held = [player.capacity for player in self.bots if not player.retired]
        room = min(held, default=self.terms.games)
        self.free = False
        while len(self.tables) + len(self.done) < room:
            following = next(waiting, None)
            if following is None:
                self.waiting = None
                return
            self.begin(*following)

    def turn(self) -> None:
        """Send what is ready, wait for what comes, and go on with the games it settles."""
        self.move_on()
        self.switchboard.send(self.bots)
        now = 0
        for player in self.switchboard.wait():
            now = now or time.monotonic_ns()
            self.hearing.hear(player, now)
        now = now or time.monotonic_ns()
        if now >= self.next_patrol:
            self.next_patrol = now + TICK
            self.patrol.walk(now)
        self.move_on()

    def begin(self, deal: Deal, seating: Seating) -> None:
        """Set up a game; bots that are not running are started for it."""
        self.begun += 1
        table = Table(
            self.begun, self.game, deal, self.terms.bank, seating=seating, bots=self.seated
        )
        self.sitting[table.number] = [self.players[place] for place in seating]
        self.tables[table.number] = table
        for player in self.bots:
            if player.lapse and player.tables:
                self.court.fault(player, *player.lapse, table=player.current())
            player.hold(table)
            if unplaced := player.unplaced:
                player.unplaced = None
                fatal = player.retired or player.failed_starts > 0
                self.court.blame(player, table, *unplaced, fatal=fatal)
            elif player.retired:
                self.court.lose(player, table)
            if player.process is None and table.number in player.tables and not player.retired:
                self.court.restart(player)
        if self.watch:
            self.watch(table, Step(self.game, None, (), table.state))
        self.ask(table)

    def move_on(self) -> None:
        """Go on with the games in which no choice is missing."""
        while self.moving:
            table = self.moving.pop()
            self.apply(table)
            self.ask(table)

    def apply(self, table: Table) -> None:
        """Make the choices that are all there."""
        choices = table.choices
        before = table.move_on()
        if self.watch:
            self.watch(table, Step(self.game, before, tuple(choices), table.state))

    def ask(self, table: Table) -> None:
        """Put the open decisions to their seats; the referee answers for those it plays."""
        game, players = self.game, self.sitting[table.number]
        while decisions := table.decisions:
            table.missing = 0
            for place, decision in enumerate(decisions):
                seat = decision.seat
                player = players[seat]
                if not isinstance(player, Player):
                    view = game.view(table.state, seat)
                    table.choices[place] = player(decision, view)
                    continue
                if player.lapse and seat not in table.out:
                    self.court.fault(player, *player.lapse, table=table)
                if seat in table.out:
                    table.choices[place] = decision.options[0]
                else:
                    player.ask(table, place, decision, game.view(table.state, seat))
                    table.missing += 1
            if table.missing:
                return
            self.apply(table)
        self.finish(table)

    def finish(self, table: Table) -> None:
        """A game is over: tell its bots, and keep the record."""
        del self.tables[table.number], self.sitting[table.number]
        self.free = True
        record = table.record()
        result = Result(table.number, record.scores, record.ranks)
        for player in self.bots:
            if player.tables.pop(table.number, None) and player.process:
                player.out.append(result)
        stderr = tuple(said.text() for said in table.said)
        self.done.append(Played(table.number, record, stderr, tuple(table.deciders)))
