"""Print the panels of `arena standings`: interval audit, seat bias and point distributions."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from arena.cli.grid import (
    GridColumn,
    axis,
    box_plot,
    fixed_column,
    flexible_column,
    print_grid,
    scale_around,
    split_columns,
)
from arena.cli.output import print_remark, safe_text
from arena.cli.standings_view import MIN_NAME_WIDTH, PLOT_WIDTHS, estimate_text
from arena.ratings.bootstrap import IntervalAudit
from arena.ratings.breakdowns import BotDistribution, CellBias, CellSpread, Effect
from arena.ratings.crosstable import MIN_UNEXPECTED_Z
from arena.report.data import remarks
from arena.report.plots.text import NO_VALUE
from arena.sanitize import printable
from arena.text import plural

MAX_NAMED_PAIRS = 5
"""Pairs of neighbours that are named."""
MIN_CELL_WIDTH = 16
BARS = "▁▂▃▄▅▆▇█"
"""The bars of a histogram, from the lowest to the highest."""


def show_audit(console: Console, audits: Sequence[IntervalAudit]) -> None:
    """Print whether the intervals agree with a bootstrap over blocks."""
    print_title(console, "Are the intervals honest?")
    for one in audits:
        print_remark(
            console,
            f"{printable(str(one.cell))}: {printable(one.sentence)}",
            style="red" if one.alarm else "",
        )


def show_bias(console: Console, biases: Sequence[CellBias]) -> None:
    """Print the advantage of each seat, and of a neighbour on the left."""
    print_title(console, "What a seat is worth")
    cells = flexible_column(
        "placed", [safe_text(str(one.cell)) for one in biases], 1, MIN_CELL_WIDTH
    )
    columns = [
        fixed_column(
            f"seat {seat}",
            [effect_text(one.seats[seat]) if seat < len(one.seats) else Text() for one in biases],
        )
        for seat in range(max((len(one.seats) for one in biases), default=0))
    ]
    for grid in split_columns(cells, columns, console.width):
        print_grid(console, grid)
        console.print()
    odd = [
        (one, neighbour)
        for one in biases
        for neighbour in one.neighbours
        if neighbour.is_sure(MIN_UNEXPECTED_Z)
    ]
    odd.sort(key=lambda pair: -abs(pair[1].effect))
    for one, neighbour in odd[:MAX_NAMED_PAIRS]:
        print_remark(console, remarks.neighbour_remark(one, neighbour))
    if len(odd) > MAX_NAMED_PAIRS:
        print_remark(
            console,
            f"{plural(len(odd) - MAX_NAMED_PAIRS, 'more pair')} with a sure effect; see --json.",
        )
    if not odd:
        print_remark(console, "No effect of the bot on the left is significant.")
    print_remark(
        console,
        "placed: mean share of the others beaten in a seat, less 50\u00a0%; ±: at 95\u00a0%; "
        f"*: not 0, at 95\u00a0%. Neighbours are named from {MIN_UNEXPECTED_Z} standard errors on.",
        style="dim",
    )


def show_spread(console: Console, spreads: Sequence[CellSpread]) -> None:
    """Print how points and placements scatter, one table for each cell."""
    print_title(console, "How points scatter")
    for one in spreads:
        console.print(safe_text(str(one.cell), "bold"), no_wrap=True)
        ranks = f"ranks 1–{one.cell.seats}"
        names = [safe_text(bot.bot) for bot in one.bots]
        columns = [
            flexible_column("bot", names, 100, MIN_NAME_WIDTH),
            fixed_column("mean", [signed_points(bot.mean) for bot in one.bots], 80),
            fixed_column("deviation", [Text(f"{bot.deviation:.1f}") for bot in one.bots], 60),
            quantiles_column(one.bots),
            fixed_column(ranks, [histogram_text(bot.placements) for bot in one.bots], 50),
            fixed_column("games", [Text(f"{bot.games:,}") for bot in one.bots], 40),
        ]
        print_grid(console, columns)
        if one.luck is not None:
            luck = remarks.percent(one.luck)
            print_remark(console, f"Share of the cards in the chance of a game: {luck}.")
        console.print()
    print_remark(
        console,
        "mean, deviation: of the points in a game, less the mean of the table; the line goes from "
        "the worst 5\u00a0% to the best 5\u00a0% of the games, half of which are where it is "
        "thick; ranks: how often it came first, second and so on.",
        style="dim",
    )


def print_title(console: Console, text: str) -> None:
    """Print the title of a panel."""
    console.print()
    console.print(Text(text, "bold underline"))


def effect_text(effect: Effect) -> Text:
    """An effect in percent, with a mark if it is significant."""
    margin = None if effect.margin is None else 100 * effect.margin
    text = estimate_text(100 * effect.effect, margin, 1, sign="+")
    return text.append("*" if effect.is_sure() else " ", "yellow")


def signed_points(value: float) -> Text:
    """Points with their sign."""
    return Text(f"{value:+.1f}".replace("-", "−"))


def quantiles_column(bots: Sequence[BotDistribution]) -> GridColumn:
    """The column that draws the quantiles of each bot on one scale."""
    ends = [(bot.quantiles[0], bot.quantiles[-1]) for bot in bots]

    def draw(width: int) -> list[Text]:
        scale = scale_around(ends, width, 0.0)
        return [axis(scale, 0.0), *(box_plot(scale, bot.quantiles, 0.0) for bot in bots)]

    narrowest, widest = PLOT_WIDTHS
    return GridColumn(draw, narrowest, widest, 70)


def histogram_text(shares: Sequence[float]) -> Text:
    """A histogram, each share as a bar."""
    highest = max(shares, default=0.0)
    if highest <= 0:
        return Text(NO_VALUE, "dim")
    return Text("".join(BARS[round(share / highest * (len(BARS) - 1))] for share in shares))
