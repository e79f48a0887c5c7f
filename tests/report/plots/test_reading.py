"""What is the same for all plots: how to read them, and what their classes look like."""

import re
from types import ModuleType

import pytest

from arena.ratings.panels import Spread
from arena.report.plots import (
    bias,
    crosstable,
    heatmap,
    histogram,
    history,
    seats,
    spread,
    variants,
    whiskers,
)
from tests.report.plots import (
    test_bias,
    test_crosstable,
    test_heatmap,
    test_histogram,
    test_history,
    test_spread,
    test_variants,
    test_whiskers,
)
from tests.report.plots.drawn import read
from tests.report.plots.test_palette import PLOTS

MODULES = (
    *(bias, crosstable, heatmap, histogram, history),
    *(seats, spread, variants, whiskers),
)
EXAMPLES = (
    bias.bias([test_bias.cell("hat-trick", test_bias.SURE, test_bias.MAYBE)]),
    crosstable.crosstable(test_crosstable.table(("ann", "bob", "cleo"))),
    heatmap.heatmap(test_heatmap.SMALL),
    histogram.histogram(test_histogram.FOUND, limit=5e6),
    history.history([history.Course(str(each), test_history.ANN.moments) for each in range(20)]),
    seats.seats([test_bias.cell("hat-trick", test_bias.SURE, test_bias.MAYBE)]),
    spread.spread(
        Spread(test_spread.CELL, None, (test_spread.ANN,)),
        edges=(0.0, 9.0),
        histograms={"ann": [1]},
    ),
    variants.variants(test_variants.PARTS, ["ann", "bob"]),
    whiskers.whiskers(test_whiskers.FEW),
    whiskers.head(whiskers.shared(test_whiskers.FEW)),
    whiskers.whiskers([]),
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
        for one in read(markup).iter()
        for kind in one.get("class", "").split()
    }
    styled = set(
        re.findall(r"\.([a-z][\w-]*)", re.sub(r"/\*.*?\*/|\d*\.\d+", "", PLOTS, flags=re.DOTALL))
    )
    assert used - styled <= BARE
    elsewhere = {"plot-wide", "plot-narrow", "css", "broad"}
    levels = {f"{heat}{level}" for heat in "sd" for level in range(9)}
    assert styled - used <= elsewhere | levels
