"""Box plots and histograms of points, and how often a bot took each rank."""

from collections.abc import Mapping, Sequence

from arena.ratings.breakdowns import BotDistribution, CellSpread
from arena.report.plots import scale as plots_scale
from arena.report.plots.scale import Scale, padded_range, spaced_ticks
from arena.report.plots.svg import (
    element,
    group,
    name_label,
    name_width,
    path,
    placeholder,
    plot,
    text_line,
)
from arena.report.plots.text import NO_VALUE, coordinate, finite, number, percent, text_width
from arena.text import plural

READING = (
    "The thin line goes from the worst 5 % to the best 5 % of a bot's games, half of them lie in "
    "the box, with the median as a bar and the mean as a diamond; the bars at the right say how "
    "often it came first, second and so on."
)

WIDTH = 680.0
ROW_HEIGHT, HISTOGRAM_HEIGHT = 26.0, 20.0
"""The height of a row, and of a histogram above it."""
BAR_WIDTH, MAX_BAR_HEIGHT = 7.0, 20.0
"""The width of a bar of the ranks, and the height of the highest."""
BOX_HEIGHT = 9.0
AXIS_TITLE = "points in a game, less the mean of the table"
MIN_DOMAIN = 2.0
"""The least width of the scale, in points."""
MAX_NAMED = 3

Counts = Mapping[str, Sequence[int]]
QUANTILES = ("5 %", "25 %", "median", "75 %", "95 %")


def draw(
    spread: CellSpread,
    *,
    edges: Sequence[float] = (),
    histograms: Counts | None = None,
    title: str = "How points scatter",
    width: float = WIDTH,
) -> str:
    """Draw all bots of a cell on one scale, with histograms if they and their edges are given."""
    bots = spread.bots
    if not bots_with_mean(bots):
        return placeholder(describe(spread))
    histograms = histograms or {}
    row = ROW_HEIGHT + (HISTOGRAM_HEIGHT if histograms else 0.0)
    places = max(len(bot.placements) for bot in bots)
    ranks = BAR_WIDTH * places + 14
    names = min(max(name_width(bot.bot) for bot in bots), 0.3 * width) + 2
    means = max(30.0, *(text_width(mean_text(bot.mean)) for bot in bots))
    scale = Scale(*domain(bots), names + 12, width - ranks - means - 14)
    top = 20.0
    base = top + row * len(bots)
    content = [
        plots_scale.bottom_axis(scale, spaced_ticks(scale), (top, base), AXIS_TITLE, (0, width)),
        path(f"M{coordinate(scale.at(0))} {coordinate(top)}V{coordinate(base)}", "mean"),
        text_line("mean", (width - ranks, 8), class_="axis", text_anchor="end"),
        text_line("ranks", (width, 8), class_="axis", text_anchor="end"),
    ]
    highest = max((share for bot in bots for share in rank_shares(bot)), default=1.0)
    words = []
    for place, bot in enumerate(bots):
        y = top + row * (place + 1) - ROW_HEIGHT / 2
        if bot.bot in histograms:
            content.append(
                draw_histogram(edges, histograms[bot.bot], scale, y - BOX_HEIGHT / 2 - 3)
            )
        content += [
            draw_box(bot, scale, y),
            draw_bars(
                bot, width - BAR_WIDTH * places, y + ROW_HEIGHT / 2 - 3, MAX_BAR_HEIGHT / highest
            ),
        ]
        words += [
            name_label(bot.bot, (names, y), names),
            text_line(mean_text(bot.mean), (width - ranks, y)),
        ]
    content.append(element("g", *words, text_anchor="end"))
    return plot(
        "spread", (width, base + plots_scale.AXIS_HEIGHT), title, describe(spread), *content
    )


def bots_with_mean(bots: Sequence[BotDistribution]) -> list[BotDistribution]:
    """The bots with a mean that can be drawn."""
    return [bot for bot in bots if finite(bot.mean) is not None]


def mean_text(value: float) -> str:
    """A mean with its sign."""
    mean = finite(value)
    return NO_VALUE if mean is None else number(mean, 1, "+")


