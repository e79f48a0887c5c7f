"""Choose which bots play next, and in which cell, so that a night is most informative.

Each table is chosen for one bot: a newcomer, or the bot with the largest information gain; every
fifth table is for the bot that has waited longest. It plays in the cell where it has played least,
with bots of about the same strength there. Two bots of one owner never share a table: they could
collude. The time to choose a table hardly grows with the ladder, unless one owner has most of the
bots.
"""

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from arena.ladder.matchmaking.estimate import (
    GaussianMessage,
    StrengthEstimates,
    block_messages,
    expected_precision,
)
from arena.ladder.matchmaking.table_queues import StrengthOrder, TableQueues
from arena.ratings.cell import Cell
from arena.ratings.trueskill import MU

WAITING_INTERVAL = 5
"""One table in so many is for the bot that has waited longest."""
OPPONENT_RANGE = 1.0
"""Opponents differ from a bot by up to so many errors of its rating in the cell."""
DRAWS_PER_SEAT = 4
"""Bots that are drawn for a seat; the one with the largest information gain gets it."""
MAX_VISITS_AHEAD = 2
"""Visits by which a cell may be ahead of others in a night."""
RANDOM_BATCH = 4096
"""How many numbers are drawn at once."""


@dataclass(frozen=True)
class Contender:
    """A bot that plays this night, with its ratings when the night begins."""

    name: str
    owner: str
    """Empty for reference bots."""
    mu: tuple[float, ...]
    """The rating in each cell; 25 where it has not played."""
    sigma: tuple[float, ...]
    """Its error; 25/3 where it has not played."""
    blocks: tuple[int, ...]
    """The number of its blocks in each cell."""


@dataclass(frozen=True)
class Match:
    """A table and the cell in which it plays next."""

    cell: int
    table: tuple[int, ...]
    """Numbers of contenders in rising order."""


def largest_table(owners: Iterable[str]) -> int:
    """The most bots of these owners that may share a table: one of each owner.

    Reference bots, which have no owner, do not collude: any number of them may join.
    """
    bots = Counter(map(str.casefold, owners))
    return bots[""] + sum(1 for owner in bots if owner)


