"""Interest: whose turn it is, by how much there is to learn about a bot or by how long it waits."""

from collections import deque
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import sqrt

from arena.ladder.belief import Belief
from arena.ladder.inference import loss
from arena.ladder.order import Order

PLACING = 3
"""With fewer blocks a bot is a newcomer, and comes before all others."""
TOP, TOP_WEIGHT = 3, 2.0
"""Who is at the top matters more."""
ROPE = 0.5
"""Differences of mu that do not matter."""
SURE = 1.96
"""So many deviations off nothing is expected."""
STALE = 16
"""Entries for each bot from which on those that are out of date are thrown away."""

Entry = tuple[bool, float, int, int, int]
"""Sorts bots by who is next: newcomers, most to learn, longest wait; the bot, its latest stamp."""


class Interest:
    """Two queues of all bots that are there."""

    def __init__(
        self,
        belief: Belief,
        order: Order,
        blocks: Sequence[int],
        waiting: Sequence[int],
        more: float,
    ) -> None:
        self.belief, self.order, self.more = belief, order, more
        self.blocks = list(blocks)
        """Of each bot, those to come included."""
        bots = len(blocks)
        self.present = [True] * bots
        self.waiting = deque((turn - bots, bot) for turn, bot in enumerate(waiting))
        """Who was seated when, in order; at first as they wait when the night begins."""
        self.last = [turn for _, turn in sorted((bot, turn) for turn, bot in self.waiting)]
        self.stakes = [self.stake(bot) for bot in range(bots)]
        self.stamps = [0] * bots
        self.heap = [self.entry(bot) for bot in range(bots)]
        heapify(self.heap)

    def newcomer(self, bot: int) -> bool:
        """Whether it has hardly played."""
        return self.blocks[bot] < PLACING

    def hungriest(self) -> int:
        """Who has waited longest."""
        while True:
            turn, bot = self.waiting[0]
            if self.present[bot] and self.last[bot] == turn:
                return bot
            self.waiting.popleft()

    def foremost(self) -> int:
        """A newcomer, or else whoever there is most to learn about."""
        while not self.valid(self.heap[0]):
            heappop(self.heap)
        return self.heap[0][3]

    def seated(self, bot: int, blocks: int, turn: int) -> None:
        """A bot is going to play so many blocks."""
        self.blocks[bot] += blocks
        self.last[bot] = turn
        self.waiting.append((turn, bot))
        self.push(bot)

    def moved(self, bot: int) -> None:
        """A bot has another place in the order."""
        self.stakes[bot] = self.stake(bot)
        self.push(bot)

    def leave(self, bot: int) -> None:
        """It is never a bot's turn again."""
        self.present[bot] = False

    def push(self, bot: int) -> None:
        """Put a bot where it belongs by now."""
        self.stamps[bot] += 1
        heappush(self.heap, self.entry(bot))
        if len(self.heap) > STALE * len(self.present):
            self.heap = [entry for entry in self.heap if self.valid(entry)]
            heapify(self.heap)

    def valid(self, entry: Entry) -> bool:
        """Whether it is the latest of a bot that is there."""
        *_, bot, stamp = entry
        return self.present[bot] and self.stamps[bot] == stamp

    def entry(self, bot: int) -> Entry:
        """What says when it is a bot's turn."""
        gain = self.stakes[bot] * self.belief.drop(bot, self.more)
        return not self.newcomer(bot), -gain, self.last[bot], bot, self.stamps[bot]

    def stake(self, bot: int) -> float:
        """How much better the order becomes by knowing more about a bot.

        With each neighbour, that is what is lost on average by taking the better one for the worse,
        by how much doubt there is. Where many may be neighbours more places are at stake, but bots
        with few around them, often the best, shall not be forgotten: so it grows by the root of
        their number.
        """
        order, variance = self.order, self.belief.variance
        at, key, line = order.at(bot), order.keys[bot], order.line
        stake = 0.0
        for place in (at - 1, at + 1):
            if 0 <= place < len(line):
                other, rival = line[place]
                doubt = sqrt(variance[bot] + variance[rival])
                apart = abs(other - key)
                if apart + SURE * doubt > ROPE:
                    stake += loss(apart / doubt) / doubt
        if not stake:
            return 0.0
        low, high = order.around(at, sqrt(variance[bot]), 1)
        return (TOP_WEIGHT if at <= TOP else 1.0) * stake * sqrt(high - low)
