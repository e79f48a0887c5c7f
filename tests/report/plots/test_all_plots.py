"""What is the same for all plots: how to read them, and what their classes look like."""

import re
from types import ModuleType

import pytest

from arena.ratings.breakdowns import CellSpread
from arena.report.plots import (
    crosstable,
    distributions,
    heatmap,
    histogram,
    history,
    seats,
    variants,
    whiskers,
)
from tests.report.plots import (
    test_crosstable,
    test_distributions,
    test_heatmap,
    test_histogram,
    test_history,
    test_seats,
    test_variants,
    test_whiskers,
)
from tests.report.plots.svg_reader import parse_svg
from tests.report.plots.test_palette import PLOTS

MODULES = (
    *(seats, crosstable, heatmap, histogram, history),
    *(seats, distributions, variants, whiskers),
)
EXAMPLES = (
    seats.draw_panels([test_seats.cell("hat-trick", test_seats.SURE, test_seats.MAYBE)]),
    crosstable.draw(test_crosstable.table(("ann", "bob", "cleo"))),
    heatmap.draw_heatmap(test_heatmap.SMALL),
    histogram.draw(test_histogram.FOUND, limit=5e6),
    history.draw([history.RatingCurve(str(each), test_history.ANN.points) for each in range(20)]),
    seats.draw_seat_heatmap([test_seats.cell("hat-trick", test_seats.SURE, test_seats.MAYBE)]),
    distributions.draw(
        CellSpread(test_distributions.CELL, None, (test_distributions.ANN,)),
        edges=(0.0, 9.0),
        histograms={"ann": [1]},
    ),
    variants.draw(test_variants.PARTS, ["ann", "bob"]),
    whiskers.draw(test_whiskers.FEW),
    whiskers.draw_head(whiskers.shared_scale(test_whiskers.FEW)),
    whiskers.draw([]),
)
BARE = {"heatmap", "whiskers", "bias", "spread", "history", "histogram"}
"""Classes that name a plot for pages that want to give one a place of its own."""


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_one_sentence(module: ModuleType) -> None:
    reading = module.READING
    assert re.fullmatch(r"[A-Z][^.!?]{40,300}\.", reading)
    assert reading.isprintable()


def test_every_class_is_styled_and_every_style_is_used() -> None:
    used = {
        kind
        for markup in EXAMPLES
        for one in parse_svg(markup).iter()
        for kind in one.get("class", "").split()
    }
    styled = set(
        re.findall(r"\.([a-z][\w-]*)", re.sub(r"/\*.*?\*/|\d*\.\d+", "", PLOTS, flags=re.DOTALL))
    )
    assert used - styled <= BARE
    elsewhere = {"plot-wide", "plot-narrow", "css", "broad"}
    levels = {f"{heat}{level}" for heat in "sd" for level in range(9)}
    assert styled - used <= elsewhere | levels
