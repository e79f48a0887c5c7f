"""A line chart of the ratings of bots over time, with confidence bands."""

from collections.abc import Sequence
from typing import NamedTuple

from arena.report.plots import scale as plots_scale
from arena.report.plots.scale import Scale, padded_range, round_ticks, spaced_ticks
from arena.report.plots.svg import (
    element,
    group,
    name_label,
    name_width,
    path,
    placeholder,
    plot,
    separate_labels,
)
from arena.report.plots.text import (
    coordinate,
    counted,
    estimate,
    finite,
    finite_margin,
    margin_limit,
)

APART = "colour, dashes and the sign at its end tell lines apart, and bots further down are grey."
READING = (
    "Each line is a bot's rating as the run went on and the band around it the 95 % interval; "
    + APART
)
NIGHT_READING = (
    "Each line is a bot's rating after each night, worked out from all games up to then, and the "
    "band around it the 95 % interval; " + APART
)

WIDTH, HEIGHT = 680.0, 340.0
MAX_LABELS = 12
COLOURS = 6
"""Further lines repeat the colours, dashed and with hollow marks."""
LABEL_GAP = 16.0
"""The least gap between the labels of two lines."""
MIN_DOMAIN = 1.0
"""The least height of the scale."""
NAMED = 3
TICKS = 8
TOP, EDGE = 26.0, 40.0
MAX_STRONG_BANDS = 6
"""With more lines than this, their bands are fainter."""
MAX_COORDINATE = 2000.0
"""The greatest coordinate outside of the plot."""
MARKS = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-3.6-3.6h7.2v7.2h-7.2z",
    "m0-4.6l4.4 8h-8.8z",
    "m0-5l5 5l-5 5l-5-5z",
    "m0 4.6l4.4-8h-8.8z",
    "m-1.6-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z",
)
"""Paths from a point: circle, square, triangle, diamond, inverted triangle, cross."""


class RatingPoint(NamedTuple):
    """A rating after some blocks, or at some time."""

    at: float
    mu: float | None
    margin: float | None = None


class RatingCurve(NamedTuple):
    """The ratings of a bot in order of time."""

    label: str
    points: Sequence[RatingPoint]

    def known_points(self) -> list[tuple[float, float, float | None]]:
        """The points that can be drawn."""
        return [
            (at, mu, finite_margin(one.margin))
            for one in self.points
            if (at := finite(one.at)) is not None and (mu := finite(one.mu)) is not None
        ]

    def segments(self) -> list[list[tuple[float, float, float | None]]]:
        """The known points in connected runs: an unknown rating breaks the line."""
        runs: list[list[tuple[float, float, float | None]]] = [[]]
        for one in self.points:
            at, mu = finite(one.at), finite(one.mu)
            if at is not None and mu is not None:
                runs[-1].append((at, mu, finite_margin(one.margin)))
            elif runs[-1]:
                runs.append([])
        return [run for run in runs if run]


def draw(
    curves: Sequence[RatingCurve],
    *,
    title: str = "Ratings as the run went on",
    x_title: str = "blocks played",
    width: float = WIDTH,
) -> str:
    """Draw the ratings of bots over time; the first twelve bots with a rating are named."""
    drawn = [one for one in curves if one.known_points()]
    if not drawn:
        return placeholder(describe(drawn, x_title))
    named, others = drawn[:MAX_LABELS], drawn[MAX_LABELS:]
    names_width = min(max(name_width(one.label) for one in named), 0.3 * width)
    base = HEIGHT - plots_scale.AXIS_HEIGHT - 4
    y = Scale(*domain(drawn), base, TOP)
    heights = separate_labels(
        [y.at(one.known_points()[-1][1]) for one in named], LABEL_GAP, TOP, base
    )
    y_ticks = round_ticks(y.low, y.high, 7)
    left, right = max(plots_scale.left_axis_width(y_ticks), EDGE), width - names_width - 30
    x = Scale(*time_range([at for one in drawn for at, _, _ in one.known_points()]), left, right)
    bands = "band faint" if len(named) > MAX_STRONG_BANDS else "band"
    window = element(
        "svg",
        *(path(line_path(one, x, y), "other", one.label) for one in reversed(others)),
        *(
            path(band_path(one, x, y), f"{bands} c{place % COLOURS}")
            for place, one in enumerate(named)
        ),
        *(draw_curve(one, place, x, y) for place, one in reversed(list(enumerate(named)))),
        x=left,
        y=TOP - 6,
        width=right - left + 1,
        height=base - TOP + 12,
        viewBox=" ".join(map(coordinate, (left, TOP - 6, right - left + 1, base - TOP + 12))),
    )
    content = [
        plots_scale.bottom_axis(
            x, spaced_ticks(x, tick_count(x)), (base, base + 4), x_title, (0, width)
        ),
        plots_scale.left_axis(y, y_ticks, left, right, "rating (mu)"),
        window,
        *(
            draw_end(
                one,
                place,
                (x.at(one.known_points()[-1][0]), y.at(one.known_points()[-1][1])),
                (right + 14, height),
            )
            for place, (one, height) in enumerate(zip(named, heights, strict=True))
        ),
    ]
    content += [
        name_label(one.label, (right + 24, height), names_width + 2)
        for one, height in zip(named, heights, strict=True)
    ]
    return plot("history", (width, HEIGHT), title, describe(drawn, x_title), *content)


