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
from arena.report.plots.text import coordinate, estimate_text, finite, finite_margin, margin_limit
from arena.text import plural

LINE_LEGEND = (
    "colour, dashes and the sign at its end tell lines apart, and bots further down are grey."
)
READING = (
    "Each line is a bot's rating as the run went on and the band around it the 95 % interval; "
    + LINE_LEGEND
)
NIGHT_READING = (
    "Each line is a bot's rating after each night, worked out from all games up to then, and the "
    "band around it the 95 % interval; " + LINE_LEGEND
)

WIDTH, HEIGHT = 680.0, 340.0
MAX_LABELS = 12
COLOUR_COUNT = 6
"""Further lines repeat the colours, dashed and with hollow marks."""
LABEL_GAP = 16.0
"""The least gap between the labels of two lines."""
MIN_DOMAIN = 1.0
"""The least height of the scale."""
MAX_NAMED = 3
MAX_TICKS = 8
TOP, MIN_LEFT_WIDTH = 26.0, 40.0
MAX_STRONG_BANDS = 6
"""With more lines than this, their bands are fainter."""
MAX_COORDINATE = 2000.0
"""The greatest coordinate outside of the plot."""
MARK_PATHS = (
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
            (at, mu, finite_margin(point.margin))
            for point in self.points
            if (at := finite(point.at)) is not None and (mu := finite(point.mu)) is not None
        ]

    def segments(self) -> list[list[tuple[float, float, float | None]]]:
        """The known points in connected runs: an unknown rating breaks the line."""
        runs: list[list[tuple[float, float, float | None]]] = [[]]
        for point in self.points:
            at, mu = finite(point.at), finite(point.mu)
            if at is not None and mu is not None:
                runs[-1].append((at, mu, finite_margin(point.margin)))
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
    drawn = [curve for curve in curves if curve.known_points()]
    if not drawn:
        return placeholder(describe(drawn, x_title))
    named, others = drawn[:MAX_LABELS], drawn[MAX_LABELS:]
    names_width = min(max(name_width(curve.label) for curve in named), 0.3 * width)
    base = HEIGHT - plots_scale.AXIS_HEIGHT - 4
    y = Scale(*domain(drawn), base, TOP)
    heights = separate_labels(
        [y.at(curve.known_points()[-1][1]) for curve in named], LABEL_GAP, TOP, base
    )
    y_ticks = round_ticks(y.low, y.high, 7)
    left, right = (
        max(plots_scale.left_axis_width(y_ticks), MIN_LEFT_WIDTH),
        width - names_width - 30,
    )
    x = Scale(
        *time_range([at for curve in drawn for at, _, _ in curve.known_points()]), left, right
    )
    bands = "band faint" if len(named) > MAX_STRONG_BANDS else "band"
    window = element(
        "svg",
        *(path(line_path(curve, x, y), "other", curve.label) for curve in reversed(others)),
        *(
            path(band_path(curve, x, y), f"{bands} c{place % COLOUR_COUNT}")
            for place, curve in enumerate(named)
        ),
        *(draw_curve(curve, place, x, y) for place, curve in reversed(list(enumerate(named)))),
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
                curve,
                place,
                (x.at(curve.known_points()[-1][0]), y.at(curve.known_points()[-1][1])),
                (right + 14, height),
            )
            for place, (curve, height) in enumerate(zip(named, heights, strict=True))
        ),
    ]
    content += [
        name_label(curve.label, (right + 24, height), names_width + 2)
        for curve, height in zip(named, heights, strict=True)
    ]
    return plot("history", (width, HEIGHT), title, describe(drawn, x_title), *content)


def tick_count(scale: Scale) -> int:
    """The number of ticks; there is no value between two blocks or two nights."""
    return min(MAX_TICKS, int(scale.high - scale.low) + 1)


def time_range(times: Sequence[float]) -> tuple[float, float]:
    """The ends of the time scale."""
    return padded_range(times, 1.0, pad=0.0)


def domain(curves: Sequence[RatingCurve]) -> tuple[float, float]:
    """The ends of a scale for all ratings, and for the last intervals if they are not too wide."""
    last = [curve.known_points()[-1] for curve in curves]
    longest = margin_limit(margin for _, _, margin in last)
    ends = [mu + side * min(margin or 0.0, longest) for _, mu, margin in last for side in (-1, 1)]
    return padded_range(
        [*ends, *(mu for curve in curves for _, mu, _ in curve.known_points())], MIN_DOMAIN
    )


def point_text(x: Scale, y: Scale, at: float, mu: float) -> str:
    """A point as two coordinates."""
    return (
        f"{coordinate(x.at(at))} {coordinate(min(MAX_COORDINATE, max(-MAX_COORDINATE, y.at(mu))))}"
    )


def line_path(curve: RatingCurve, x: Scale, y: Scale) -> str:
    """The line of a bot; a single point is a short stroke."""
    parts = []
    for run in curve.segments():
        points = [point_text(x, y, at, mu) for at, mu, _ in run]
        parts.append(f"M{points[0]}" + ("L" + " ".join(points[1:]) if points[1:] else "h-4"))
    return "".join(parts)


def band_path(curve: RatingCurve, x: Scale, y: Scale) -> str:
    """The intervals of a bot as an area."""
    parts = []
    for run in curve.segments():
        sides = [(at, mu, margin or 0.0) for at, mu, margin in run]
        upper = [point_text(x, y, at, mu + margin) for at, mu, margin in sides]
        lower = [point_text(x, y, at, mu - margin) for at, mu, margin in reversed(sides)]
        parts.append(f"M{'L'.join(upper + lower)}z")
    return "".join(parts)


def draw_curve(curve: RatingCurve, place: int, x: Scale, y: Scale) -> str:
    """Draw the line of a named bot."""
    dashed = " dashed" if place >= COLOUR_COUNT else ""
    return path(line_path(curve, x, y), f"line c{place % COLOUR_COUNT}{dashed}", curve_title(curve))


def draw_end(
    curve: RatingCurve, place: int, tip: tuple[float, float], at: tuple[float, float]
) -> str:
    """Draw the mark beside the name of a line, and a connection to the end of the line."""
    shape = MARK_PATHS[place % len(MARK_PATHS)]
    hollow = " hollow" if place >= COLOUR_COUNT else ""
    thread = (
        f"M{coordinate(tip[0] + 1)} {coordinate(tip[1])}L{coordinate(at[0] - 5)} "
        f"{coordinate(at[1])}"
    )
    mark = f"M{coordinate(at[0])} {coordinate(at[1])}{shape}"
    colour = f"c{place % COLOUR_COUNT}"
    return group(
        path(thread, f"thread {colour}"),
        path(mark, f"mark {colour}{hollow}"),
        title=curve_title(curve),
    )


def curve_title(curve: RatingCurve) -> str:
    """The tooltip of a line: the bot and its last rating."""
    _, mu, margin = curve.known_points()[-1]
    return f"{curve.label}: {estimate_text(mu, margin)}"


def describe(curves: Sequence[RatingCurve], x_title: str) -> str:
    """The main figures in words."""
    if not curves:
        return "No ratings are known yet."
    ordered = sorted(curves, key=lambda curve: -curve.known_points()[-1][1])
    final = [f"{curve.label} {estimate_text(*curve.known_points()[-1][1:])}" for curve in ordered]
    last = max(at for curve in curves for at, _, _ in curve.known_points())
    words = f"Ratings of {plural(len(curves), 'bot')} up to {last:,.0f} {x_title}; at the end "
    words += ", ".join(final[:MAX_NAMED])
    return words + (f", down to {final[-1]}." if len(final) > MAX_NAMED else ".")
