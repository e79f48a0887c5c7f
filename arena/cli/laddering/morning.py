"""The morning after: what a night has changed, on one screen."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.cli.progress import clock, count
from arena.cli.untrusted import printable
from arena.ladder.facts import Move, Summary
from arena.ladder.folder import SITE, Ladder
from arena.ladder.registry import Registry
from arena.report.build import Built

SHOWN = 8
"""Moves either way, new bots, and whoever is retired, each."""


def tell(  # noqa: PLR0913, PLR0917 (all of it is told)
    console: Console,
    ladder: Ladder,
    registry: Registry,
    number: int,
    summary: Summary,
    built: Built,
) -> None:
    """What a night has changed."""
    rate = summary.games / summary.seconds if summary.seconds > 1 else 0
    speed = f" in {clock(summary.seconds)}, {rate:,.0f} games/s" if rate else ""
    active = count(len(registry.active()), "active bot")
    console.print(
        f"\nNight {number}: {count(summary.games, 'game')} in {count(summary.blocks, 'block')}"
        f"{speed}; {active}",
        soft_wrap=True,
    )
    risen = [move for move in summary.moves if step(move) < 0]
    fallen = [move for move in summary.moves if step(move) > 0]
    moved(console, "up", "green", risen)
    moved(console, "down", "red", fallen)
    listed(console, "new", summary.new)
    for title, told in (("retired", summary.retired), ("left out", summary.left_out)):
        for bot, why in told[:SHOWN]:
            console.print(
                Text.assemble((f"{title:<9}", "yellow"), f"{printable(bot)}: {printable(why)}"),
                soft_wrap=True,
            )
        if len(told) > SHOWN:
            console.print(f"         and {len(told) - SHOWN} more")
    for cell in summary.too_large:
        console.print(
            f"Not played: {cell}: too few bots of different owners for a table", soft_wrap=True
        )
    if not (risen or fallen or summary.new):
        console.print("The order is as it was.")
    page = ladder.folder / SITE / "index.html"
    console.print(f"{printable(str(page))}: {count(built.files, 'file')}", soft_wrap=True)


def step(move: Move) -> int:
    """By how many ranks; below 0 is up."""
    if move.before is None or move.after is None:
        return 0
    return move.after - move.before


def moved(console: Console, title: str, style: str, moves: Sequence[Move]) -> None:
    """Who rose, or fell."""
    if not moves:
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=7)
    grid.add_column()
    grid.add_column(justify="right")
    grid.add_column(justify="right")
    for place, move in enumerate(moves[:SHOWN]):
        grid.add_row(
            Text("" if place else title, style),
            Text(printable(move.bot)),
            Text(f"{move.before} → {move.after}"),
            Text(f"{move.mu_before:.1f} → {move.mu_after:.1f}" if rated(move) else "", "dim"),
        )
    console.print(grid)
    if len(moves) > SHOWN:
        console.print(f"         and {len(moves) - SHOWN} more")


def rated(move: Move) -> bool:
    """Whether it was rated before and after."""
    return move.mu_before is not None and move.mu_after is not None


def listed(console: Console, title: str, bots: Sequence[str]) -> None:
    """Some bots in a line."""
    if bots:
        more = f" and {len(bots) - SHOWN} more" if len(bots) > SHOWN else ""
        names = ", ".join(map(printable, bots[:SHOWN]))
        console.print(Text.assemble((f"{title:<9}", "green"), f"{names}{more}"), soft_wrap=True)
