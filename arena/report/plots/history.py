"""The history of ratings: a line for each bot with its interval, named where it ends."""

from collections.abc import Sequence
from typing import NamedTuple

from arena.report.plots import axes
from arena.report.plots.labels import apart
from arena.report.plots.markup import breadth, element, group, name, path, plot, sentence
from arena.report.plots.scale import Scale, across, span, steps
from arena.report.plots.values import counted, estimate, finite, reach, spot, usual

APART = "colour, dashes and the sign at its end tell lines apart, and bots further down are grey."
READING = (
    "Each line is a bot's rating as the run went on and the band around it the 95 % interval; "
    + APART
)
NIGHTLY = (
    "Each line is a bot's rating after each night, worked out from all games up to then, and the "
    "band around it the 95 % interval; " + APART
)

WIDTH, HEIGHT = 680.0, 340.0
LABELLED = 12
COLOURS = 6
"""Lines beyond so many have the same colours again, dashed and with hollow signs."""
GAP = 16.0
"""Between the labels of two lines."""
LEAST = 1.0
NAMED = 3
TICKS = 8
TOP, EDGE = 26.0, 40.0
BANDS = 6
"""With more lines than this their bands are fainter."""
FAR = 2000.0
"""Nothing is drawn farther outside than this."""


class Moment(NamedTuple):
    """A rating after some blocks, or at some time."""

    at: float
    mu: float | None
    margin: float | None = None


class Course(NamedTuple):
    """The ratings of a bot in the order of time."""

    label: str
    moments: Sequence[Moment]

    def known(self) -> list[tuple[float, float, float | None]]:
        """Moments that can be drawn."""
        return [
            (at, mu, reach(one.margin))
            for one in self.moments
            if (at := finite(one.at)) is not None and (mu := finite(one.mu)) is not None
        ]

    def runs(self) -> list[list[tuple[float, float, float | None]]]:
        """Moments that hang together: where one is not known the line is broken."""
        runs: list[list[tuple[float, float, float | None]]] = [[]]
        for one in self.moments:
            at, mu = finite(one.at), finite(one.mu)
            if at is not None and mu is not None:
                runs[-1].append((at, mu, reach(one.margin)))
            elif runs[-1]:
                runs.append([])
        return [run for run in runs if run]


def history(
    courses: Sequence[Course],
    *,
    title: str = "Ratings as the run went on",
    across_title: str = "blocks played",
    width: float = WIDTH,
) -> str:
    """The ratings of bots over time; the first twelve that have any are named."""
    drawn = [one for one in courses if one.known()]
    if not drawn:
        return sentence(describe(drawn, across_title))
    named, others = drawn[:LABELLED], drawn[LABELLED:]
    names = min(max(breadth(one.label) for one in named), 0.3 * width)
    base = HEIGHT - axes.BELOW - 4
    y = Scale(*domain(drawn), base, TOP)
    heights = apart([y.at(one.known()[-1][1]) for one in named], GAP, TOP, base)
    rungs = steps(y.low, y.high, 7)
    left, right = max(axes.room(rungs), EDGE), width - names - 30
    x = Scale(*stretch([at for one in drawn for at, _, _ in one.known()]), left, right)
    bands = "band faint" if len(named) > BANDS else "band"
    window = element(
        "svg",
        *(path(line(one, x, y), "other", one.label) for one in reversed(others)),
        *(path(band(one, x, y), f"{bands} c{place % COLOURS}") for place, one in enumerate(named)),
        *(strand(one, place, x, y) for place, one in reversed(list(enumerate(named)))),
        x=left,
        y=TOP - 6,
        width=right - left + 1,
        height=base - TOP + 12,
        viewBox=" ".join(map(spot, (left, TOP - 6, right - left + 1, base - TOP + 12))),
    )
    content = [
        axes.bottom(x, across(x, whole(x)), (base, base + 4), across_title, (0, width)),
        axes.left(y, rungs, left, right, "rating (mu)"),
        window,
        *(
            end(
                one,
                place,
                (x.at(one.known()[-1][0]), y.at(one.known()[-1][1])),
                (right + 14, height),
            )
            for place, (one, height) in enumerate(zip(named, heights, strict=True))
        ),
    ]
    content += [
        name(one.label, (right + 24, height), names + 2)
        for one, height in zip(named, heights, strict=True)
    ]
    return plot("history", (width, HEIGHT), title, describe(drawn, across_title), *content)


