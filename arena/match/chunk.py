"""A chunk: the same deals in several seatings, each played by fresh processes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.games.base import Game
from arena.match.referee import Played, Referee
from arena.match.table import Deal
from arena.match.terms import Terms

Seating = Sequence[int]
"""For each seat, which bot of the table sits there."""


@dataclass(frozen=True)
class Chunk:
    """One table, one variant, some deals, and the seatings they are all played in."""

    game: Game[Any]
    bots: Sequence[Bot]
    seatings: Sequence[Seating]
    deals: Sequence[Deal]


def play_chunk(chunk: Chunk, launcher: Launcher, terms: Terms) -> Iterator[tuple[Seating, Played]]:
    """Play every deal in every seating; no process meets the same deal twice."""
    for seating in chunk.seatings:
        bots = [chunk.bots[place] for place in seating]
        for played in Referee(chunk.game, bots, launcher, terms).play(chunk.deals):
            yield seating, played
