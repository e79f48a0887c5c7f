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
        """Put a bot where it belongs by now; only those whom it passes change places."""
        line, old, entry = self.entries, self.position(bot), (-strength, bot)
        new = bisect_left(line, entry)
        if new > old:
            new -= 1
            line[old:new] = line[old + 1 : new + 1]
        else:
            line[new + 1 : old + 1] = line[new:old]
        line[new] = entry
        self.keys[bot] = -strength

    def remove(self, bot: int) -> None:
        """Take a bot out."""
        del self.entries[self.position(bot)]

    def nearby_range(self, at: int, reach: float, least: int) -> tuple[int, int]:
        """The places of those who are so near to one, from and to; at least so many each way."""
        line = self.entries
        key, low, high = line[at][0], max(0, at - least), min(len(line), at + least + 1)
        if low and key - line[low][0] < reach:
            low = bisect_left(line, (key - reach,), 0, low)
        if high < len(line) and line[high - 1][0] - key < reach:
            high = bisect_left(line, (key + reach,), high)
        return low, high


NEWCOMER_BLOCKS = 3
"""With fewer blocks a bot is a newcomer, and comes before all others."""
TOP_RANKS, TOP_WEIGHT = 3, 2.0
"""Who is at the top matters more."""
ROPE = 0.5
"""Differences of mu that do not matter."""
CONFIDENCE_Z = 1.96
"""So many deviations off nothing is expected."""
HEAP_ENTRIES_PER_BOT = 16
"""Entries for each bot from which on those that are out of date are thrown away."""

QueueEntry = tuple[bool, float, int, int, int]
"""Sorts bots by who is next: newcomers, most to learn, longest wait; the bot, its latest stamp."""


class PriorityQueues:
    """Two queues of all bots that are there."""

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
        """Of each bot, those to come included."""
        bots = len(blocks)
        self.present = [True] * bots
        self.waiting_queue = deque((turn - bots, bot) for turn, bot in enumerate(waiting))
        """Who was seated when, in order; at first as they wait when the night begins."""
        self.last_turn = [
            turn for _, turn in sorted((bot, turn) for turn, bot in self.waiting_queue)
        ]
        self.stakes = [self.compute_stake(bot) for bot in range(bots)]
        self.stamps = [0] * bots
        self.heap = [self.queue_entry(bot) for bot in range(bots)]
        heapify(self.heap)

    def is_newcomer(self, bot: int) -> bool:
        """Whether it has hardly played."""
        return self.blocks[bot] < NEWCOMER_BLOCKS

    def longest_waiting(self) -> int:
        """Who has waited longest."""
        while True:
            turn, bot = self.waiting_queue[0]
            if self.present[bot] and self.last_turn[bot] == turn:
                return bot
            self.waiting_queue.popleft()

    def most_informative(self) -> int:
        """A newcomer, or else whoever there is most to learn about."""
        while not self.is_current(self.heap[0]):
            heappop(self.heap)
        return self.heap[0][3]

    def mark_seated(self, bot: int, blocks: int, turn: int) -> None:
        """A bot is going to play so many blocks."""
        self.blocks[bot] += blocks
        self.last_turn[bot] = turn
        self.waiting_queue.append((turn, bot))
        self.push(bot)

    def update_stake(self, bot: int) -> None:
        """A bot has another place in the order."""
        self.stakes[bot] = self.compute_stake(bot)
        self.push(bot)

    def remove(self, bot: int) -> None:
        """It is never a bot's turn again."""
        self.present[bot] = False

    def push(self, bot: int) -> None:
        """Put a bot where it belongs by now."""
        self.stamps[bot] += 1
        heappush(self.heap, self.queue_entry(bot))
        if len(self.heap) > HEAP_ENTRIES_PER_BOT * len(self.present):
            self.heap = [entry for entry in self.heap if self.is_current(entry)]
            heapify(self.heap)

    def is_current(self, entry: QueueEntry) -> bool:
        """Whether it is the latest of a bot that is there."""
        *_, bot, stamp = entry
        return self.present[bot] and self.stamps[bot] == stamp

    def queue_entry(self, bot: int) -> QueueEntry:
        """What says when it is a bot's turn."""
        gain = self.stakes[bot] * self.estimates.variance_reduction(bot, self.precision_gain)
        return not self.is_newcomer(bot), -gain, self.last_turn[bot], bot, self.stamps[bot]

    def compute_stake(self, bot: int) -> float:
        """How much better the order becomes by knowing more about a bot.

        With each neighbour, that is what is lost on average by taking the better one for the worse,
        by how much doubt there is. Where many may be neighbours more places are at stake, but bots
        with few around them, often the best, shall not be forgotten: so it grows by the root of
        their number.
        """
        order, variance = self.order, self.estimates.overall_variance
        at, key, line = order.position(bot), order.keys[bot], order.entries
        stake = 0.0
        for place in (at - 1, at + 1):
            if 0 <= place < len(line):
                other, rival = line[place]
                doubt = sqrt(variance[bot] + variance[rival])
                apart = abs(other - key)
                if apart + CONFIDENCE_Z * doubt > ROPE:
                    stake += normal_loss(apart / doubt) / doubt
        if not stake:
            return 0.0
        low, high = order.nearby_range(at, sqrt(variance[bot]), 1)
        return (TOP_WEIGHT if at <= TOP_RANKS else 1.0) * stake * sqrt(high - low)
