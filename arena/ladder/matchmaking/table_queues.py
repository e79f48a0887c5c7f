"""Which bot a table is chosen for: by information gain or waiting time; bots by strength."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from math import sqrt

from arena.ladder.matchmaking.estimate import StrengthEstimates, normal_loss


class StrengthOrder:
    """Bots by their strength, the best first."""

    def __init__(self, strengths: Iterable[float]) -> None:
        self.keys = [-strength for strength in strengths]
        self.entries = sorted((key, bot) for bot, key in enumerate(self.keys))

    def __len__(self) -> int:
        return len(self.entries)

    def position(self, bot: int) -> int:
        """The place of a bot, from 0."""
        return bisect_left(self.entries, (self.keys[bot], bot))

    def move(self, bot: int, strength: float) -> None:
        """Move a bot to the place of its new strength; only bots in between change places."""
        entries, old, entry = self.entries, self.position(bot), (-strength, bot)
        new = bisect_left(entries, entry)
        if new > old:
            new -= 1
            entries[old:new] = entries[old + 1 : new + 1]
        else:
            entries[new + 1 : old + 1] = entries[new:old]
        entries[new] = entry
        self.keys[bot] = -strength

    def remove(self, bot: int) -> None:
        """Remove a bot from the order."""
        del self.entries[self.position(bot)]

    def nearby_range(self, at: int, reach: float, least: int) -> tuple[int, int]:
        """The range of places within `reach` of the bot at a place, at least so many each way."""
        entries = self.entries
        key, low, high = entries[at][0], max(0, at - least), min(len(entries), at + least + 1)
        if low and key - entries[low][0] < reach:
            low = bisect_left(entries, (key - reach,), 0, low)
        if high < len(entries) and entries[high - 1][0] - key < reach:
            high = bisect_left(entries, (key + reach,), high)
        return low, high


NEWCOMER_BLOCKS = 3
"""With fewer blocks a bot is a newcomer, and comes before all others."""
TOP_RANKS, TOP_WEIGHT = 3, 2.0
"""The number of top ranks, and how much more they matter."""
ROPE = 0.5
"""Differences of mu that do not matter."""
CONFIDENCE_Z = 1.96
"""Standard deviations beyond which a difference is not expected."""
HEAP_ENTRIES_PER_BOT = 16
"""Heap entries for each bot above which outdated ones are removed."""

QueueEntry = tuple[bool, float, int, int, int]
"""Sort key of a bot: newcomers first, information gain, last turn; the bot and its stamp."""


class TableQueues:
    """The queues that choose for which bot a table is: by information gain, and by waiting time."""

    def __init__(
        self,
        estimates: StrengthEstimates,
        order: StrengthOrder,
        blocks: Sequence[int],
        waiting: Sequence[int],
        precision_gain: float,
    ) -> None:
        self.estimates, self.order, self.precision_gain = estimates, order, precision_gain
        self.blocks = list(blocks)
        """The blocks of each bot, including planned ones."""
        bots = len(blocks)
        self.present = [True] * bots
        self.waiting_queue = deque((turn - bots, bot) for turn, bot in enumerate(waiting))
        """Turns and the bots that were seated in them, the earliest first."""
        self.last_turn = [
            turn for _, turn in sorted((bot, turn) for turn, bot in self.waiting_queue)
        ]
        self.stakes = [self.compute_stake(bot) for bot in range(bots)]
        self.stamps = [0] * bots
        self.heap = [self.queue_entry(bot) for bot in range(bots)]
        heapify(self.heap)

    def is_newcomer(self, bot: int) -> bool:
        """Whether a bot has played too few blocks to be rated well."""
        return self.blocks[bot] < NEWCOMER_BLOCKS

    def longest_waiting(self) -> int:
        """Return the bot that has waited longest."""
        while True:
            turn, bot = self.waiting_queue[0]
            if self.present[bot] and self.last_turn[bot] == turn:
                return bot
            self.waiting_queue.popleft()

    def most_informative(self) -> int:
        """Return a newcomer, or else the bot with the largest information gain."""
        while not self.is_current(self.heap[0]):
            heappop(self.heap)
        return self.heap[0][3]

    def mark_seated(self, bot: int, blocks: int, turn: int) -> None:
        """Note that a bot will play so many blocks."""
        self.blocks[bot] += blocks
        self.last_turn[bot] = turn
        self.waiting_queue.append((turn, bot))
        self.push(bot)

    def update_stake(self, bot: int) -> None:
        """Update the stake of a bot whose place in the order may have changed."""
        self.stakes[bot] = self.compute_stake(bot)
        self.push(bot)

    def remove(self, bot: int) -> None:
        """Never return a bot again."""
        self.present[bot] = False

    def push(self, bot: int) -> None:
        """Push a current entry of a bot to the heap."""
        self.stamps[bot] += 1
        heappush(self.heap, self.queue_entry(bot))
        if len(self.heap) > HEAP_ENTRIES_PER_BOT * len(self.present):
            self.heap = [entry for entry in self.heap if self.is_current(entry)]
            heapify(self.heap)

    def is_current(self, entry: QueueEntry) -> bool:
        """Whether an entry is the latest of a bot that is present."""
        *_, bot, stamp = entry
        return self.present[bot] and self.stamps[bot] == stamp

    def queue_entry(self, bot: int) -> QueueEntry:
        """The current sort key of a bot in the heap."""
        gain = self.stakes[bot] * self.estimates.variance_reduction(bot, self.precision_gain)
        return not self.is_newcomer(bot), -gain, self.last_turn[bot], bot, self.stamps[bot]

    def compute_stake(self, bot: int) -> float:
        """How much the order improves if more is known about a bot.

        For each neighbour, this is the expected loss of taking the better bot for the worse one,
        divided by the uncertainty of their difference. It grows with the number of bots that may be
        neighbours, but only with its square root, so that bots with few around them, often the
        best, are not neglected.
        """
        order, variance = self.order, self.estimates.overall_variance
        at, key, entries = order.position(bot), order.keys[bot], order.entries
        stake = 0.0
        for place in (at - 1, at + 1):
            if 0 <= place < len(entries):
                other_key, rival = entries[place]
                deviation = sqrt(variance[bot] + variance[rival])
                gap = abs(other_key - key)
                if gap + CONFIDENCE_Z * deviation > ROPE:
                    stake += normal_loss(gap / deviation) / deviation
        if not stake:
            return 0.0
        low, high = order.nearby_range(at, sqrt(variance[bot]), 1)
        return (TOP_WEIGHT if at <= TOP_RANKS else 1.0) * stake * sqrt(high - low)
