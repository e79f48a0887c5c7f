"""Planned blocks and chunks, and the factory that makes the blocks of a table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.bots.bot import Bot
from arena.ratings.cell import Cell
from arena.referee.live_game import Seating
from arena.tournaments.deals import BlockKeys, Dealer
from arena.tournaments.seatings import Design, design


@dataclass(frozen=True)
class PlannedBlock:
    """One deal that a table plays in every seating of its design."""

    key: bytes
    """A hash of all that identifies it: the same wherever and whenever it is planned."""
    number: int
    """Its index among the blocks of its table and cell."""
    seed: int
    """The seed of the deal."""
    seatings: tuple[Seating, ...]
    """One for each game: for each seat, the place at the table of the bot that sits there."""


@dataclass(frozen=True)
class Chunk:
    """Blocks of one table and one cell that a worker plays together."""

    cell: Cell
    table: tuple[int, ...]
    """Its bots, as numbers among those of the tournament; the index of a bot is its place."""
    blocks: tuple[PlannedBlock, ...]


class BlockFactory:
    """Makes the blocks of a table in a cell."""

    def __init__(
        self,
        secret: str,
        cell: Cell,
        table: Sequence[Bot],
        key_settings: Sequence[object],
        seating: Design,
    ) -> None:
        self.dealer = Dealer(secret, cell, table)
        self.block_keys = BlockKeys(cell, table, key_settings)
        self.design_blocks = design(seating, cell.seats)
        self.super_block = -1
        self.places: list[int] = []

    def blocks(self, numbers: Iterable[int]) -> tuple[PlannedBlock, ...]:
        """The blocks of these numbers."""
        return tuple(map(self.block, numbers))

    def block(self, number: int) -> PlannedBlock:
        """The block of this number."""
        super_block, index = divmod(number, len(self.design_blocks))
        if super_block != self.super_block:
            self.super_block, self.places = super_block, self.dealer.places(super_block)
        places = self.places
        seatings = tuple(tuple([places[slot] for slot in row]) for row in self.design_blocks[index])
        seed = self.dealer.seed(number)
        return PlannedBlock(self.block_keys.key(seed, seatings), number, seed, seatings)
