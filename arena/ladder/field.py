"""The field: those who play in a night, and what is known about them when it begins."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.bots.bot import Bot
from arena.errors import ArenaError
from arena.ladder.facts import LONGEST_TEXT, Version, cut
from arena.ladder.folder import Ladder
from arena.ladder.matchmaking import Contender
from arena.ratings.cell import Cell
from arena.ratings.overall import Rated, spread
from arena.ratings.propagation import MU, SIGMA
from arena.store.run import Run

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Player:
    """A version that plays in a night."""

    version: Version
    bot: Bot
    path: str


def players(
    ladder: Ladder, versions: Iterable[Version]
) -> tuple[list[Player], list[tuple[str, str]]]:
    """The versions that can be run here, and those that cannot, with why."""
    found, left_out = [], []
    for version in versions:
        try:
            place = ladder.place(version.digest)
            found.append(Player(version, ladder.bot(version), str(place)))
        except ArenaError as error:
            text = cut(str(error).partition("\n")[0], LONGEST_TEXT)
            LOG.warning("%s cannot be played tonight: %s", version.bot, text)
            left_out.append((version.bot, text))
    return found, left_out


def contributions(cells: Sequence[Cell], rated: Sequence[Rated]) -> list[float]:
    """What each cell contributes to the overall strength, as in the overall rating."""
    spreads = {one.cell: spread(one.rating) for one in rated}
    found = [1 / spreads.get(cell, SIGMA) for cell in cells]
    return [one / sum(found) for one in found]


def contenders(
    run: Run, rated: Sequence[Rated], ladder: Ladder, who: Sequence[Player]
) -> list[Contender]:
    """What the matchmaker is told about those who play, as it stood before the night."""
    numbers = {name: number for number, name in enumerate(run.roster().bots)}
    by_cell = {one.cell: one.rating for one in rated}
    found = []
    for player in who:
        number = numbers[player.version.bot]
        known = [by_cell.get(cell) for cell in ladder.settings.cells]
        played = [one if one is not None and one.played[number] else None for one in known]
        found.append(
            Contender(
                name=player.version.bot,
                owner=player.version.owner,
                mu=tuple(float(one.mu[number]) if one else MU for one in played),
                sigma=tuple(float(one.sigma[number]) if one else SIGMA for one in played),
                blocks=tuple(int(one.blocks[number]) if one else 0 for one in played),
            )
        )
    return found
