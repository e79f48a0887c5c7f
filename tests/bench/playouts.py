"""Random playouts in `arena.games` beside two games of OpenSpiel, whose core is C++.

Both are driven from Python in the same way: ask for the legal answers, take one at random, apply
it, until the game is over. All contenders take turns in short slices of CPU time and each is
credited with its best slices, since a machine is never quiet for long.
"""

import os
import random
import time
from collections.abc import Callable

import pyspiel
from rich.console import Console
from rich.table import Table

from arena.games.catalog import variant
from arena.games.seeded import Seeded

ROUNDS = 200
SLICE = 0.005
BEST = 10

Playout = Callable[[int], tuple[int, int]]
"""Plays the game of a seed and returns how many decisions and how many random moves it had."""


def ours(name: str, seats: int, *, views: bool = False) -> Playout:
    game = variant(name).game(seats)
    start, pending, apply, view = game.start, game.pending, game.apply, game.view
    rand = random.random

    def playout(seed: int) -> tuple[int, int]:
        state = start(Seeded(seed))
        count = 0
        while decisions := pending(state):
            if views:
                for decision in decisions:
                    view(state, decision.seat)
            count += len(decisions)
            if len(decisions) == 1:
                options = decisions[0].options
                state = apply(state, (options[int(rand() * len(options))],))
            else:
                choices = [d.options[int(rand() * len(d.options))] for d in decisions]
                state = apply(state, choices)
        return count, 0

    return playout


def openspiel(name: str) -> Playout:
    game = pyspiel.load_game(name)
    rand = random.random

    def playout(_seed: int) -> tuple[int, int]:
        state = game.new_initial_state()
        decisions = moves = 0
        while not state.is_terminal():
            if state.is_chance_node():
                moves += 1
            else:
                state.current_player()
                decisions += 1
            options = state.legal_actions()
            state.apply_action(options[int(rand() * len(options))])
        return decisions, moves

    return playout


class Contender:
    """A playout and the rates of its slices."""

    def __init__(self, name: str, playout: Playout) -> None:
        self.name = name
        self.playout = playout
        self.seed = 0
        self.per_decision: list[float] = []
        self.per_move: list[float] = []

    def slice(self) -> None:
        begin = time.process_time()
        decisions = moves = 0
        while (spent := time.process_time() - begin) < SLICE:
            more = self.playout(self.seed)
            decisions, moves = decisions + more[0], moves + more[1]
            self.seed += 1
        self.per_decision.append(spent / decisions)
        self.per_move.append(spent / (decisions + moves))

    def cost(self, times: list[float]) -> float:
        """Microseconds, the mean of the best slices."""
        return sum(sorted(times)[:BEST]) / BEST * 1e6


def contenders() -> list[Contender]:
    tables = [
        ("sticheln", 4),
        ("sticheln", 8),
        ("sticheln+reverse+mild+aggravated+hazy", 4),
        ("sticheln+delayed", 4),
        ("stick-em", 4),
        ("hat-trick", 4),
        ("was-sticht", 4),
    ]
    return [
        Contender("OpenSpiel hearts", openspiel("hearts")),
        Contender("OpenSpiel oh_hell", openspiel("oh_hell")),
        *(Contender(f"{name}, {seats} seats", ours(name, seats)) for name, seats in tables),
        *(
            Contender(f"{name}, {seats} seats, views", ours(name, seats, views=True))
            for name, seats in tables
        ),
    ]


def measure(field: list[Contender]) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for _ in range(ROUNDS):
        for contender in field:
            contender.slice()


def main(field: list[Contender] | None = None) -> None:
    field = field or contenders()
    measure(field)
    hearts = field[0]
    by_decision, by_move = hearts.cost(hearts.per_decision), hearts.cost(hearts.per_move)
    table = Table(title="Random playouts, one core, everything in one interleaved run")
    table.add_column("game")
    for column in (
        "CPU µs per decision",
        "decisions/s",
        "rate / hearts",
        "rate / hearts, deals as moves",
    ):
        table.add_column(column, justify="right")
    for contender in field:
        cost = contender.cost(contender.per_decision)
        move = contender.cost(contender.per_move)
        table.add_row(
            contender.name,
            f"{cost:.2f}",
            f"{1e6 / cost:,.0f}",
            f"{by_decision / cost:.2f}",
            f"{by_move / move:.2f}",
        )
    console = Console()
    console.print(table)
    console.print(
        "Dealing is in every figure. OpenSpiel deals card by card, each a random move driven from "
        "Python; the last column credits it with those moves as if they were decisions."
    )


if __name__ == "__main__":
    main()