class Matchmaker:
    """Chooses the tables of a night one by one; the same calls give the same tables."""

    def __init__(  # noqa: PLR0913, PLR0917 (what a night knows)
        self,
        cells: Sequence[Cell],
        contenders: Sequence[Contender],
        deals: Sequence[int],
        games: Sequence[int],
        seed: bytes,
        weights: Sequence[float] | None = None,
    ) -> None:
        self.seats = [cell.seats for cell in cells]
        self.deals, self.games = list(deals), list(games)
        self.owners = [one.owner.casefold() for one in contenders]
        self.max_seats = largest_table(self.owners)
        """The most seats that can be filled with the contenders that are there."""
        self.bit_generator = np.random.PCG64(int.from_bytes(seed))
        self.random_numbers: list[int] = []
        self.estimates = StrengthEstimates(weights or [1 / len(cells)] * len(cells))
        for one in contenders:
            self.estimates.add_bot(one.mu, one.sigma, one.blocks)
        self.order = StrengthOrder(self.estimates.overall_mean)
        """The contenders in the order of their overall strength."""
        self.cell_orders = [
            StrengthOrder(self.estimates.in_cell(bot, cell)[0] for bot in range(len(contenders)))
            for cell in range(len(cells))
        ]
        """The contenders in the order of their strength in each cell."""
        self.blocks = [list(one.blocks) for one in contenders]
        """The blocks of each contender in each cell, including planned ones."""
        self.planned_blocks = [0] * len(cells)
        """Blocks of this night in each cell."""
        self.expected_messages: dict[Match, deque[list[GaussianMessage]]] = {}
        """The messages that are expected of visits whose results are not known yet."""
        self.turn = 0
        played = [sum(one.blocks) for one in contenders]
        drawn = [self.random_below(1 << 32) for _ in contenders]
        waiting = sorted(range(len(contenders)), key=lambda bot: (played[bot], drawn[bot]))
        gains = [
            expected_precision(*each, 0.0) for each in zip(self.seats, self.deals, strict=True)
        ]
        mean_gain = fsum(gains) / max(1, len(gains))
        self.priority = TableQueues(self.estimates, self.order, played, waiting, mean_gain)

    @property
    def ranked_bots(self) -> list[int]:
        """The present contenders, the best first by the current estimates."""
        return [bot for _, bot in self.order.entries]

    def estimate(self, bot: int) -> tuple[float, float]:
        """A contender's overall mu and its error, which count the planned tables as played."""
        return MU + self.estimates.overall_mean[bot], sqrt(self.estimates.overall_variance[bot])

    def next_match(self) -> Match:
        """Choose the next table; its expected information counts as known from then on."""
        playable = [cell for cell, seats in enumerate(self.seats) if seats <= self.max_seats]
        if not playable:
            raise ValueError("no cell can be played by contenders of different owners")
        is_waiting_turn = self.turn % WAITING_INTERVAL == WAITING_INTERVAL - 1
        focus = (
            self.priority.longest_waiting() if is_waiting_turn else self.priority.most_informative()
        )
        cell = self.choose_cell(focus, playable)
        table = self.choose_table(focus, cell, is_waiting_turn=is_waiting_turn)
        match = Match(cell, tuple(sorted(table)))
        self.turn += 1
        self.expect_results(match)
        return match

    def learn(self, match: Match, ranks: Sequence[Sequence[int]]) -> None:
        """Update the estimates with the results of a visit, in place of what was expected of it.

        Each block has the rank of each place of the table; 1 is best, and ties are equal.
        """
        cell, table = match.cell, match.table
        if expected := self.expected_messages.get(match):
            for bot, (pi, tau) in zip(table, expected.popleft(), strict=True):
                self.estimates.apply_message(bot, cell, -pi, -tau)
            if not expected:
                del self.expected_messages[match]
        for block in ranks:
            known = [self.estimates.in_cell(bot, cell) for bot in table]
            for bot, (pi, tau) in zip(table, block_messages(known, block), strict=True):
                self.estimates.apply_message(bot, cell, pi, tau)
        present = [bot for bot in table if self.priority.present[bot]]
        for bot in present:
            self.order.move(bot, self.estimates.overall_mean[bot])
            self.cell_orders[cell].move(bot, self.estimates.in_cell(bot, cell)[0])
        for bot in present:
            self.priority.update_stake(bot)

    def remove_bot(self, bot: int) -> None:
        """Never choose a contender again."""
        if self.priority.present[bot]:
            self.priority.remove(bot)
            for order in (self.order, *self.cell_orders):
                order.remove(bot)
            self.max_seats = largest_table(self.owners[one] for _, one in self.order.entries)

    def random_below(self, below: int) -> int:
        """Draw a number from 0 to `below` - 1."""
        if not self.random_numbers:
            self.random_numbers = self.bit_generator.random_raw(RANDOM_BATCH).tolist()
        return self.random_numbers.pop() * below >> 64

    def choose_cell(self, focus: int, playable: Sequence[int]) -> int:
        """Choose the cell where a bot has played least for its size, of those not too far ahead."""
        most = min(self.planned_blocks[cell] for cell in playable) + MAX_VISITS_AHEAD * max(
            self.deals
        )
        played = self.blocks[focus]
        return min(
            (played[cell] / self.seats[cell], self.planned_blocks[cell], self.games[cell], cell)
            for cell in playable
            if self.planned_blocks[cell] < most
        )[-1]

    def choose_table(self, focus: int, cell: int, *, is_waiting_turn: bool) -> list[int]:
        """Choose a table for a bot, with opponents of about the same strength."""
        order, others = self.cell_orders[cell], self.seats[cell] - 1
        table, owners = [focus], [self.owners[focus]]
        is_newcomer = self.priority.is_newcomer(focus)
        reach = OPPONENT_RANGE / sqrt(self.estimates.precision[focus][cell])
        low, high = (
            (0, len(order))
            if is_newcomer
            else order.nearby_range(order.position(focus), reach, others)
        )
        for seat in range(others):
            begin, end = low, high
            if is_newcomer:  # each from another part of the ladder
                begin, end = seat * high // others, (seat + 1) * high // others
            best_score, chosen = -1.0, -1
            for _ in range(DRAWS_PER_SEAT):
                bot = order.entries[begin + self.random_below(end - begin)][1]
                if not self.can_join(bot, table, owners):
                    continue
                if is_waiting_turn:
                    score = float(self.turn - self.priority.last_turn[bot])
                else:
                    precision = self.estimates.precision[bot][cell]
                    score = self.priority.stakes[bot] / (precision * precision)
                if score > best_score:
                    best_score, chosen = score, bot
            if chosen < 0:
                chosen = self.nearest_fit(order, table, owners)
            table.append(chosen)
            owners.append(self.owners[chosen])
        return table

    def can_join(self, bot: int, table: Sequence[int], owners: Sequence[str]) -> bool:
        """Whether a bot can join a table without meeting itself or another one of its owner."""
        owner = self.owners[bot]
        return bot not in table and (not owner or owner not in owners)

    def nearest_fit(self, order: StrengthOrder, table: Sequence[int], owners: Sequence[str]) -> int:
        """Find the nearest bot in the order that can join; there is one in a playable cell."""
        entries, at = order.entries, order.position(table[0])
        places = (place for step in range(1, len(entries)) for place in (at - step, at + step))
        nearest = (entries[place][1] for place in places if 0 <= place < len(entries))
        return next(bot for bot in nearest if self.can_join(bot, table, owners))

    def expect_results(self, match: Match) -> None:
        """Count the expected information of a visit as known, whatever its results will be."""
        cell, deals = match.cell, self.deals[match.cell]
        known = [self.estimates.in_cell(bot, cell) for bot in match.table]
        mean_variance = fsum(variance for _, variance in known) / len(known)
        gain = expected_precision(len(known), deals, mean_variance)
        messages = [(gain, gain * mean) for mean, _ in known]
        self.expected_messages.setdefault(match, deque()).append(messages)
        self.planned_blocks[cell] += deals
        for bot, (pi, tau) in zip(match.table, messages, strict=True):
            self.estimates.apply_message(bot, cell, pi, tau)
            self.blocks[bot][cell] += deals
            self.priority.mark_seated(bot, deals, self.turn)
