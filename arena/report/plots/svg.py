"""SVG elements with escaped text, label placement, and plots in two widths."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from arena.report.plots.text import FONT_SIZE, coordinate, has_doubtful_width, shorten, text_width
from arena.sanitize import cut_middle, printable

SCREEN_WIDTH, PHONE_WIDTH = 680.0, 343.0
"""Widths of plots for screens, and for phones without margins."""
AttributeValue = str | float | None
Point = tuple[float, float]
MAX_TEXT_LENGTH = 1000
"""Characters of descriptions and tooltips."""
cached_printable = lru_cache(10_000)(printable)
"""Cached, since the same few texts, such as figures with a ±, are drawn very often."""


def draw_both_widths(draw: Callable[[float], str]) -> str:
    """Draw a plot twice; the style sheet hides one, also from screen readers."""
    wide, narrow = draw(SCREEN_WIDTH), draw(PHONE_WIDTH)
    return f'<div class="plot-wide">{wide}</div><div class="plot-narrow">{narrow}</div>'


@dataclass
class LabelGroup:
    """Neighbouring labels that touch."""

    preferred: list[float]
    """For each label the preferred coordinate of the first one."""

    @property
    def first(self) -> float:
        """The coordinate of the first label, with the least mean square distance for all."""
        return sum(self.preferred) / len(self.preferred)


def separate_labels(preferred: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Place labels near their preferred coordinates, at least a gap apart.

    All stay between `low` and `high`; if there is not enough room, they continue below `high`.
    """
    order = sorted(range(len(preferred)), key=lambda place: preferred[place])
    groups: list[LabelGroup] = []
    for place in order:
        label_group = LabelGroup([preferred[place]])
        while groups and groups[-1].first + gap * len(groups[-1].preferred) > label_group.first:
            above = groups.pop()
            shift = gap * len(above.preferred)
            label_group = LabelGroup(
                above.preferred + [wish - shift for wish in label_group.preferred]
            )
        groups.append(label_group)
    heights = [
        label_group.first + gap * each
        for label_group in groups
        for each in range(len(label_group.preferred))
    ]
    count = len(heights)
    for place in range(count):
        top, base = low + gap * place, high - gap * (count - 1 - place)
        heights[place] = max(top, min(base, heights[place]))
    placed = [0.0] * count
    for place, height in zip(order, heights, strict=True):
        placed[place] = height
    return placed


def escape_text(text: str) -> str:
    """Escape a text for an element or an attribute, and replace what is not printable."""
    return escape(printable(text) if text.isascii() else cached_printable(text))


def element(name: str, *content: str, **attributes: AttributeValue) -> str:
    """An element; numbers are coordinates, and attributes that are None are left out."""
    written = "".join(
        f' {key.removesuffix("_").replace("_", "-")}="{attribute_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def attribute_text(value: str | float) -> str:
    """Format the value of an attribute."""
    return escape_text(value) if isinstance(value, str) else coordinate(value)


def plot(kind: str, size: tuple[float, float], title: str, description: str, *content: str) -> str:
    """A whole plot with a title and a description for screen readers."""
    return drawing(
        kind,
        size,
        title_element(title),
        title_element(description, "desc"),
        *content,
        role="img",
        font_size=FONT_SIZE,
    )


def drawing(
    kind: str,
    size: tuple[float, float],
    *content: str,
    font_size: float = FONT_SIZE,
    **other: AttributeValue,
) -> str:
    """An `svg` element."""
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
    """A paragraph in place of an empty plot."""
    return element("p", escape_text(cut_middle(text, MAX_TEXT_LENGTH)), class_="plot-none")


def title_element(text: str | None, kind: str = "title") -> str:
    """The tooltip or description of an element, if it has one."""
    return "" if text is None else element(kind, escape_text(cut_middle(text, MAX_TEXT_LENGTH)))


def group(*content: str, kind: str | None = None, title: str | None = None) -> str:
    """A group of elements with a common tooltip."""
    return element("g", title_element(title), *content, class_=kind)


def path(strokes: str, kind: str, title: str | None = None) -> str:
    """A path; nothing if it is empty."""
    return element("path", title_element(title), class_=kind, d=strokes) if strokes else ""


def text_line(text: str, at: Point, size: float = FONT_SIZE, **attributes: AttributeValue) -> str:
    """A line of text that is centred vertically at a point."""
    other = None if size == FONT_SIZE else size
    return text_element(escape_text(text), at, size, font_size=other, **attributes)


def text_lines(
    lines: Iterable[tuple[str, Point]], size: float = FONT_SIZE, **attributes: AttributeValue
) -> str:
    """Lines of text with the same attributes."""
    every = [text_element(escape_text(text), at, size) for text, at in lines]
    other = None if size == FONT_SIZE else size
    return element("g", *every, font_size=other, **attributes) if every else ""


def name_label(text: str, at: Point, room: float, **attributes: AttributeValue) -> str:
    """A name cut to its room, with the whole name as its tooltip."""
    whole = printable(text)
    label = shorten(whole, room)
    if has_doubtful_width(label):
        squeezed: dict[str, AttributeValue] = {
            "textLength": text_width(label),
            "lengthAdjust": "spacingAndGlyphs",
        }
        attributes = {**attributes, **squeezed}
    title = None if label == whole else whole
    return text_element(title_element(title) + escape(label), at, FONT_SIZE, **attributes)


def name_width(text: str) -> float:
    """The width of a name that is not cut."""
    return text_width(printable(text))


def text_element(content: str, at: Point, size: float, **attributes: AttributeValue) -> str:
    """A line of text that is already escaped."""
    x, y = at
    return element("text", content, x=x, y=y + 0.35 * size, **attributes)


def rotation(at: Point, angle: float) -> str:
    """The attribute `transform` that turns an element around a point."""
    return f"rotate({coordinate(angle)} {coordinate(at[0])} {coordinate(at[1])})"
