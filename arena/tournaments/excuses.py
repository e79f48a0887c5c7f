"""Excuses: how often the machine has killed each bot, and when its excuses are used up."""

from collections import Counter
from collections.abc import Iterable

from arena.store.excuses import Excuse
from arena.tournaments.block import Chunk

EXCUSED = 3
"""How often a bot is excused in one chunk."""

EXCUSED_IN_ALL = 30
"""How often a bot is excused in a run, in a night of a ladder, or in a comparison."""


class Excuses:
    """Counts the excuses of each bot."""

    def __init__(self, known: Iterable[Excuse] = ()) -> None:
        self.in_all: Counter[str] = Counter()
        self.in_chunk: Counter[tuple[str, bytes]] = Counter()
        """By bot and by the key of the chunk's first block."""
        for one in known:
            self.count(one.bot, one.chunk)

    def add(self, bot: str, chunk: Chunk) -> None:
        """Count one more excuse."""
        self.count(bot, chunk.blocks[0].key)

    def count(self, bot: str, first: bytes) -> None:
        """Count an excuse in the chunk that begins with the block of this key."""
        self.in_all[bot] += 1
        self.in_chunk[bot, first] += 1

    def used_up(self, bots: Iterable[str], chunk: Chunk) -> frozenset[str]:
        """Return those of some bots whose excuses for this chunk are used up."""
        # A session may cut chunks otherwise than an earlier one, which stopped in the middle.
        return frozenset(
            bot
            for bot in bots
            if self.in_all[bot] >= EXCUSED_IN_ALL
            or sum(self.in_chunk[bot, block.key] for block in chunk.blocks) >= EXCUSED
        )
