"""Plots in two widths, of which the page shows the one that fits."""

from collections.abc import Callable

WIDE, NARROW = 680.0, 343.0
"""For most screens, and for a phone without its margins."""


def fitted(draw: Callable[[float], str]) -> str:
    """A plot drawn twice; the style sheet hides one, also from those who listen to the page."""
    return f'<div class="plot-wide">{draw(WIDE)}</div><div class="plot-narrow">{draw(NARROW)}</div>'
