"""What rating a block costs: by the package, compiled, and a million games in one go."""

import os
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console

from arena.ratings import results as ratings_results
from arena.ratings import trueskill_numba
from arena.ratings.results import Results
from arena.ratings.trueskill import BETA, PackageSweeper, rate_cell, run_sweeps
from tests.bench.sheet import sheet
from tests.ratings.simulated_tournaments import make_population, random_tables, select_blocks

BOTS, SEATS, GAMES = 12, 4, 4
FEW, MANY = 100, 250_000
"""Blocks for the package, and those of a million games."""
REPEATS = 3


def seconds(what: Callable[[], object]) -> float:
    """CPU time, the best of some."""
    times = []
    for _ in range(REPEATS):
        begin = time.process_time()
        what()
        times.append(time.process_time() - begin)
    return min(times)


def simulated(blocks: int) -> Results:
    """Blocks of bots some points apart."""
    chance = np.random.default_rng(1)
    tables = random_tables(BOTS, SEATS, blocks, chance)
    return make_population(range(BOTS)).tournament(tables, chance)


def once(results: Results, *, fast: bool) -> float:
    """Microseconds for each block of these, from standings to ratings with their errors."""
    bot_indices, ranks = results.bot_indices, ratings_results.block_ranks(results)
    everybody = np.ones(BOTS, dtype=np.bool_)
    draw = max(ratings_results.tie_rate(ranks), 1e-3)

    def run() -> object:
        flat = trueskill_numba.make_sweeper(bot_indices, ranks, draw, BETA) if fast else None
        return run_sweeps(
            flat or PackageSweeper(bot_indices, ranks, draw),
            bot_indices,
            everybody,
            everybody,
        )

    return seconds(run) / results.blocks * 1e6


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    console = Console()
    if not trueskill_numba.load_kernel():
        console.print("numba is not installed: rating is left out.")
        return
    everything = simulated(MANY)
    once(select_blocks(everything, slice(FEW)), fast=True)  # compiles, or loads what was compiled
    table = sheet(f"rating {BOTS} bots at tables of {SEATS}", "blocks", "µs a block", "times")
    slow = once(select_blocks(everything, slice(FEW)), fast=False)
    table.add_row("the package `trueskill`", f"{FEW:,}", f"{slow:,.0f}", "1")
    for blocks in (FEW, 10_000, MANY):
        cost = once(select_blocks(everything, slice(blocks)), fast=True)
        table.add_row("compiled", f"{blocks:,}", f"{cost:,.1f}", f"{slow / cost:,.0f}")
    console.print(table)
    whole = seconds(lambda: rate_cell(everything, BOTS))
    console.print(
        f"{MANY * GAMES:,} games, {MANY:,} blocks: rated in {whole:.1f} s with their standings."
    )


if __name__ == "__main__":
    main()
