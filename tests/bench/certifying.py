"""Games to a certified order of six close bots: ours beside what one would do at first.

All arms draw from the same pool of games over the real rules and are looked at equally often, after
the same numbers of games, by the same rule: the doubts about all neighbours must come to so little
that at ten looks no more than one order in twenty is wrong, however the looks are spaced. What
differs is who meets whom in which seats and deals, and what is counted. An order is wrong if it is
not that of the whole pool, by what the arm counts.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from rich.console import Console

from arena.ratings import points, trueskill
from arena.ratings.confidence import MAX_LOOKS, best_first, better_chances, judge_order
from arena.ratings.results import Floats, Ints, Results
from arena.ratings.trueskill import rate_cell
from arena.tournaments.plan.adaptive import choose_tables
from arena.tournaments.plan.tables import balanced_tables
from tests.bench.sheet import sheet
from tests.ratings.game_pool import GamePool, play_pool
from tests.ratings.simulated_tournaments import select_blocks

RATES = (0.0, 0.04, 0.08, 0.12, 0.16, 0.2)
"""How often each bot chooses by chance."""
BOTS, SEATS = len(RATES), 4
DEALS = 600
"""Blocks of each of the 15 tables in the pool."""
FIRST, GROWTH = 60, 1.5
"""Blocks before the first look, and how much more there are at every further one."""
VISIT = 5
"""Blocks at an adaptive table before another is chosen."""
RUNS = 100

Judge = Callable[[Results], tuple[Floats, Floats]]
"""How strong each bot is, and the chances that one is better than another."""
Draw = Callable[[Results, int, Generator], Ints]
"""The rows of the pool that a number of further blocks have, given those so far."""


def looks() -> list[int]:
    """After how many blocks there is a look: whole rounds of all tables."""
    tables = 15
    return [round(FIRST * GROWTH**look / tables) * tables for look in range(MAX_LOOKS)]


def by_wins(results: Results) -> tuple[Floats, Floats]:
    """The share of games won, with errors from how it scatters from game to game."""
    games = np.repeat(results.games[:, None], results.bot_indices.shape[1], axis=1)
    played = np.bincount(results.bot_indices.ravel(), games.ravel(), BOTS)
    share = np.bincount(results.bot_indices.ravel(), results.wins.ravel(), BOTS) / played
    off = np.zeros((results.blocks, BOTS))
    rows = np.arange(results.blocks)[:, None]
    off[rows, results.bot_indices] = results.wins - share[results.bot_indices] * games
    off /= played
    return share, better_chances(share, off.T @ off)


def by_rating(results: Results) -> tuple[Floats, Floats]:
    """TrueSkill over all blocks."""
    rating = rate_cell(results, BOTS)
    return rating.mu, better_chances(rating.mu, rating.covariance)


def by_both(results: Results) -> tuple[Floats, Floats]:
    """The order by TrueSkill, and the chances by points."""
    found = points.fit_points(results, BOTS)
    return rate_cell(results, BOTS).mu, better_chances(found.estimate, found.covariance)


@dataclass(frozen=True, eq=False)
class Arm:
    """A way to find the order."""

    name: str
    source: Results
    """What is drawn from."""
    games: int
    """In each of its rows."""
    draw: Draw
    judge: Judge

    def run(self, chance: Generator, truth: list[int]) -> tuple[int, bool, bool]:
        """One tournament: the games it took, whether it got an order, and whether a wrong one."""
        rows = np.zeros(0, dtype=np.int64)
        for before, blocks in pairwise([0, *looks()]):
            more = (blocks - before) * SEATS // self.games
            rows = np.concatenate([rows, self.draw(select_blocks(self.source, rows), more, chance)])
            strength, chances = self.judge(select_blocks(self.source, rows))
            verdict = judge_order(strength, np.ones(BOTS), rope=0.0, chances=chances)
            if verdict.is_done:
                return blocks * SEATS, True, list(verdict.order) != truth
        return looks()[-1] * SEATS, False, False


def every_table(played: GamePool, games: int) -> Draw:
    """All tables in turn; a row is a block, or each of its games by itself."""
    tables, inside = len(played.tables()), SEATS // games

    def draw(_: Results, count: int, chance: Generator) -> Ints:
        blocks = played.draw(np.arange(count) % tables, chance)
        return np.asarray(blocks * inside + chance.integers(inside, size=count))

    return draw


def adaptive(played: GamePool) -> Draw:
    """Tables where the order is open, once there are results."""
    number = {tuple(table): at for at, table in enumerate(played.tables().tolist())}

    def draw(results: Results, count: int, chance: Generator) -> Ints:
        visits = count // VISIT
        if results.blocks:
            before = [tuple(sorted(row)) for row in results.bot_indices[::VISIT].tolist()]
            chosen = choose_tables(results, BOTS, SEATS, visits, before, chance.bytes(8))
        else:
            chosen = balanced_tables(BOTS, SEATS, visits, int(chance.integers(2**60)))
        return played.draw(np.repeat([number[table] for table in chosen], VISIT), chance)

    return draw


def arms(played: GamePool) -> list[Arm]:
    """From what one would do at first to all of ours."""
    games, blocks = played.single_games(), played.results
    at_random, balanced_ = every_table(played, 1), every_table(played, SEATS)
    return [
        Arm("independent deals, random seats; win share", games, 1, at_random, by_wins),
        Arm("independent deals, random seats; TrueSkill", games, 1, at_random, by_rating),
        Arm("balanced blocks; TrueSkill", blocks, SEATS, balanced_, by_rating),
        Arm("  and adaptive tables", blocks, SEATS, adaptive(played), by_rating),
        Arm("  and certain by points", blocks, SEATS, adaptive(played), by_both),
    ]


def main() -> None:
    console = Console()
    # Compiled code rates the same, sooner.
    trueskill.MIN_KERNEL_BLOCKS = 1
    played = play_pool(RATES, DEALS, SEATS, workers=len(os.sched_getaffinity(0)))
    estimate = points.fit_points(played.results, BOTS).estimate
    gaps = " ".join(f"{gap:.1f}" for gap in -np.diff(np.sort(estimate)[::-1]))
    centred = played.scores - played.scores.mean(axis=2, keepdims=True)
    console.print(
        f"six bots, sticheln with {SEATS} seats: adjacent gaps of {gaps} points a game, "
        f"deviation of a game {centred.std():.0f}; {RUNS} runs, {MAX_LOOKS} looks up to "
        f"{looks()[-1] * SEATS:,} games"
    )
    table = sheet("certified order", "games", "±", "not by the end", "wrong", "times fewer")
    first = 0.0
    for arm in arms(played):
        truth = best_first(arm.judge(arm.source)[0])
        chance = np.random.default_rng(1)
        found = [arm.run(chance, truth) for _ in range(RUNS)]
        games = np.array([run[0] for run in found], dtype=float)
        first = first or float(games.mean())
        table.add_row(
            arm.name,
            f"{games.mean():,.0f}",
            f"{games.std(ddof=1) / RUNS**0.5:,.0f}",
            str(sum(not run[1] for run in found)),
            str(sum(run[2] for run in found)),
            f"{first / games.mean():.2f}",
        )
    console.print(table)
    console.print("Runs without an order by the end count as having had it there: too few games.")


if __name__ == "__main__":
    main()
