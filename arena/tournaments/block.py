"""What a plan consists of: blocks, and chunks of them."""

from dataclasses import dataclass

from arena.match.table import Seating
from arena.ratings.cell import Cell


@dataclass(frozen=True)
class Block:
    """One deal to be played by one table in every seating of its design."""

    key: bytes
    """A hash of all that makes it what it is: the same wherever and whenever it is planned."""
    number: int
    """Which of the blocks of its table and cell it is."""
    seed: int
    """The deal's."""
    seatings: tuple[Seating, ...]
    """One for each game: for each seat, the place at the table of the bot that sits there."""


@dataclass(frozen=True)
class Chunk:
    """Blocks of one table and one cell that a worker plays together."""

    cell: Cell
    table: tuple[int, ...]
    """Who sits there, as numbers among the tournament's bots; a bot's place is its index here."""
    blocks: tuple[Block, ...]
