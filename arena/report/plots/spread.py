"""How points scatter: for each bot its quartiles, mean and histogram, and its ranks."""

from collections.abc import Mapping, Sequence

from arena.ratings.panels import Distribution, Spread
from arena.report.plots import axes
from arena.report.plots.markup import breadth, element, group, name, path, plot, sentence, write
from arena.report.plots.scale import Scale, across, span
from arena.report.plots.text import measure
from arena.report.plots.values import NONE, counted, finite, number, percent, spot

READING = (
    "The thin line goes from the worst 5 % to the best 5 % of a bot's games, half of them lie in "
    "the box, with the median as a bar and the mean as a diamond; the bars at the right say how "
    "often it came first, second and so on."
)

WIDTH = 680.0
ROW, HILL = 26.0, 20.0
"""The height of a row, and what a histogram above it takes."""
BAR, BARS = 7.0, 20.0
"""The width of a bar of the ranks, and the height of the highest."""
BOX = 9.0
AXIS = "points in a game, less the mean of the table"
LEAST = 2.0
NAMED = 3

Counts = Mapping[str, Sequence[int]]


def spread(
    found: Spread,
    *,
    edges: Sequence[float] = (),
    histograms: Counts | None = None,
    title: str = "How points scatter",
    width: float = WIDTH,
) -> str:
    """All bots of a cell on one scale; their histograms too, if they and their edges are given."""
    bots = found.bots
    if not known(bots):
        return sentence(describe(found))
    hills = histograms or {}
    row = ROW + (HILL if hills else 0.0)
    places = max(len(bot.placements) for bot in bots)
    ranks = BAR * places + 14
    names = min(max(breadth(bot.bot) for bot in bots), 0.3 * width) + 2
    means = max(30.0, *(measure(shown(bot.mean)) for bot in bots))
    scale = Scale(*domain(bots), names + 12, width - ranks - means - 14)
    top = 20.0
    base = top + row * len(bots)
    content = [
        axes.bottom(scale, across(scale), (top, base), AXIS, (0, width)),
        path(f"M{spot(scale.at(0))} {spot(top)}V{spot(base)}", "mean"),
        write("mean", (width - ranks, 8), class_="axis", text_anchor="end"),
        write("ranks", (width, 8), class_="axis", text_anchor="end"),
    ]
    highest = max((share for bot in bots for share in shares(bot)), default=1.0)
    words = []
    for place, bot in enumerate(bots):
        y = top + row * (place + 1) - ROW / 2
        if bot.bot in hills:
            content.append(hill(edges, hills[bot.bot], scale, y - BOX / 2 - 3))
        content += [
            box(bot, scale, y),
            bars(bot, width - BAR * places, y + ROW / 2 - 3, BARS / highest),
        ]
        words += [
            name(bot.bot, (names, y), names),
            write(shown(bot.mean), (width - ranks, y)),
        ]
    content.append(element("g", *words, text_anchor="end"))
    return plot("spread", (width, base + axes.BELOW), title, describe(found), *content)


def known(bots: Sequence[Distribution]) -> list[Distribution]:
    """Those with a mean that can be shown."""
    return [bot for bot in bots if finite(bot.mean) is not None]


def shown(value: float) -> str:
    """A mean with its sign."""
    found = finite(value)
    return NONE if found is None else number(found, 1, "+")


def domain(bots: Sequence[Distribution]) -> tuple[float, float]:
    """From where to where the scale goes."""
    values = [value for bot in bots for value in (*bot.quantiles, bot.mean)]
    return span([0.0, *(one for value in values if (one := finite(value)) is not None)], LEAST)


def box(bot: Distribution, scale: Scale, y: float) -> str:
    """A strip with quartiles and mean."""
    quantiles = [one for value in bot.quantiles if (one := finite(value)) is not None]
    mean = finite(bot.mean)
    parts = []
    words = f"{bot.bot}, {counted(bot.games, 'game')}"
    if len(quantiles) == len(QUANTILES):
        least, low, middle, high, most = map(scale.at, quantiles)
        half = BOX / 2
        parts = [
            path(f"M{spot(least)} {spot(y)}H{spot(most)}", "whisker"),
            element("rect", class_="box", x=low, y=y - half, width=high - low, height=BOX),
            path(f"M{spot(middle)} {spot(y - half - 1)}v{spot(BOX + 2)}", "median"),
        ]
        ends = ", ".join(
            f"{share} {number(value, 1, '+')}"
            for share, value in zip(QUANTILES, quantiles, strict=True)
        )
        words += f": {ends}"
    if mean is not None:
        parts.append(path(f"M{spot(scale.at(mean))} {spot(y - 4)}l4 4l-4 4l-4-4z", "diamond"))
        words += f"; mean {number(mean, 1, '+')}"
    return group(*parts, title=words)


QUANTILES = ("5 %", "25 %", "median", "75 %", "95 %")


def hill(edges: Sequence[float], counts: Sequence[int], scale: Scale, base: float) -> str:
    """A histogram as one outline, as high as there is room for its highest bin."""
    highest = max(counts, default=0)
    if highest <= 0 or len(edges) != len(counts) + 1:
        return ""
    inside = [
        (left, right, many)
        for left, right, many in zip(edges, edges[1:], counts, strict=False)
        if scale.holds(left) or scale.holds(right)
    ]
    if not inside:
        return ""
    outline = f"M{spot(scale.within(inside[0][0]))} {spot(base)}"
    for _, right, many in inside:
        outline += f"V{spot(base - HILL * many / highest)}H{spot(scale.within(right))}"
    return path(f"{outline}V{spot(base)}z", "hill")


def shares(bot: Distribution) -> list[float]:
    """How often it came at each rank."""
    every = finite(sum(bot.placements))
    return [games / every for games in bot.placements] if every else []


def bars(bot: Distribution, left: float, base: float, tall: float) -> str:
    """How often it came at each rank; a bar for all games would be so tall."""
    found = shares(bot)
    outline = "".join(
        f"M{spot(left + BAR * rank)} {spot(base)}v{spot(-tall * share)}h6V{spot(base)}z"
        for rank, share in enumerate(found)
    )
    words = ", ".join(f"rank {rank} {percent(share)}" for rank, share in enumerate(found, 1))
    return path(outline, "bars", f"{bot.bot}: {words}")


def describe(found: Spread) -> str:
    """The main figures in words."""
    bots = known(found.bots)
    if not bots:
        return f"No points are known yet{' in ' + str(found.cell) if found.cell.variant else ''}."
    ordered = sorted(bots, key=lambda bot: -bot.mean)
    told = [f"{bot.bot} {number(bot.mean, 1, '+')} (deviation {deviation(bot)})" for bot in ordered]
    words = f"Mean points in a game{where(found)}: "
    words += ", ".join(told[:NAMED])
    return words + (f", down to {told[-1]}." if len(told) > NAMED else ".")


def where(found: Spread) -> str:
    """Of how many bots in which cell; rows that are cells themselves need no more."""
    return f" of {counted(len(found.bots), 'bot')} in {found.cell}" if found.cell.variant else ""


def deviation(bot: Distribution) -> str:
    """A deviation, if it is known."""
    value = finite(bot.deviation)
    return NONE if value is None else number(value, 1)
