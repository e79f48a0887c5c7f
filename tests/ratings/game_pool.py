"""Games of simple bots over the real rules, played in this process and drawn from again and again.

A bot follows a plain rule of thumb, except that at some rate it chooses by chance: the rate makes
how strong it is.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

import numpy as np

from arena.cards import NUMBER
from arena.games.base import PLAY, Decision
from arena.games.catalog import variant
from arena.games.shuffle import SeededShuffle
from arena.games.sticheln_engine import StichelnGame
from arena.ratings.results import Floats, Ints, Results
from arena.tournaments.seatings import balanced_design
from tests.ratings.simulated_tournaments import results


class Thoughtful:
    """Takes tricks that pay, throws what hurts on tricks that others take, and else ducks."""

    def __init__(self, game: StichelnGame) -> None:
        self.game = game
        self.strengths = game.strengths
        self.worth = game.card_points
        self.thrown = {
            special: {card: (points, -NUMBER[card]) for card, points in worth.items()}
            for special, worth in game.card_points.items()
        }

    def __call__(self, state: Any, decision: Decision) -> str:
        """Its choice."""
        options, trick = decision.options, state.trick
        if decision.kind != PLAY or not trick:
            return min(options, key=NUMBER.__getitem__)
        special = state.round.special[decision.seat]
        strengths, worth = self.strengths[trick[0]], self.worth[special]
        strongest = max([strengths[card] for card in trick])
        brings = sum([worth[card] for card in trick])
        losing = []
        best, strength = "", 0
        for card in options:
            if strengths[card] <= strongest:
                losing.append(card)
            elif brings + worth[card] > 0 and strengths[card] > strength:
                best, strength = card, strengths[card]
        if best:
            return best
        if losing:
            return min(losing, key=self.thrown[special].__getitem__)
        return min(options, key=strengths.__getitem__)


def play(think: Thoughtful, seed: int, rates: Sequence[float], chance: Random) -> tuple[int, ...]:
    """The scores of one game between bots that choose by chance at these rates, seat by seat."""
    game, random = think.game, chance.random
    state = game.start(SeededShuffle(seed))
    while decisions := game.pending(state):
        choices = [
            decision.options[int(random() * len(decision.options))]
            if random() < rates[decision.seat]
            else think(state, decision)
            for decision in decisions
        ]
        state = game.apply(state, choices)
    return game.scores(state)


@dataclass(frozen=True, eq=False)
class GamePool:
    """Blocks of every table, played once."""

    results: Results
    """Block by block, a table after the other, each with as many blocks."""
    seated: Ints
    """For each block, game and seat, the place of the bot that sits there."""
    scores: Floats
    """The scores in the same order."""
    deals: int
    """How many blocks each table has."""

    def tables(self) -> Ints:
        """The bots of each table."""
        return self.results.bot_indices[:: self.deals]

    def draw(self, tables: Ints, chance: np.random.Generator) -> Ints:
        """A block for each of these tables, by chance, as rows of the results."""
        return np.asarray(tables * self.deals + chance.integers(self.deals, size=len(tables)))

    def single_games(self) -> Results:
        """Every game by itself, four for each block, as if it were a block."""
        bot_indices = np.repeat(self.results.bot_indices, self.scores.shape[1], axis=0)
        flat = (len(bot_indices), 1, bot_indices.shape[1])
        return results(bot_indices, self.seated.reshape(flat), self.scores.reshape(flat))


def table_of(
    rates: Sequence[float], name: str, deals: int, numbered: tuple[int, tuple[int, ...]]
) -> tuple[list[Any], list[Any]]:
    """The seatings and scores of all games of one table."""
    number, table = numbered
    seats = len(table)
    game = variant(name).game(seats)
    assert isinstance(game, StichelnGame)
    think, designs = Thoughtful(game), balanced_design(seats)
    chance = Random(number)
    seated, scores = [], []
    for deal in range(deals):
        slots = chance.sample(range(seats), seats)
        turns = [[slots[slot] for slot in row] for row in designs[deal % len(designs)]]
        seed = chance.getrandbits(60)
        seated.append(turns)
        scores.append(
            [play(think, seed, [rates[table[place]] for place in row], chance) for row in turns]
        )
    return seated, scores


def play_pool(
    rates: Sequence[float], deals: int, seats: int = 4, name: str = "sticheln", workers: int = 1
) -> GamePool:
    """Play this many blocks of every table of these bots."""
    tables = list(combinations(range(len(rates)), seats))
    work: Callable[[tuple[int, tuple[int, ...]]], tuple[list[Any], list[Any]]]
    work = partial(table_of, rates, name, deals)
    if workers == 1:
        played = [*map(work, enumerate(tables))]
    else:
        with ProcessPoolExecutor(workers) as executor:
            played = [*executor.map(work, enumerate(tables))]
    bot_indices = np.repeat(np.array(tables), deals, axis=0)
    seated = np.array([row for table in played for row in table[0]])
    scores = np.array([row for table in played for row in table[1]], dtype=float)
    return GamePool(results(bot_indices, seated, scores), seated, scores, deals)
