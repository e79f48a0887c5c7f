"""A drawing: the blocks of one table in one cell, with their deals, seatings and keys."""

from collections.abc import Iterable, Sequence

from arena.bots.bot import Bot
from arena.ratings.cell import Cell
from arena.tournaments.block import Block
from arena.tournaments.deals import Dealer, Keyring
from arena.tournaments.designs import Design, design


class Drawing:
    """All blocks that a table could play in a cell, each made when it is asked for."""

    def __init__(
        self,
        secret: str,
        cell: Cell,
        table: Sequence[Bot],
        agreed: Sequence[object],
        seating: Design,
    ) -> None:
        self.dealer = Dealer(secret, cell, table)
        self.keyring = Keyring(cell, table, agreed)
        self.plain = design(seating, cell.seats)
        self.around = -1
        self.places: list[int] = []

    def blocks(self, numbers: Iterable[int]) -> tuple[Block, ...]:
        """The blocks of these numbers."""
        return tuple(map(self.block, numbers))

    def block(self, number: int) -> Block:
        """The block of this number."""
        around, which = divmod(number, len(self.plain))
        if around != self.around:
            self.around, self.places = around, self.dealer.places(around)
        places = self.places
        seatings = tuple(tuple([places[slot] for slot in row]) for row in self.plain[which])
        seed = self.dealer.seed(number)
        return Block(self.keyring.key(seed, seatings), number, seed, seatings)
