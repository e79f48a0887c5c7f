"""The bot under test."""

from dataclasses import dataclass
from typing import Any

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.games.base import Game
from arena.games.catalog import Variant
from arena.match.terms import AT_ONCE
from arena.protocol.messages import Clock, Limits, Ready


@dataclass
class Candidate:
    """The bot under test, and what was found out about it."""

    bot: Bot
    launcher: Launcher
    limits: Limits
    variants: list[Variant[Any]]
    """Those that it is to be tried with."""
    ready: Ready | None = None

    def clock(self) -> Clock:
        """The time it has for a decision."""
        return Clock(self.limits.move, self.limits.bank)

    def some_game(self) -> Game[Any]:
        """A game that it plays, at the smallest table."""
        variant = self.variants[0]
        return variant.game(variant.seats[0])

    def tables(self) -> list[tuple[Variant[Any], int]]:
        """Every variant it plays with every number of players."""
        return [(variant, seats) for variant in self.variants for seats in variant.seats]

    def at_once(self) -> int:
        """How many games it says it can hold, as far as it will be asked to."""
        offered = self.ready.games if self.ready else 1
        return min(offered, self.bot.games or offered, AT_ONCE)
