"""What choosing a table costs as a ladder grows, in bots and in cells."""

import os
import time
from collections import deque

import numpy as np
from rich.console import Console

from arena.ladder.matchmaking.matchmaker import Contender, Match, Matchmaker
from arena.ladder.matchmaking.simulation import SyntheticBots
from arena.ratings.cell import Cell
from arena.ratings.trueskill import MU
from tests.bench.sheet import sheet

BOTS = (100, 1_000, 10_000)
CELLS = (4, 20)
SEATS = 4
TABLES, SLICES = 500, 6
"""Tables of a slice; all cases take turns, and the best slice counts."""
FLYING = 16
BLOCKS, ERROR = 20, 1.5
"""What bots have in each cell when the night begins."""


class Case:
    """A ladder in the middle of a night."""

    def __init__(self, bots: int, cells: int) -> None:
        self.chance = np.random.default_rng(1)
        self.population = SyntheticBots(bots, cells, self.chance)
        played = tuple(Cell(f"variant {number}", SEATS) for number in range(cells))
        contenders = [
            Contender(
                str(number),
                "",
                tuple(MU + one for one in strengths),
                (ERROR,) * cells,
                (BLOCKS,) * cells,
            )
            for number, strengths in enumerate(self.population.strength)
        ]
        begin = time.process_time()
        self.matchmaker = Matchmaker(played, contenders, (1,) * cells, (4,) * cells, b"bench")
        self.setup = time.process_time() - begin
        self.flying: deque[Match] = deque()
        self.choosing = self.learning = float("inf")

    def slice(self) -> None:
        """Some tables, and what they took."""
        choosing = learning = 0.0
        for _ in range(TABLES):
            begin = time.process_time()
            self.flying.append(self.matchmaker.next_match())
            choosing += time.process_time() - begin
            if len(self.flying) > FLYING:
                match = self.flying.popleft()
                ranks = self.population.play_block(match, self.chance)
                begin = time.process_time()
                self.matchmaker.learn(match, [ranks])
                learning += time.process_time() - begin
        self.choosing = min(self.choosing, choosing / TABLES * 1e6)
        self.learning = min(self.learning, learning / TABLES * 1e6)


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cases = {(bots, cells): Case(bots, cells) for cells in CELLS for bots in BOTS}
    for _ in range(SLICES):
        for case in cases.values():
            case.slice()
    table = sheet(
        "choosing tables of 4", "cells", "ms to begin", "µs next", "µs learn", "µs a block", "times"
    )
    first = cases[BOTS[0], CELLS[0]]
    for (bots, cells), case in cases.items():
        both = case.choosing + case.learning
        table.add_row(
            f"{bots:,} bots",
            f"{cells}",
            f"{case.setup * 1e3:,.0f}",
            f"{case.choosing:.0f}",
            f"{case.learning:.0f}",
            f"{both:.0f}",
            f"{both / (first.choosing + first.learning):.2f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
