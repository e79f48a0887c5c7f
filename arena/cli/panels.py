"""Panels beside the standings: honest intervals, what a seat is worth, how points scatter."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from arena.cli import remarks
from arena.cli.grid import Column, bundles, elastic, lay_out, plain
from arena.cli.ranking import NONE, PLOT, SHORTEST_NAME, estimate
from arena.cli.untrusted import printable, safe
from arena.cli.whiskers import axis, box, scale
from arena.ratings.crosstable import ODD
from arena.ratings.panels import Audited, Bias, Distribution, Effect, Spread
from arena.report.remarks import beside_whom

SHOWN = 5
SHORTEST_CELL = 16
BARS = "▁▂▃▄▅▆▇█"


def show_audit(console: Console, audits: Sequence[Audited]) -> None:
    """Whether the intervals are honest."""
    title(console, "Are the intervals honest?")
    for one in audits:
        remarks.say(
            console,
            f"{printable(str(one.cell))}: {printable(one.sentence)}",
            style="red" if one.alarm else "",
        )


def show_bias(console: Console, biases: Sequence[Bias]) -> None:
    """What a seat is worth, and who sits on the left."""
    title(console, "What a seat is worth")
    cells = elastic("placed", [safe(str(one.cell)) for one in biases], 1, SHORTEST_CELL)
    columns = [
        plain(
            f"seat {seat}",
            [effect(one.seats[seat]) if seat < len(one.seats) else Text() for one in biases],
        )
        for seat in range(max((len(one.seats) for one in biases), default=0))
    ]
    for bundle in bundles(cells, columns, console.width):
        print_grid(console, bundle)
        console.print()
    odd = [(one, beside) for one in biases for beside in one.neighbours if beside.sure(ODD)]
    odd.sort(key=lambda pair: -abs(pair[1].effect))
    for one, beside in odd[:SHOWN]:
        remarks.say(console, beside_whom(one, beside))
    if len(odd) > SHOWN:
        remarks.say(
            console, f"So do {remarks.counted(len(odd) - SHOWN, 'other pair')}; see --json."
        )
    if not odd:
        remarks.say(console, "It matters to nobody who sits on its left, as far as can be seen.")
    remarks.say(
        console,
        "placed: mean share of the others beaten in a seat, less 50\u00a0%; ±: at 95\u00a0%; "
        f"*: not 0, at 95\u00a0%. Neighbours are named from {ODD} standard errors on.",
        style="dim",
    )


def show_spread(console: Console, spreads: Sequence[Spread]) -> None:
    """How points and placements scatter, one table for each cell."""
    title(console, "How points scatter")
    for one in spreads:
        console.print(safe(str(one.cell), "bold"), no_wrap=True)
        ranks = f"ranks 1–{one.cell.seats}"
        names = [safe(bot.bot) for bot in one.bots]
        columns = [
            elastic("bot", names, 100, SHORTEST_NAME),
            plain("mean", [signed(bot.mean) for bot in one.bots], 80),
            plain("deviation", [Text(f"{bot.deviation:.1f}") for bot in one.bots], 60),
            boxes(one.bots),
            plain(ranks, [bars(bot.placements) for bot in one.bots], 50),
            plain("games", [Text(f"{bot.games:,}") for bot in one.bots], 40),
        ]
        print_grid(console, columns)
        if one.luck is not None:
            luck = remarks.percent(one.luck)
            remarks.say(console, f"Of what is left to chance in a game, the cards make {luck}.")
        console.print()
    remarks.say(
        console,
        "mean, deviation: of the points in a game, less the mean of the table; the line goes from "
        "the worst 5\u00a0% to the best 5\u00a0% of the games, half of which are where it is "
        "thick; ranks: how often it came first, second and so on.",
        style="dim",
    )


def title(console: Console, text: str) -> None:
    """The title of a panel."""
    console.print()
    console.print(Text(text, "bold underline"))


def print_grid(console: Console, columns: Sequence[Column]) -> None:
    """Print columns."""
    for line in lay_out(columns, console.width):
        console.print(line, no_wrap=True, overflow="crop")


def effect(found: Effect) -> Text:
    """An effect in points of 100, with a sign if it is none of chance."""
    scaled = None if found.margin is None else 100 * found.margin
    text = estimate(100 * found.effect, scaled, 1, sign="+")
    return text.append("*" if found.sure() else " ", "yellow")


def signed(value: float) -> Text:
    """Points with their sign."""
    return Text(f"{value:+.1f}".replace("-", "−"))


def boxes(bots: Sequence[Distribution]) -> Column:
    """The quantiles of each bot, on one scale."""
    ends = [(bot.quantiles[0], bot.quantiles[-1]) for bot in bots]

    def draw(width: int) -> list[Text]:
        on = scale(ends, width, 0.0)
        return [axis(on, 0.0), *(box(on, bot.quantiles, 0.0) for bot in bots)]

    least, most = PLOT
    return Column(draw, least, most, 70)


def bars(shares: Sequence[float]) -> Text:
    """A histogram, each share as a bar."""
    highest = max(shares, default=0.0)
    if highest <= 0:
        return Text(NONE, "dim")
    return Text("".join(BARS[round(share / highest * (len(BARS) - 1))] for share in shares))
