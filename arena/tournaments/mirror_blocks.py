"""Mirror blocks: two bots fill all seats between them, and each plays the other's cards too."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations

from arena.bots.bot import Bot
from arena.games.shuffle import SeededShuffle
from arena.ratings.cell import Cell
from arena.tournaments.deals import BlockKeys, Dealer
from arena.tournaments.plan.blocks import Chunk, PlannedBlock
from arena.tournaments.seatings import Seating

MirrorPattern = tuple[int, ...]
"""For each seat which of the two bots sits there: 0 for A, 1 for B."""

FANO_LINES = tuple(frozenset((step + turn) % 7 for step in (0, 1, 3)) for turn in range(7))
"""The lines of the plane with seven points: every two points are on one line."""


@cache
def mirror_patterns(seats: int) -> tuple[MirrorPattern, ...]:
    """The patterns of a mirror block, each followed by its opposite, so that both sit everywhere.

    Up to 6 seats they are all patterns with half of the seats for each, or one more for either if
    the number is odd. With 7 and 8 seats that would be 70; 14 are enough, in which every two seats
    belong to the same bot as often as in all 70.
    """
    if seats < 7:
        chosen = [
            frozenset(own)
            for own in combinations(range(seats), seats // 2)
            if seats % 2 or 0 in own
        ]
    else:
        chosen = [line | {7} if seats == 8 else line for line in FANO_LINES]
    return tuple(
        tuple(int((seat in own) == side) for seat in range(seats))
        for own in chosen
        for side in (True, False)
    )


def games_per_block(seats: int) -> int:
    """The number of games in a mirror block."""
    return len(mirror_patterns(seats))


def patterns_of_deal(seats: int, seed: int) -> list[MirrorPattern]:
    """The patterns for one deal: from 7 seats, the deal's seed decides which seats go together."""
    if seats < 7:
        return list(mirror_patterns(seats))
    order = SeededShuffle(seed)(0, range(seats))
    return [
        tuple(pattern[order[seat]] for seat in range(seats)) for pattern in mirror_patterns(seats)
    ]


def seating_of_pattern(pattern: MirrorPattern) -> Seating:
    """For each seat the place at the table: the places of A come first, in the order of seats."""
    places = sorted(range(len(pattern)), key=lambda seat: pattern[seat])
    return tuple(places.index(seat) for seat in range(len(pattern)))


def mirror_chunks(
    secret: str, cell: Cell, pair: tuple[Bot, Bot], key_settings: Sequence[object], numbers: range
) -> tuple[Chunk, ...]:
    """The mirror blocks of these numbers; with an odd number of seats two chunks of the same deals.

    The first one is played by a table with more of B, the second by one with more of A.
    """
    dealer = Dealer(secret, cell, pair)
    seats = cell.seats
    chunks = []
    for seats_of_a in sorted({seats // 2, seats - seats // 2}):
        table = (0,) * seats_of_a + (1,) * (seats - seats_of_a)
        block_keys = BlockKeys(cell, [pair[side] for side in table], key_settings)
        blocks = []
        for number in numbers:
            seed = dealer.seed(number)
            seatings = tuple(
                seating_of_pattern(pattern)
                for pattern in patterns_of_deal(seats, seed)
                if pattern.count(0) == seats_of_a
            )
            blocks.append(PlannedBlock(block_keys.key(seed, seatings), number, seed, seatings))
        chunks.append(Chunk(cell, table, tuple(blocks)))
    return tuple(chunks)
