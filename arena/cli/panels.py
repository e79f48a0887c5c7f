"""Print the panels of `arena standings`: interval audit, seat bias and point distributions."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from arena.cli import standings_view
from arena.cli.grid import (
    GridColumn,
    axis,
    box_plot,
    fit_scale,
    fixed_column,
    flexible_column,
    grid_lines,
    split_columns,
)
from arena.cli.output import safe_text
from arena.cli.standings_view import MIN_NAME_WIDTH, NO_VALUE, PLOT_WIDTHS, estimate_text
from arena.ratings.breakdowns import BotDistribution, CellBias, CellSpread, Effect, IntervalAudit
from arena.ratings.crosstable import MIN_ODD_Z
from arena.report.data import remarks
from arena.report.data.remarks import neighbour_remark
from arena.report.plots.text import counted
from arena.sanitize import printable

MAX_PAIRS = 5
MIN_CELL_WIDTH = 16
BARS = "▁▂▃▄▅▆▇█"


def show_audit(console: Console, audits: Sequence[IntervalAudit]) -> None:
    """Whether the intervals are honest."""
    print_title(console, "Are the intervals honest?")
    for one in audits:
        standings_view.print_remark(
            console,
            f"{printable(str(one.cell))}: {printable(one.sentence)}",
            style="red" if one.alarm else "",
        )


def show_bias(console: Console, biases: Sequence[CellBias]) -> None:
    """What a seat is worth, and who sits on the left."""
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
    for bundle in split_columns(cells, columns, console.width):
        print_grid(console, bundle)
        console.print()
    odd = [
        (one, beside) for one in biases for beside in one.neighbours if beside.is_sure(MIN_ODD_Z)
    ]
    odd.sort(key=lambda pair: -abs(pair[1].effect))
    for one, beside in odd[:MAX_PAIRS]:
        standings_view.print_remark(console, neighbour_remark(one, beside))
    if len(odd) > MAX_PAIRS:
        standings_view.print_remark(
            console,
            f"So do {counted(len(odd) - MAX_PAIRS, 'other pair')}; see --json.",
        )
    if not odd:
        standings_view.print_remark(
            console, "It matters to nobody who sits on its left, as far as can be seen."
        )
    standings_view.print_remark(
        console,
        "placed: mean share of the others beaten in a seat, less 50\u00a0%; ±: at 95\u00a0%; "
        f"*: not 0, at 95\u00a0%. Neighbours are named from {MIN_ODD_Z} standard errors on.",
        style="dim",
    )


def show_spread(console: Console, spreads: Sequence[CellSpread]) -> None:
    """How points and placements scatter, one table for each cell."""
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
            standings_view.print_remark(
                console, f"Of what is left to chance in a game, the cards make {luck}."
            )
        console.print()
    standings_view.print_remark(
        console,
        "mean, deviation: of the points in a game, less the mean of the table; the line goes from "
        "the worst 5\u00a0% to the best 5\u00a0% of the games, half of which are where it is "
        "thick; ranks: how often it came first, second and so on.",
        style="dim",
    )


def print_title(console: Console, text: str) -> None:
    """The title of a panel."""
    console.print()
    console.print(Text(text, "bold underline"))


def print_grid(console: Console, columns: Sequence[GridColumn]) -> None:
    """Print columns."""
    for line in grid_lines(columns, console.width):
        console.print(line, no_wrap=True, overflow="crop")


def effect_text(measured: Effect) -> Text:
    """An effect in points of 100, with a sign if it is none of chance."""
    scaled = None if measured.margin is None else 100 * measured.margin
    text = estimate_text(100 * measured.effect, scaled, 1, sign="+")
    return text.append("*" if measured.is_sure() else " ", "yellow")


def signed_points(value: float) -> Text:
    """Points with their sign."""
    return Text(f"{value:+.1f}".replace("-", "−"))


def quantiles_column(bots: Sequence[BotDistribution]) -> GridColumn:
    """The quantiles of each bot, on one scale."""
    ends = [(bot.quantiles[0], bot.quantiles[-1]) for bot in bots]

    def draw(width: int) -> list[Text]:
        on = fit_scale(ends, width, 0.0)
        return [axis(on, 0.0), *(box_plot(on, bot.quantiles, 0.0) for bot in bots)]

    least, most = PLOT_WIDTHS
    return GridColumn(draw, least, most, 70)


def histogram_text(shares: Sequence[float]) -> Text:
    """A histogram, each share as a bar."""
    highest = max(shares, default=0.0)
    if highest <= 0:
        return Text(NO_VALUE, "dim")
    return Text("".join(BARS[round(share / highest * (len(BARS) - 1))] for share in shares))
