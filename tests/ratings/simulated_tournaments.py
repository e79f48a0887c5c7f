"""Tournaments of bots whose strength is known, simulated game by game."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from arena.ratings.cell import Cell
from arena.ratings.results import Floats, Ints, Results


def design(seats: int) -> Ints:
    """A neighbour-balanced block: for each game and seat, the slot of the bot that sits there."""
    zigzag = np.array([(k + 1) // 2 if k % 2 else (seats - k // 2) % seats for k in range(seats)])
    squares = (zigzag,) if seats % 2 == 0 else (zigzag, -zigzag)
    return np.array([(square + turn) % seats for square in squares for turn in range(seats)])


@dataclass(frozen=True, eq=False)
class Population:
    """Bots, and what a game of theirs consists of, in points."""

    strength: Floats
    neighbour: Floats
    """What a bot (row) gains from having another (column) to its left."""
    luck: float
    """The deviation of what a hand is worth; it stays with the seat in all games of a deal."""
    noise: float
    """The deviation of everything else."""

    def tournament(
        self, tables: Ints, chance: Generator, games: Ints | None = None, *, same_deal: bool = True
    ) -> Results:
        """A block for each row of `tables`, which has the bots of a table."""
        blocks, seats = tables.shape
        turns = design(seats) if games is None else games
        # Slots are mapped to places anew in every block, as a plan does.
        slots = np.argsort(chance.random((blocks, seats)), axis=1)
        seated = slots[:, turns]
        bots = np.take_along_axis(tables[:, None, :], seated, axis=2)
        left = np.roll(bots, 1, axis=2)
        deals = 1 if same_deal else len(turns)
        hands = self.luck * chance.normal(size=(blocks, deals, seats))
        scores = self.strength[bots] + self.neighbour[bots, left] + hands
        scores = np.rint(scores + self.noise * chance.normal(size=scores.shape))
        return results(tables, seated, scores)


def make_population(
    strength: Sequence[float],
    *,
    luck: float = 9.0,
    neighbour: float = 4.0,
    noise: float = 17.0,
    seed: int = 1,
) -> Population:
    """Bots about as noisy as good ones of Sticheln with four seats."""
    effects = neighbour * np.random.default_rng(seed).normal(size=(len(strength),) * 2)
    return Population(np.array(strength, dtype=float), effects, luck, noise)


def random_tables(bots: int, seats: int, blocks: int, chance: Generator) -> Ints:
    """Tables by chance."""
    return np.argsort(chance.random((blocks, bots)), axis=1)[:, :seats]


def results(bot_indices: Ints, seated: Ints, scores: Floats) -> Results:
    """What blocks came to, from the place in each seat and the score of each, game by game."""
    blocks, turns, seats = scores.shape
    more = scores[..., :, None] > scores[..., None, :]
    equal = scores[..., :, None] == scores[..., None, :]
    placement = (more.sum(3) + (equal.sum(3) - 1) / 2) / (seats - 1)
    first = scores == scores.max(axis=2, keepdims=True)
    wins = first / first.sum(axis=2, keepdims=True)
    back = np.argsort(seated, axis=2)

    def summed(measure: Floats) -> Floats:
        return np.asarray(np.take_along_axis(measure, back, axis=2).sum(axis=1))

    nothing = np.zeros((blocks, seats), dtype=np.int64)
    return Results(
        cell=Cell("sticheln", seats),
        bot_indices=bot_indices,
        games=np.full(blocks, turns),
        points=summed(scores),
        placement=summed(placement),
        wins=summed(wins),
        faults=nothing,
        decisions=nothing,
        cpu=nothing,
    )


def results_from_ranks(
    bot_indices: Sequence[Sequence[int]], ranks: Sequence[Sequence[int]]
) -> Results:
    """Return results of blocks with these ranks."""
    tables, order = np.array(bot_indices), np.array(ranks)
    nothing = np.zeros(tables.shape, dtype=np.int64)
    return Results(
        cell=Cell("sticheln", tables.shape[1]),
        bot_indices=tables,
        games=np.full(len(tables), 4),
        points=-order.astype(float),
        placement=np.zeros(tables.shape),
        wins=np.zeros(tables.shape),
        faults=nothing,
        decisions=nothing,
        cpu=nothing,
    )


def select_blocks(results: Results, rows: Ints | slice) -> Results:
    """Return some of the blocks, in the order of `rows`."""
    return Results(
        results.cell,
        *(
            getattr(results, name)[rows]
            for name in (
                "bot_indices",
                "games",
                "points",
                "placement",
                "wins",
                "faults",
                "decisions",
                "cpu",
            )
        ),
    )
