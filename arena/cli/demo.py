"""`arena demo`: a small tournament of real bot processes, and what came of it."""

import os
from collections import Counter, defaultdict
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import click
from rich.progress import track
from rich.table import Table

from arena.bots.affinity import pin
from arena.bots.bot import Bot, find, reference
from arena.bots.launcher import Launcher
from arena.cli.output import Screen
from arena.games.catalog import variant
from arena.match.chunk import Chunk, play_chunk
from arena.match.table import Deal
from arena.match.terms import Terms

VARIANTS = (
    "sticheln",
    "sticheln+reverse",
    "stick-em+aggravated+hazy",
    "hat-trick",
    "was-sticht",
)
SEATS = 4


@click.command(short_help="Play a small tournament.")
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Deals of each variant, each played four times with the seats rotated.",
)
@click.option("--seed", default=1, show_default=True, help="Other seeds, other deals.")
def demo(deals: int, seed: int) -> None:
    """Play a small tournament between the bots that come with it, and show the standings.

    Every bot is a process of its own; every deal is played from every seat.
    """
    console = Screen()
    pin(os.getpid())
    bots = entrants()
    scores: dict[tuple[str, str], list[int]] = defaultdict(list)
    wins: Counter[str] = Counter()
    games = 0
    with Launcher() as launcher:
        for name in track(
            VARIANTS, "playing", console=console, transient=True, disable=not console.is_terminal
        ):
            chunk = Chunk(
                variant(name).game(SEATS),
                bots,
                [Deal(seed * deals + number) for number in range(deals)],
                [
                    [[(seat + turn) % SEATS for seat in range(SEATS)]] * deals
                    for turn in range(SEATS)
                ],
            )
            for _, _, played in play_chunk(chunk, launcher, Terms()):
                games += 1
                record = played.record
                for bot, score, rank in zip(record.bots, record.scores, record.ranks, strict=True):
                    scores[name, bot.name].append(score)
                    wins[bot.name] += rank == 1
    seats = Counter(bot.name for bot in bots)
    shares = {name: wins[name] / count / games for name, count in seats.items()}
    console.print(standings(shares, scores))
    console.print(f"\n{games} games, every deal from every seat; mean points, and games won.")
    console.print("Next: [bold]arena new my-bot[/], [bold]arena play sticheln my-bot random random")


def standings(shares: dict[str, float], scores: dict[tuple[str, str], list[int]]) -> Table:
    """The bots by how often they won, each time they sat at a table."""
    names = sorted(shares, key=lambda name: -shares[name])
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    table.add_column("variant", overflow="fold")
    for name in names:
        table.add_column(name, justify="right")
    for played in VARIANTS:
        means = (sum(scores[played, name]) / len(scores[played, name]) for name in names)
        table.add_row(played, *(f"{mean:.1f}" for mean in means))
    table.add_row("games won", *(f"{shares[name]:.0%}" for name in names), style="bold")
    return table


def entrants() -> list[Bot]:
    """What `arena new` makes, against bots without a plan, one of them in two seats."""
    begun = find(Path(str(files("arena") / "kits" / "python")))
    random, first = (find(reference()[name]) for name in ("random", "first-legal"))
    return [replace(begun, name="arena new"), random, first, random]
