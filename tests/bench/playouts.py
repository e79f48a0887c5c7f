"""Random playouts in `arena.games` beside two games of OpenSpiel, whose core is C++.

Both are driven from Python in the same way: ask for the legal answers, take one at random, apply
it, until the game is over. All contenders take turns in short slices of CPU time and each is
credited with its best slices, since a machine is never quiet for long.
"""

import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyspiel
from rich.console import Console
from rich.table import Table

from arena.games.base import DESIGNATE, PLAY, Game
from arena.games.catalog import variant
from arena.games.replay import play_steps
from arena.games.shuffle import SeededShuffle
from tests.games.game_states import random_chooser

TURNS = 200
SLICE = 0.005
BEST = 10

TABLES = (
    ("sticheln", 3),
    ("sticheln", 4),
    ("sticheln", 8),
    ("sticheln+aggravated", 3),
    ("sticheln+aggravated+hazy", 4),
    ("sticheln+delayed", 4),
    ("stick-em", 4),
    ("hat-trick", 4),
    ("was-sticht", 3),
    ("was-sticht", 4),
)

Playout = Callable[[int], tuple[int, int]]
"""Plays the game of a seed and returns how many decisions and how many random moves it had."""


def ours(game: Game[Any], *, views: bool = False) -> Playout:
    start, pending, apply, view = game.start, game.pending, game.apply, game.view
    rand = random.random

    def playout(seed: int) -> tuple[int, int]:
        state = start(SeededShuffle(seed))
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
    """A playout and what its slices cost."""

    def __init__(self, name: str, seats: int, playout: Playout) -> None:
        self.name = name
        self.seats = seats
        self.playout = playout
        self.seed = 0
        self.decision: list[float] = []
        self.move: list[float] = []

    def slice(self) -> None:
        begin = time.process_time()
        decisions = moves = 0
        while (spent := time.process_time() - begin) < SLICE:
            more = self.playout(self.seed)
            decisions, moves = decisions + more[0], moves + more[1]
            self.seed += 1
        self.decision.append(spent / decisions)
        self.move.append(spent / (decisions + moves))


def best(times: list[float]) -> float:
    """Microseconds, the mean of the best."""
    return sum(sorted(times)[:BEST]) / BEST * 1e6


def race(console: Console) -> None:
    """Everybody plays, slice by slice in turn."""
    rivals = [Contender(name, 4, openspiel(name)) for name in ("hearts", "oh_hell")]
    games = [variant(name).game(seats) for name, seats in TABLES]
    plain = [Contender(game.variant, game.seats, ours(game)) for game in games]
    viewed = [Contender(game.variant, game.seats, ours(game, views=True)) for game in games]
    for _ in range(TURNS):
        for contender in (*rivals, *plain, *viewed):
            contender.slice()
    hearts = rivals[0]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    for column in ("random playouts", "seats", "µs", "1/s", "hearts", "strict", "view µs"):
        table.add_column(column, justify="left" if column == "random playouts" else "right")
    for contender, shown in zip((*rivals, *plain), (*rivals, *viewed), strict=True):
        cost = best(contender.decision)
        table.add_row(
            contender.name if contender in plain else f"OpenSpiel {contender.name}",
            str(contender.seats),
            f"{cost:.2f}",
            f"{1e6 / cost:,.0f}",
            f"{best(hearts.decision) / cost:.2f}",
            f"{best(hearts.move) / best(contender.move):.2f}",
            f"{best(shown.decision) - cost:.2f}" if contender in plain else "",
        )
    console.print(table)
    console.print(
        "\nµs, 1/s: CPU time per decision on one core, deals included, and its inverse.\n"
        "hearts: how many times the rate of OpenSpiel's hearts that is.\n"
        "strict: the same if OpenSpiel's deals, a random move for each card, count as decisions.\n"
        "view µs: what it costs more to build the view for every decision.\n"
    )


def costs(game: Game[Any]) -> Iterator[tuple[str, float, float]]:
    """What is spent on what: a name, µs each time, and how often in a game."""
    every = [
        step
        for step in play_steps(game, 1, random_chooser(random.Random(1)))
        if step.before is not None
    ]
    play = [step for step in every if step.before.round.phase == PLAY]
    mid = [step for step in play if len(step.before.trick) < game.seats - 1]
    rounds = [step for step in play if step.before.round.number != step.after.round.number]
    ends = [step for step in play if step not in mid and step not in rounds]
    before = [step for step in every if step.before.round.phase == DESIGNATE]
    shuffle, rand = SeededShuffle(1), random.random

    def each(things: list[Any], do: Callable[[Any], object]) -> float:
        times = []
        for _ in range(100):
            begin = time.perf_counter()
            for thing in things:
                do(thing)
            times.append((time.perf_counter() - begin) / len(things))
        return best(times)

    def pick(step: Any) -> None:
        options = step.before.pending[0].options
        (options[int(rand() * len(options))],)

    def apply(step: Any) -> None:
        game.apply(step.before, step.choices)

    yield "apply a card, trick goes on", each(mid, apply), len(mid)
    yield "apply a card, trick complete", each(ends, apply), len(ends)
    yield "apply the last card of a round: score, deal", each(rounds, apply), len(rounds)
    yield "  of which: shuffle", each(rounds, lambda _: shuffle(0, game.cards)), len(rounds)
    yield "apply the designations", each(before, apply), len(before)
    yield "ask, and choose at random", each(play, pick), len(play)


def profile(console: Console) -> None:
    """Where the time goes in one game."""
    game = variant("sticheln").game(4)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    for column in (
        "where the time goes: sticheln, 4 seats",
        "µs each",
        "times a game",
        "µs a game",
    ):
        table.add_column(column, justify="left" if "where" in column else "right")
    for what, cost, often in costs(game):
        table.add_row(what, f"{cost:.2f}", f"{often:.0f}", f"{cost * often:.0f}")
    console.print(table)


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    console = Console()
    race(console)
    profile(console)


if __name__ == "__main__":
    main()