def domain(bots: Sequence[BotDistribution]) -> tuple[float, float]:
    """The ends of the scale."""
    values = [value for bot in bots for value in (*bot.quantiles, bot.mean)]
    return padded_range(
        [0.0, *(one for value in values if (one := finite(value)) is not None)], MIN_DOMAIN
    )


def draw_box(bot: BotDistribution, scale: Scale, y: float) -> str:
    """Draw a box with quartiles and mean."""
    quantiles = [one for value in bot.quantiles if (one := finite(value)) is not None]
    mean = finite(bot.mean)
    parts = []
    words = f"{bot.bot}, {plural(bot.games, 'game')}"
    if len(quantiles) == len(QUANTILES):
        least, low, middle, high, most = map(scale.at, quantiles)
        half = BOX_HEIGHT / 2
        parts = [
            path(f"M{coordinate(least)} {coordinate(y)}H{coordinate(most)}", "whisker"),
            element("rect", class_="box", x=low, y=y - half, width=high - low, height=BOX_HEIGHT),
            path(
                f"M{coordinate(middle)} {coordinate(y - half - 1)}v{coordinate(BOX_HEIGHT + 2)}",
                "median",
            ),
        ]
        ends = ", ".join(
            f"{share} {number(value, 1, '+')}"
            for share, value in zip(QUANTILES, quantiles, strict=True)
        )
        words += f": {ends}"
    if mean is not None:
        parts.append(
            path(f"M{coordinate(scale.at(mean))} {coordinate(y - 4)}l4 4l-4 4l-4-4z", "diamond")
        )
        words += f"; mean {number(mean, 1, '+')}"
    return group(*parts, title=words)


def draw_histogram(edges: Sequence[float], counts: Sequence[int], scale: Scale, base: float) -> str:
    """Draw a histogram as one outline; its highest bin has the full height."""
    highest = max(counts, default=0)
    if highest <= 0 or len(edges) != len(counts) + 1:
        return ""
    inside = [
        (left, right, count)
        for left, right, count in zip(edges, edges[1:], counts, strict=False)
        if scale.contains(left) or scale.contains(right)
    ]
    if not inside:
        return ""
    outline = f"M{coordinate(scale.clamp(inside[0][0]))} {coordinate(base)}"
    for _, right, count in inside:
        top = base - HISTOGRAM_HEIGHT * count / highest
        outline += f"V{coordinate(top)}H{coordinate(scale.clamp(right))}"
    return path(f"{outline}V{coordinate(base)}z", "hill")


def rank_shares(bot: BotDistribution) -> list[float]:
    """The share of games in which a bot took each rank."""
    every = finite(sum(bot.placements))
    return [games / every for games in bot.placements] if every else []


def draw_bars(bot: BotDistribution, left: float, base: float, full_height: float) -> str:
    """Draw the share of each rank as bars; `full_height` is the height of a share of 1."""
    shares = rank_shares(bot)
    outline = "".join(
        f"M{coordinate(left + BAR_WIDTH * rank)} "
        f"{coordinate(base)}v{coordinate(-full_height * share)}h6V{coordinate(base)}z"
        for rank, share in enumerate(shares)
    )
    words = ", ".join(f"rank {rank} {percent(share)}" for rank, share in enumerate(shares, 1))
    return path(outline, "bars", f"{bot.bot}: {words}")


def describe(spread: CellSpread) -> str:
    """The main figures in words."""
    bots = bots_with_mean(spread.bots)
    if not bots:
        return f"No points are known yet{' in ' + str(spread.cell) if spread.cell.variant else ''}."
    ordered = sorted(bots, key=lambda bot: -bot.mean)
    means = [
        f"{bot.bot} {number(bot.mean, 1, '+')} (deviation {deviation_text(bot)})" for bot in ordered
    ]
    words = f"Mean points in a game{scope_text(spread)}: "
    words += ", ".join(means[:MAX_NAMED])
    return words + (f", down to {means[-1]}." if len(means) > MAX_NAMED else ".")


def scope_text(spread: CellSpread) -> str:
    """The number of bots and the cell, unless the rows are cells."""
    return f" of {plural(len(spread.bots), 'bot')} in {spread.cell}" if spread.cell.variant else ""


def deviation_text(bot: BotDistribution) -> str:
    """A deviation, if it is known."""
    value = finite(bot.deviation)
    return NO_VALUE if value is None else number(value, 1)
