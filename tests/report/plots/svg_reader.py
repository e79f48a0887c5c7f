"""Plots read back: what a browser would make of them, and whether all of it can be seen."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as Tree

from arena.report.plots.text import FONT_SIZE, text_width
from tests.cli.hostile_text import HOSTILE_TEXTS

STRANGE_NAMES = (
    *HOSTILE_TEXTS.values(),
    "",
    " ",
    "עברית-בוט",
    "بوت عربي",
    "🂡 🃏 👩‍👩‍👧",
    "日本語ボット",
    "\ud800",
    "x" * 5000,
    "𒐫" * 40,
    "</svg><script>alert(1)</script>",
    "]]>&amp;<!--",
)
"""Names that bots may have, or at least try."""
TAGS = {"svg", "g", "path", "rect", "circle", "text", "title", "desc", "div", "p"}
GEOMETRY = {"x", "y", "cx", "cy", "r", "width", "height", "d", "viewBox", "transform", "textLength"}
OTHER = {
    *("class", "font-size", "text-anchor", "lengthAdjust"),
    *("role", "aria-label", "aria-hidden", "tabindex"),
}
ODD = re.compile(r"nan|inf|none|e[+-]?\d", re.IGNORECASE)
TOKEN = re.compile(r"[A-Za-z]|-?\d*\.?\d+")
SLACK = 1.5
"""Half a line's width, and rounding."""

Point = tuple[float, float]


@dataclass
class Plot:
    """A plot with the places of all that is in it."""

    root: Tree.Element
    width: float
    height: float

    @property
    def title(self) -> str:
        return self.root.findtext("title") or ""

    @property
    def desc(self) -> str:
        return self.root.findtext("desc") or ""

    def texts(self) -> list[str]:
        """What is printed."""
        return [visible_text(one) for one in self.root.iter("text")]

    def kinds(self, kind: str) -> list[Tree.Element]:
        """All elements of a class."""
        return [one for one in self.root.iter() if kind in one.get("class", "").split()]

    def titles(self) -> list[str]:
        """What is told when someone points at something."""
        return [one.text or "" for one in self.root.iter("title")][1:]


def parse_svg(markup: str) -> Tree.Element:
    """Parse markup, and check that it has no forbidden content."""
    root = Tree.fromstring(f"<main>{markup}</main>")  # noqa: S314  # it is ours
    for one in list(root.iter())[1:]:
        assert one.tag in TAGS
        assert set(one.attrib) <= GEOMETRY | OTHER, one.attrib
        for key in GEOMETRY & set(one.attrib):
            assert not ODD.search(one.attrib[key]), (key, one.attrib[key])
        assert float(one.get("width", "1")) >= 0
        assert float(one.get("height", "1")) >= 0
    return root


def parse_plots(markup: str) -> list[Plot]:
    """Parse all plots; check that each has a title and a description and draws inside its box."""
    found = []
    for one in parse_svg(markup).iter("svg"):
        if "viewBox" not in one.attrib or one.get("class") is None:
            continue
        x, y, width, height = map(float, one.attrib["viewBox"].split())
        assert (x, y) == (0, 0)
        found.append(Plot(one, width, height))
        if one.get("role") == "img":
            assert one[0].tag == "title"
            assert one[1].tag == "desc"
            assert (one[0].text or "").strip()
            assert (one[1].text or "").strip()[-1] == "."
        else:
            assert one.get("aria-hidden") == "true"
        for px, py in points(one):
            assert -SLACK <= px <= width + SLACK, (px, width)
            assert -SLACK <= py <= height + SLACK, (py, height)
    return found


def parse_plot(markup: str) -> Plot:
    """Parse the only plot that is more than labels."""
    (found,) = (one for one in parse_plots(markup) if one.root.get("role") == "img")
    return found


def parse_sentence(markup: str) -> str:
    """Parse the sentence that replaces an empty plot."""
    (paragraph,) = parse_svg(markup)
    assert paragraph.tag == "p"
    text = paragraph.text or ""
    assert text.endswith(".")
    return text


def visible_text(text: Tree.Element) -> str:
    """Return the visible text of an element, without its tooltip."""
    return (text.text or "") + "".join(one.tail or "" for one in text)


def points(
    root: Tree.Element, at: Point = (0, 0), size: float = FONT_SIZE, anchor: str = ""
) -> Iterator[Point]:
    """Corners of everything that is drawn; what a window clips is not looked at."""
    for one in root:
        here, own = at, float(one.get("font-size", size))
        turned = False
        if (moved := one.get("transform")) is not None:
            turned = moved.startswith("rotate")
            if not turned:
                x, y = map(float, TOKEN.findall(moved.removeprefix("translate")))
                here = at[0] + x, at[1] + y
        side = one.get("text-anchor", anchor)
        if one.tag == "svg":
            continue
        if one.tag == "g":
            yield from points(one, here, own, side)
            continue
        every = shape(one, own, side)
        if turned:
            (x, y), *_, (right, _) = every
            every = [(x, y), (x + 0.7072 * (right - x), y - 0.7072 * (right - x))]
        yield from ((here[0] + x, here[1] + y) for x, y in every)


def shape(one: Tree.Element, size: float, anchor: str) -> list[Point]:
    """The corners of one element."""
    x, y, width, height = (float(one.get(key, "0")) for key in ("x", "y", "width", "height"))
    if one.tag == "rect":
        return [(x, y), (x + width, y + height)]
    if one.tag == "circle":
        x, y, r = (float(one.attrib[key]) for key in ("cx", "cy", "r"))
        return [(x - r, y - r), (x + r, y + r)]
    if one.tag == "text":
        wide = float(one.get("textLength", text_width(visible_text(one), size)))
        left = x - wide * {"middle": 0.5, "end": 1.0}.get(anchor, 0.0)
        return [(left, y - 0.72 * size), (left + wide, y + 0.2 * size)]
    return list(walk(one.attrib["d"])) if one.tag == "path" else []


def walk(strokes: str) -> Iterator[Point]:
    """The points of a path that has no curves but whole circles."""
    tokens = TOKEN.findall(strokes)
    x = y = 0.0
    command = ""
    while tokens:
        if tokens[0].isalpha():
            command = tokens.pop(0)
        if command in "zZ":
            continue
        if command == "a":
            del tokens[:5]
        if command in "hHvV":
            value = float(tokens.pop(0))
            x = value if command == "H" else x + value * (command == "h")
            y = value if command == "V" else y + value * (command == "v")
        else:
            right, down = float(tokens.pop(0)), float(tokens.pop(0))
            x, y = (right, down) if command.isupper() else (x + right, y + down)
        yield x, y
