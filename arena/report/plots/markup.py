"""Markup: elements of SVG as text, in which whatever strangers wrote is only text."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape

from arena.printable import printable, short
from arena.report.plots.text import SIZE, doubtful, measure, shorten
from arena.report.plots.values import spot

Attribute = str | float | None
At = tuple[float, float]

LONGEST = 1000
"""Characters that are told to those who listen, or who point at something."""


looked_at = lru_cache(10_000)(printable)
"""The same few texts, such as figures with a ±, stand in very many places."""


def clean(text: str) -> str:
    """A text without what would not simply show, fit to stand in an element or an attribute."""
    return escape(printable(text) if text.isascii() else looked_at(text))


def element(name: str, *content: str, **attributes: Attribute) -> str:
    """An element; numbers are coordinates, and what is None is left out."""
    written = "".join(
        f' {key.removesuffix("_").replace("_", "-")}="{value_of(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def value_of(value: str | float) -> str:
    """An attribute's value."""
    return clean(value) if isinstance(value, str) else spot(value)


def plot(kind: str, size: tuple[float, float], title: str, description: str, *content: str) -> str:
    """A whole plot: what it is for those who do not see it, and what is drawn."""
    return drawing(
        kind, size, told(title), told(description, "desc"), *content, role="img", font_size=SIZE
    )


def drawing(
    kind: str, size: tuple[float, float], *content: str, font_size: float = SIZE, **other: Attribute
) -> str:
    """A part of the page on which something is drawn."""
    width, height = size
    return element(
        "svg",
        *content,
        class_=f"plot {kind}",
        viewBox=f"0 0 {spot(width)} {spot(height)}",
        width=width,
        height=height,
        font_size=font_size,
        **other,
    )


def sentence(text: str) -> str:
    """What stands in the place of a plot that would be empty."""
    return element("p", clean(short(text, LONGEST)), class_="plot-none")


def told(text: str | None, kind: str = "title") -> str:
    """What is told of an element when someone points at it, if anything."""
    return "" if text is None else element(kind, clean(short(text, LONGEST)))


def group(*content: str, kind: str | None = None, title: str | None = None) -> str:
    """Some elements, with what is told when someone points at them."""
    return element("g", told(title), *content, class_=kind)


def path(strokes: str, kind: str, title: str | None = None) -> str:
    """A path, or nothing if it would be empty."""
    return element("path", told(title), class_=kind, d=strokes) if strokes else ""


def write(text: str, at: At, size: float = SIZE, **attributes: Attribute) -> str:
    """A line of text, whose middle is as high as the place."""
    other = None if size == SIZE else size
    return line(clean(text), at, size, font_size=other, **attributes)


def writings(lines: Iterable[tuple[str, At]], size: float = SIZE, **attributes: Attribute) -> str:
    """Lines of text that share all that is said of them but their places."""
    every = [line(clean(text), at, size) for text, at in lines]
    other = None if size == SIZE else size
    return element("g", *every, font_size=other, **attributes) if every else ""


def name(text: str, at: At, room: float, **attributes: Attribute) -> str:
    """A name that strangers chose: cut to its room, and whole when someone points at it."""
    whole = printable(text)
    shown = shorten(whole, room)
    if doubtful(shown):
        squeezed: dict[str, Attribute] = {
            "textLength": measure(shown),
            "lengthAdjust": "spacingAndGlyphs",
        }
        attributes = {**attributes, **squeezed}
    title = None if shown == whole else whole
    return line(told(title) + escape(shown), at, SIZE, **attributes)


def breadth(text: str) -> float:
    """How wide a name is as it is shown, if it is not cut."""
    return measure(printable(text))


def line(content: str, at: At, size: float, **attributes: Attribute) -> str:
    """A line of what is already clean."""
    x, y = at
    return element("text", content, x=x, y=y + 0.35 * size, **attributes)


def turned(at: At, angle: float) -> str:
    """How to turn something around a place."""
    return f"rotate({spot(angle)} {spot(at[0])} {spot(at[1])})"