def whole(scale: Scale) -> int:
    """So many ticks at most: there is nothing between two blocks, nor between two nights."""
    return min(TICKS, int(scale.high - scale.low) + 1)


def stretch(moments: Sequence[float]) -> tuple[float, float]:
    """From the first to the last moment."""
    return span(moments, 1.0, pad=0.0)


def domain(courses: Sequence[Course]) -> tuple[float, float]:
    """All ratings, and the intervals of the last ones as far as they are not unusually wide."""
    last = [one.known()[-1] for one in courses]
    longest = usual(margin for _, _, margin in last)
    ends = [mu + side * min(margin or 0.0, longest) for _, mu, margin in last for side in (-1, 1)]
    return span([*ends, *(mu for one in courses for _, mu, _ in one.known())], LEAST)


def place_of(x: Scale, y: Scale, at: float, mu: float) -> str:
    """A point, as two coordinates."""
    return f"{spot(x.at(at))} {spot(min(FAR, max(-FAR, y.at(mu))))}"


def line(one: Course, x: Scale, y: Scale) -> str:
    """The line of a bot; a single moment is a short stroke."""
    parts = []
    for run in one.runs():
        points = [place_of(x, y, at, mu) for at, mu, _ in run]
        parts.append(f"M{points[0]}" + ("L" + " ".join(points[1:]) if points[1:] else "h-4"))
    return "".join(parts)


def band(one: Course, x: Scale, y: Scale) -> str:
    """The intervals of a bot as an area."""
    parts = []
    for run in one.runs():
        sides = [(at, mu, margin or 0.0) for at, mu, margin in run]
        upper = [place_of(x, y, at, mu + margin) for at, mu, margin in sides]
        lower = [place_of(x, y, at, mu - margin) for at, mu, margin in reversed(sides)]
        parts.append(f"M{'L'.join(upper + lower)}z")
    return "".join(parts)


def strand(one: Course, place: int, x: Scale, y: Scale) -> str:
    """A named line."""
    dashed = " dashed" if place >= COLOURS else ""
    return path(line(one, x, y), f"line c{place % COLOURS}{dashed}", told(one))


def end(one: Course, place: int, tip: tuple[float, float], at: tuple[float, float]) -> str:
    """The sign of a line beside its name, and a thread from where the line ends."""
    shape = SIGNS[place % len(SIGNS)]
    hollow = " hollow" if place >= COLOURS else ""
    thread = f"M{spot(tip[0] + 1)} {spot(tip[1])}L{spot(at[0] - 5)} {spot(at[1])}"
    mark = f"M{spot(at[0])} {spot(at[1])}{shape}"
    colour = f"c{place % COLOURS}"
    return group(
        path(thread, f"thread {colour}"), path(mark, f"mark {colour}{hollow}"), title=told(one)
    )


SIGNS = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-3.6-3.6h7.2v7.2h-7.2z",
    "m0-4.6l4.4 8h-8.8z",
    "m0-5l5 5l-5 5l-5-5z",
    "m0 4.6l4.4-8h-8.8z",
    "m-1.6-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z",
)
"""Around a place: circle, square, triangle, diamond, triangle upside down, cross."""


def told(one: Course) -> str:
    """Who it is, and how it ends."""
    _, mu, margin = one.known()[-1]
    return f"{one.label}: {estimate(mu, margin)}"


def describe(courses: Sequence[Course], across_title: str) -> str:
    """The main figures in words."""
    if not courses:
        return "No ratings are known yet."
    ordered = sorted(courses, key=lambda one: -one.known()[-1][1])
    final = [f"{one.label} {estimate(*one.known()[-1][1:])}" for one in ordered]
    last = max(at for one in courses for at, _, _ in one.known())
    words = (
        f"Ratings of {counted(len(courses), 'bot')} up to {last:,.0f} {across_title}; at the end "
    )
    words += ", ".join(final[:NAMED])
    return words + (f", down to {final[-1]}." if len(final) > NAMED else ".")
