"""`arena demo`: random games of several variants, and what came of them."""

import random
import time
from typing import Any

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from arena.games.base import Decision, Game
from arena.games.catalog import variant
from arena.games.replay import steps

TABLES = (
    ("sticheln", 4),
    ("sticheln+reverse", 3),
    ("stick-em+aggravated+hazy", 5),
    ("sticheln+mild+delayed", 8),
    ("hat-trick", 4),
    ("was-sticht", 4),
)


@click.command()
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Games of each variant.",
)
@click.option("--seed", default=1, show_default=True, help="Other seeds, other games.")
def demo(games: int, seed: int) -> None:
    """Play random games and show how the seats fared.

    The games are of several variants and are played in this process, without bots.
    """
    console = Console(highlight=False)
    widest = max(seats for _, seats in TABLES)
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="cyan")
    table.add_column("variant", overflow="fold")
    table.add_column("seat")
    for seat in range(widest):
        table.add_column(str(seat), justify="right")
    for name, seats in track(
        TABLES, "playing", console=console, transient=True, disable=not console.is_terminal
    ):
        for row in fare(variant(name).game(seats), games, seed):
            table.add_row(*row)
    console.print(f"{games} random games of each variant\n", style="bold")
    console.print(table)
    console.print("score: mean points a game. wins: games won, shared ones for each who shares.")
    console.print("Next: [bold]arena variants[/], and [bold]arena rules VARIANT[/].")


def fare(game: Game[Any], games: int, seed: int) -> tuple[tuple[str, ...], ...]:
    """How the seats fared in that many games: their mean scores and their wins."""
    chance = random.Random(seed)  # noqa: S311 (no secret hangs on it)
    scores, wins, decisions = [0] * game.seats, [0] * game.seats, 0
    begin = time.perf_counter()

    def any_option(_state: object, asked: tuple[Decision, ...]) -> list[str]:
        nonlocal decisions
        decisions += len(asked)
        return [chance.choice(decision.options) for decision in asked]

    for deal in range(games):
        *_, last = steps(game, seed * games + deal, any_option)
        ranks = game.ranks(last.after)
        for seat, score in enumerate(game.scores(last.after)):
            scores[seat] += score
            wins[seat] += ranks[seat] == 1
    spent = time.perf_counter() - begin
    facts = f"{decisions / games:.0f} decisions a game, {decisions / spent / 1000:.0f}k/s"
    return (
        (f"[bold]{game.variant}[/]", "score", *(f"{score / games:.0f}" for score in scores)),
        (f"[dim]{facts}[/]", "wins", *map(str, wins)),
        (),
    )
