"""A chunk: the same deals in several seatings, each time by fresh processes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.games.base import Game
from arena.match.referee import Played, Referee
from arena.match.table import Deal, Seating
from arena.match.terms import Terms


@dataclass(frozen=True)
class Chunk:
    """One table, one variant, some deals, and how each deal is seated, turn by turn."""

    game: Game[Any]
    bots: Sequence[Bot]
    deals: Sequence[Deal]
    turns: Sequence[Sequence[Seating]]
    """In each turn every deal is played once: a seating for each of them."""


def play_chunk(chunk: Chunk, launcher: Launcher, terms: Terms) -> Iterator[tuple[int, int, Played]]:
    """Play every deal once in every turn: the turn, which deal, and the game.

    Every turn has its own processes, so that none meets the same deal twice; where its bots sit
    may differ from deal to deal.
    """
    for turn, seatings in enumerate(chunk.turns):
        referee = Referee(chunk.game, chunk.bots, launcher, terms)
        deals = [replace(deal, turn=turn) for deal in chunk.deals]
        for played in referee.play(deals, seatings):
            yield turn, played.number - 1, played
