"""The fairness of a cell as strips: how often something happened, from the least to the most."""

from collections.abc import Sequence
from typing import NamedTuple

from arena.report.plots.markup import breadth, element, name, path, plot, sentence, write
from arena.report.plots.text import measure
from arena.report.plots.values import counted, spot

READING = (
    "Each strip is full as far as everybody got, and striped from there to what the luckiest got; "
    "without stripes all got the same."
)

ROW, TALL = 22.0, 10.0
WIDTH = 460.0


class Balance(NamedTuple):
    """How often something happened to those it happened to least and most."""

    what: str
    least: int
    most: int
    balanced: bool


def certificate(
    balances: Sequence[Balance], *, title: str = "Fairness", width: float = WIDTH
) -> str:
    """A strip for each balance, each on a scale of its own from zero to the most."""
    if not balances:
        return sentence(describe(balances))
    names = min(max(breadth(one.what) for one in balances), 0.45 * width) + 10
    texts = [written(one) for one in balances]
    figures = max(map(measure, texts)) + 12
    room = max(width - names - figures - 20, 20.0)
    content = []
    for place, (one, text) in enumerate(zip(balances, texts, strict=True)):
        y = 4 + ROW * (place + 0.5)
        full = room * min(one.least / one.most, 1.0) if one.most > 0 else 0.0
        content += [
            name(one.what, (names - 10, y), names - 10, text_anchor="end"),
            element("rect", class_="track", x=names, y=y - TALL / 2, width=room, height=TALL),
        ]
        if full:
            content.append(
                element("rect", class_="full", x=names, y=y - TALL / 2, width=full, height=TALL)
            )
        if one.most > one.least:
            content.append(path(stripes(names + full, names + room, y), "stripes"))
        sign = "✓" if one.balanced else "≠"
        content += [
            write(
                sign,
                (names + room + 12, y),
                class_="good" if one.balanced else "warn",
                text_anchor="middle",
            ),
            write(text, (width, y), text_anchor="end"),
        ]
    size = width, 8 + ROW * len(balances)
    return plot("certificate", size, title, describe(balances), *content)


def stripes(left: float, right: float, y: float) -> str:
    """Strokes that fill a part of a strip, at least one."""
    many = max(1, int((right - left) / 4))
    step = (right - left) / many
    return "".join(
        f"M{spot(left + step * (each + 0.5))} {spot(y - TALL / 2)}v{spot(TALL)}"
        for each in range(many)
    )


def written(one: Balance) -> str:
    """From the least to the most."""
    return f"all {one.least:,}" if one.least == one.most else f"{one.least:,} to {one.most:,}"


def describe(balances: Sequence[Balance]) -> str:
    """The figures in words."""
    told = ", ".join(
        f"{one.what} {written(one)} ({'balanced' if one.balanced else 'not balanced'})"
        for one in balances
    )
    return f"{counted(len(balances), 'balance')}: {told}." if told else "Nothing is counted yet."
