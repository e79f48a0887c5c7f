"""Mirror tables: two bots fill all seats between them, and then change places."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import numpy as np

from arena.bots.bot import Bot
from arena.games.seeded import Seeded
from arena.ratings.cell import Cell
from arena.ratings.sequential import Sample
from arena.store import block as store
from arena.tournaments.block import Block, Chunk
from arena.tournaments.deals import Dealer, Keyring
from arena.tournaments.designs import Seating

Pattern = tuple[int, ...]
"""For each seat which of the two sits there: 0 for A, 1 for B."""

LINES = tuple(frozenset((step + turn) % 7 for step in (0, 1, 3)) for turn in range(7))
"""The lines of the plane with seven points: every two points are on one line."""


@cache
def patterns(seats: int) -> tuple[Pattern, ...]:
    """In which each two that follow each other are opposites, so that both bots sit everywhere.

    Up to 6 seats there are all patterns with half of the seats for each, or one more for either if
    their number is odd. With 7 and 8 seats that would be 70; 14 do, in which every two seats are
    with the same bot as often as in all 70.
    """
    if seats < 7:
        chosen = [
            frozenset(own)
            for own in combinations(range(seats), seats // 2)
            if seats % 2 or 0 in own
        ]
    else:
        chosen = [line | {7} if seats == 8 else line for line in LINES]
    return tuple(
        tuple(int((seat in own) == side) for seat in range(seats))
        for own in chosen
        for side in (True, False)
    )


def games(seats: int) -> int:
    """How many there are in a mirror block."""
    return len(patterns(seats))


def turned(seats: int, seed: int) -> list[Pattern]:
    """The patterns for one deal: which seats go together is drawn where it makes a difference."""
    if seats < 7:
        return list(patterns(seats))
    order = Seeded(seed)(0, range(seats))
    return [tuple(pattern[order[seat]] for seat in range(seats)) for pattern in patterns(seats)]


def seated(pattern: Pattern) -> Seating:
    """For each seat a place: those of A come first, in the order of the seats."""
    places = sorted(range(len(pattern)), key=lambda seat: pattern[seat])
    return tuple(places.index(seat) for seat in range(len(pattern)))


def chunks(
    secret: str, cell: Cell, pair: tuple[Bot, Bot], agreed: Sequence[object], numbers: range
) -> tuple[Chunk, ...]:
    """The mirror blocks of these numbers; if the number of seats is odd, in two halves.

    The first half is what tables with more of B play, the second what those with more of A play,
    of the same deals.
    """
    dealer = Dealer(secret, cell, pair)
    seats = cell.seats
    found = []
    for few in sorted({seats // 2, seats - seats // 2}):
        table = (0,) * few + (1,) * (seats - few)
        keyring = Keyring(cell, [pair[side] for side in table], agreed)
        blocks = []
        for number in numbers:
            seed = dealer.seed(number)
            seatings = tuple(
                seated(pattern) for pattern in turned(seats, seed) if pattern.count(0) == few
            )
            blocks.append(Block(keyring.key(seed, seatings), number, seed, seatings))
        found.append(Chunk(cell, table, tuple(blocks)))
    return tuple(found)


@dataclass
class Mirrored:
    """What two bots, known by their names, have played at mirror tables of a cell."""

    cell: Cell
    names: tuple[str, str]
    halves: dict[int, list[float]] = field(default_factory=dict)
    """The difference in each table that played the block of a number."""
    games: int = 0
    squares: float = 0.0
    """The sum of squares of all points, each less the mean of its table."""
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    faults: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, blocks: Iterable[store.Block]) -> None:
        """Take blocks that were played."""
        for block in blocks:
            sides = np.array([self.names.index(name) for name in block.bots])
            whole = 0.0
            for result in block.results:
                side = sides[list(result.seating)]
                points = np.array(result.points, np.float64)
                means = [float(points[side == one].mean()) for one in (0, 1)]
                whole += means[1] - means[0]
                self.squares += float(((points - points.mean()) ** 2).sum())
                for one in (0, 1):
                    self.points[one] += means[one]
                    self.faults[one] += int(np.array(result.faults)[side == one].sum())
            self.games += len(block.results)
            self.halves.setdefault(block.number, []).append(whole / len(block.results))

    @property
    def sample(self) -> Sample:
        """All whole blocks, for the sequential test."""
        tables = 1 + self.cell.seats % 2
        whole = [halves for _, halves in sorted(self.halves.items()) if len(halves) == tables]
        unit = math.sqrt(self.squares / max(1, self.games * self.cell.seats))
        return Sample(
            self.cell,
            np.array([sum(halves) / tables for halves in whole], np.float64),
            unit or 1.0,  # if nobody ever had a point more than another, any unit will do
            games(self.cell.seats),
        )