def tick_count(scale: Scale) -> int:
    """The number of ticks; there is no value between two blocks or two nights."""
    return min(TICKS, int(scale.high - scale.low) + 1)


def time_range(times: Sequence[float]) -> tuple[float, float]:
    """The ends of the time scale."""
    return padded_range(times, 1.0, pad=0.0)


def domain(curves: Sequence[RatingCurve]) -> tuple[float, float]:
    """The ends of a scale for all ratings, and for the last intervals if they are not too wide."""
    last = [one.known_points()[-1] for one in curves]
    longest = margin_limit(margin for _, _, margin in last)
    ends = [mu + side * min(margin or 0.0, longest) for _, mu, margin in last for side in (-1, 1)]
    return padded_range(
        [*ends, *(mu for one in curves for _, mu, _ in one.known_points())], MIN_DOMAIN
    )


def point_text(x: Scale, y: Scale, at: float, mu: float) -> str:
    """A point as two coordinates."""
    return (
        f"{coordinate(x.at(at))} {coordinate(min(MAX_COORDINATE, max(-MAX_COORDINATE, y.at(mu))))}"
    )


def line_path(one: RatingCurve, x: Scale, y: Scale) -> str:
    """The line of a bot; a single point is a short stroke."""
    parts = []
    for run in one.segments():
        points = [point_text(x, y, at, mu) for at, mu, _ in run]
        parts.append(f"M{points[0]}" + ("L" + " ".join(points[1:]) if points[1:] else "h-4"))
    return "".join(parts)


def band_path(one: RatingCurve, x: Scale, y: Scale) -> str:
    """The intervals of a bot as an area."""
    parts = []
    for run in one.segments():
        sides = [(at, mu, margin or 0.0) for at, mu, margin in run]
        upper = [point_text(x, y, at, mu + margin) for at, mu, margin in sides]
        lower = [point_text(x, y, at, mu - margin) for at, mu, margin in reversed(sides)]
        parts.append(f"M{'L'.join(upper + lower)}z")
    return "".join(parts)


def draw_curve(one: RatingCurve, place: int, x: Scale, y: Scale) -> str:
    """Draw the line of a named bot."""
    dashed = " dashed" if place >= COLOURS else ""
    return path(line_path(one, x, y), f"line c{place % COLOURS}{dashed}", curve_title(one))


def draw_end(
    one: RatingCurve, place: int, tip: tuple[float, float], at: tuple[float, float]
) -> str:
    """Draw the mark beside the name of a line, and a connection to the end of the line."""
    shape = MARKS[place % len(MARKS)]
    hollow = " hollow" if place >= COLOURS else ""
    thread = (
        f"M{coordinate(tip[0] + 1)} {coordinate(tip[1])}L{coordinate(at[0] - 5)} "
        f"{coordinate(at[1])}"
    )
    mark = f"M{coordinate(at[0])} {coordinate(at[1])}{shape}"
    colour = f"c{place % COLOURS}"
    return group(
        path(thread, f"thread {colour}"),
        path(mark, f"mark {colour}{hollow}"),
        title=curve_title(one),
    )


def curve_title(one: RatingCurve) -> str:
    """The tooltip of a line: the bot and its last rating."""
    _, mu, margin = one.known_points()[-1]
    return f"{one.label}: {estimate(mu, margin)}"


def describe(curves: Sequence[RatingCurve], x_title: str) -> str:
    """The main figures in words."""
    if not curves:
        return "No ratings are known yet."
    ordered = sorted(curves, key=lambda one: -one.known_points()[-1][1])
    final = [f"{one.label} {estimate(*one.known_points()[-1][1:])}" for one in ordered]
    last = max(at for one in curves for at, _, _ in one.known_points())
    words = f"Ratings of {counted(len(curves), 'bot')} up to {last:,.0f} {x_title}; at the end "
    words += ", ".join(final[:NAMED])
    return words + (f", down to {final[-1]}." if len(final) > NAMED else ".")
