"""Colours: every text can be read on what it stands on, in light and in dark."""

import re
from itertools import product
from pathlib import Path

import pytest

from arena.report.plots import heatmap

STATIC = Path(heatmap.__file__).parents[1] / "static"
PALETTE, PLOTS = ((STATIC / name).read_text() for name in ("palette.css", "plots.css"))
COLOUR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
THEMES = ("light", "dark")
NAMES = {
    *("paper", "panel", "ink", "muted", "line", "accent", "accent-ink", "good", "warn", "bad"),
    *("focus", "div-low", "div-mid", "div-high"),
    *(f"seq-{level}" for level in range(heatmap.LEVELS)),
    *(f"series-{each}" for each in range(6)),
}

Colour = tuple[float, float, float]


def colours(theme: str) -> dict[str, Colour]:
    place = THEMES.index(theme) + 1
    return {
        found[1]: (
            int(found[place + 1][1:3], 16),
            int(found[place + 1][3:5], 16),
            int(found[place + 1][5:7], 16),
        )
        for found in COLOUR.finditer(PALETTE)
    }


def luminance(colour: Colour) -> float:
    linear = [
        one / 255 / 12.92 if one / 255 <= 0.04045 else ((one / 255 + 0.055) / 1.055) ** 2.4
        for one in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    """As the Web Content Accessibility Guidelines have it."""
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def diverging(theme: str) -> list[Colour]:
    """The nine colours around a middle, as plots.css mixes them."""
    found = colours(theme)
    shares: dict[int, float] = {}
    pattern = r":is\(\.d(\d), \.d(\d)\) \{ fill-opacity: ([\d.]+); \}"
    for low, high, share in re.findall(pattern, PLOTS):
        shares |= {int(low): float(share), int(high): float(share)}
    assert sorted(shares) == [0, 1, 2, 3, 5, 6, 7, 8]
    middle = found["div-mid"]
    return [
        mix(middle, found["div-low" if level < 4 else "div-high"], shares.get(level, 0.0))
        for level in range(heatmap.LEVELS)
    ]


def mix(under: Colour, over: Colour, share: float) -> Colour:
    a, b, c = (below + (above - below) * share for below, above in zip(under, over, strict=True))
    return a, b, c


def test_contrast_of_black_and_white() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
def test_every_colour_is_there(theme: str) -> None:
    assert set(colours(theme)) == NAMES
    assert PALETTE.count("--") == len(NAMES)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["paper", "panel"])
@pytest.mark.parametrize("text", ["ink", "muted", "good", "warn", "bad", "accent"])
def test_text(theme: str, ground: str, text: str) -> None:
    assert contrast(colours(theme)[text], colours(theme)[ground]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_signs(theme: str) -> None:
    found = colours(theme)
    assert contrast(found["accent-ink"], found["accent"]) >= 4.5
    for name, ground in product(["focus", *(f"series-{each}" for each in range(6))], ["paper"]):
        assert contrast(found[name], found[ground]) >= 3
    assert contrast(found["focus"], found["panel"]) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("level", range(heatmap.LEVELS))
def test_figures_on_heat(theme: str, level: int) -> None:
    found = colours(theme)
    text = found["paper" if heatmap.SHARE_COLOURS.has_light_text(level) else "ink"]
    assert contrast(text, found[f"seq-{level}"]) >= 4.5
    assert not heatmap.CHANCE_COLOURS.has_light_text(level)
    assert contrast(found["ink"], diverging(theme)[level]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_heat_goes_one_way(theme: str) -> None:
    """More is farther from the paper."""
    found = colours(theme)
    far = [contrast(found["paper"], found[f"seq-{level}"]) for level in range(heatmap.LEVELS)]
    assert far == sorted(far)
    both = [contrast(found["paper"], one) for one in diverging(theme)]
    assert both[4:] == sorted(both[4:])
    assert both[:5] == sorted(both[:5], reverse=True)


@pytest.mark.parametrize("theme", THEMES)
def test_orange_and_blue(theme: str) -> None:
    """Who sees no red or no green still sees blue: one end has much of it and the other little."""
    found = colours(theme)
    (red, _, blue), (other, _, bluer) = found["div-low"], found["div-high"]
    assert blue < red - 80
    assert bluer > other + 80


def test_plots_use_colours_of_the_palette_only() -> None:
    assert set(re.findall(r"var\(--([\w-]+)\)", PLOTS)) <= NAMES
    assert not re.search(r"#[0-9a-f]{3}|rgb|hsl", PLOTS)


def test_themes() -> None:
    bare = re.sub(r"\s+", " ", PALETTE)
    assert ":root { color-scheme: light dark;" in bare
    for theme in THEMES:
        assert f':root[data-theme="{theme}"] {{ color-scheme: {theme}; }}' in bare
    assert "@media print { :root, :root[data-theme] { color-scheme: light; } }" in bare
