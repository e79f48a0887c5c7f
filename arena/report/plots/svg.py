"""SVG elements with escaped text, label placement, and plots in two widths."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from arena.report.plots.text import SIZE, coordinate, has_doubtful_width, shorten, text_width
from arena.sanitize import cut_middle, printable

SCREEN_WIDTH, PHONE_WIDTH = 680.0, 343.0
"""For most screens, and for a phone without its margins."""


def draw_both_widths(draw: Callable[[float], str]) -> str:
    """A plot drawn twice; the style sheet hides one, also from those who listen to the page."""
    wide, narrow = draw(SCREEN_WIDTH), draw(PHONE_WIDTH)
    return f'<div class="plot-wide">{wide}</div><div class="plot-narrow">{narrow}</div>'


@dataclass
class LabelGroup:
    """Labels next to each other that lean on each other."""

    preferred: list[float]
    """Where each would have the first of them stand."""

    @property
    def first(self) -> float:
        """Where the first stands: as near as can be to what all wish, in the mean square."""
        return sum(self.preferred) / len(self.preferred)


def separate_labels(preferred: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The height of each label, at least a gap apart, in the order of their wishes.

    All stay between `low` and `high`; where there is no room for that, they go on below `high`.
    """
    order = sorted(range(len(preferred)), key=lambda place: preferred[place])
    piles: list[LabelGroup] = []
    for place in order:
        pile = LabelGroup([preferred[place]])
        while piles and piles[-1].first + gap * len(piles[-1].preferred) > pile.first:
            above = piles.pop()
            shift = gap * len(above.preferred)
            pile = LabelGroup(above.preferred + [wish - shift for wish in pile.preferred])
        piles.append(pile)
    heights = [pile.first + gap * each for pile in piles for each in range(len(pile.preferred))]
    count = len(heights)
    for place in range(count):
        top, base = low + gap * place, high - gap * (count - 1 - place)
        heights[place] = max(top, min(base, heights[place]))
    found = [0.0] * count
    for place, height in zip(order, heights, strict=True):
        found[place] = height
    return found


AttributeValue = str | float | None
Point = tuple[float, float]

MAX_TEXT_LENGTH = 1000
"""Characters that are told to those who listen, or who point at something."""


cached_printable = lru_cache(10_000)(printable)
"""The same few texts, such as figures with a ±, stand in very many places."""


def escape_text(text: str) -> str:
    """A text without what would not simply show, fit to stand in an element or an attribute."""
    return escape(printable(text) if text.isascii() else cached_printable(text))


def element(name: str, *content: str, **attributes: AttributeValue) -> str:
    """An element; numbers are coordinates, and what is None is left out."""
    written = "".join(
        f' {key.removesuffix("_").replace("_", "-")}="{attribute_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def attribute_text(value: str | float) -> str:
    """An attribute's value."""
    return escape_text(value) if isinstance(value, str) else coordinate(value)


def plot(kind: str, size: tuple[float, float], title: str, description: str, *content: str) -> str:
    """A whole plot: what it is for those who do not see it, and what is drawn."""
    return drawing(
        kind,
        size,
        title_element(title),
        title_element(description, "desc"),
        *content,
        role="img",
        font_size=SIZE,
    )


def drawing(
    kind: str,
    size: tuple[float, float],
    *content: str,
    font_size: float = SIZE,
    **other: AttributeValue,
) -> str:
    """A part of the page on which something is drawn."""
    width, height = size
    return element(
        "svg",
        *content,
        class_=f"plot {kind}",
        viewBox=f"0 0 {coordinate(width)} {coordinate(height)}",
        width=width,
        height=height,
        font_size=font_size,
        **other,
    )


def placeholder(text: str) -> str:
    """What stands in the place of a plot that would be empty."""
    return element("p", escape_text(cut_middle(text, MAX_TEXT_LENGTH)), class_="plot-none")


def title_element(text: str | None, kind: str = "title") -> str:
    """What is told of an element when someone points at it, if anything."""
    return "" if text is None else element(kind, escape_text(cut_middle(text, MAX_TEXT_LENGTH)))


def group(*content: str, kind: str | None = None, title: str | None = None) -> str:
    """Some elements, with what is told when someone points at them."""
    return element("g", title_element(title), *content, class_=kind)


def path(strokes: str, kind: str, title: str | None = None) -> str:
    """A path, or nothing if it would be empty."""
    return element("path", title_element(title), class_=kind, d=strokes) if strokes else ""


def text_line(text: str, at: Point, size: float = SIZE, **attributes: AttributeValue) -> str:
    """A line of text, whose middle is as high as the place."""
    other = None if size == SIZE else size
    return text_element(escape_text(text), at, size, font_size=other, **attributes)


def text_lines(
    lines: Iterable[tuple[str, Point]], size: float = SIZE, **attributes: AttributeValue
) -> str:
    """Lines of text that share all that is said of them but their places."""
    every = [text_element(escape_text(text), at, size) for text, at in lines]
    other = None if size == SIZE else size
    return element("g", *every, font_size=other, **attributes) if every else ""


def name_label(text: str, at: Point, room: float, **attributes: AttributeValue) -> str:
    """A name that strangers chose: cut to its room, and whole when someone points at it."""
    whole = printable(text)
    shown = shorten(whole, room)
    if has_doubtful_width(shown):
        squeezed: dict[str, AttributeValue] = {
            "textLength": text_width(shown),
            "lengthAdjust": "spacingAndGlyphs",
        }
        attributes = {**attributes, **squeezed}
    title = None if shown == whole else whole
    return text_element(title_element(title) + escape(shown), at, SIZE, **attributes)


def name_width(text: str) -> float:
    """How wide a name is as it is shown, if it is not cut."""
    return text_width(printable(text))


def text_element(content: str, at: Point, size: float, **attributes: AttributeValue) -> str:
    """A line of what is already clean."""
    x, y = at
    return element("text", content, x=x, y=y + 0.35 * size, **attributes)


def rotation(at: Point, angle: float) -> str:
    """How to turn something around a place."""
    return f"rotate({coordinate(angle)} {coordinate(at[0])} {coordinate(at[1])})"
