"""Plots in two widths."""

import re

from arena.report.plots.fitting import NARROW, WIDE, fitted
from tests.report.plots.drawn import read
from tests.report.plots.test_palette import PLOTS


def test_both() -> None:
    wide, narrow = read(fitted(lambda width: f"<p>{width}</p>"))
    assert (wide.get("class"), wide.findtext("p")) == ("plot-wide", str(WIDE))
    assert (narrow.get("class"), narrow.findtext("p")) == ("plot-narrow", str(NARROW))


def test_one_of_them_is_hidden() -> None:
    bare = re.sub(r"\s+", " ", PLOTS)
    assert bare.index(".plot-narrow { display: none; }") < bare.index("@media (width < 45rem)")
    narrow, _, printed = bare.partition("@media (width < 45rem)")[2].partition("@media print")
    assert ".plot-wide { display: none; }" in narrow
    assert ".plot-narrow { display: block; }" in narrow
    assert ".plot-wide { display: block; }" in printed
    assert ".plot-narrow { display: none; }" in printed
