"""Count how often the machine has killed each bot, and when its excuses are used up."""

from collections import Counter
from collections.abc import Iterable

from arena.store.excuses import Excuse
from arena.tournaments.plan.blocks import Chunk

MAX_CHUNK_EXCUSES = 3
"""How often a bot is excused in one chunk."""

MAX_EXCUSES = 30
"""How often a bot is excused in a run, in a night of a ladder, or in a comparison."""


class ExcuseCounter:
    """Counts the excuses of each bot."""

    def __init__(self, earlier: Iterable[Excuse] = ()) -> None:
        self.by_bot: Counter[str] = Counter()
        self.by_chunk: Counter[tuple[str, bytes]] = Counter()
        """By bot and by the key of the chunk's first block."""
        for excuse in earlier:
            self.count(excuse.bot, excuse.chunk)

    def add(self, bot: str, chunk: Chunk) -> None:
        """Count one more excuse."""
        self.count(bot, chunk.blocks[0].key)

    def count(self, bot: str, first_key: bytes) -> None:
        """Count an excuse in the chunk that begins with the block of this key."""
        self.by_bot[bot] += 1
        self.by_chunk[bot, first_key] += 1

    def bots_without_excuses(self, bots: Iterable[str], chunk: Chunk) -> frozenset[str]:
        """Return those of some bots whose excuses for this chunk are used up."""
        # A session may split chunks otherwise than an earlier one that stopped in the middle.
        return frozenset(
            bot
            for bot in bots
            if self.by_bot[bot] >= MAX_EXCUSES
            or sum(self.by_chunk[bot, block.key] for block in chunk.blocks) >= MAX_CHUNK_EXCUSES
        )
