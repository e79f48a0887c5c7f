"""Scales and ticks."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots import scale as plots_scale
from arena.report.plots.scale import (
    BIN_EDGES,
    Scale,
    Tick,
    decade_ticks,
    decision_times,
    duration,
    every_other_tick,
    padded_range,
    round_ticks,
    spaced_ticks,
)
from arena.report.plots.svg import plot
from arena.report.plots.text import SMALL_FONT_SIZE, text_width
from tests.report.plots.svg_reader import parse_plot


def test_bottom() -> None:
    scale = Scale(0, 10, 20, 180)
    drawn = parse_plot(
        plot(
            "x",
            (200, 100),
            "t",
            "d.",
            plots_scale.bottom_axis(scale, round_ticks(0, 10, 3), (5, 60), "mu"),
        )
    )
    assert drawn.texts() == ["0", "5", "10", "mu"]
    (grid,) = drawn.kinds("grid")
    assert grid.get("d") == "M20 5V60M100 5V60M180 5V60"


def test_height() -> None:
    """What an axis takes below a plot is enough for it."""
    scale = Scale(0, 10, 20, 180)
    for title, below in (("mu", plots_scale.AXIS_HEIGHT), (None, plots_scale.UNTITLED_AXIS_HEIGHT)):
        parse_plot(
            plot(
                "x",
                (200, 60 + below),
                "t",
                "d.",
                plots_scale.bottom_axis(scale, round_ticks(0, 10, 3), (5, 60), title),
            )
        )


def test_left() -> None:
    ticks = round_ticks(0, 1e6, 3)
    scale = Scale(0, 1e6, 90, 30)
    drawn = parse_plot(
        plot(
            "x",
            (200, 100),
            "t",
            "d.",
            plots_scale.left_axis(scale, ticks, plots_scale.left_axis_width(ticks), 190, "games"),
        )
    )
    assert drawn.texts() == ["0", "500,000", "1,000,000", "games"]


def test_no_data() -> None:
    assert plots_scale.bottom_axis(Scale(0, 1, 0, 1), [], (0, 9)) == ""
    assert plots_scale.left_axis_width([]) == 10


def test_a_long_title_stays_inside() -> None:
    title = "points in a game"
    for ends in ((0, 20), (180, 200)):
        axis = plots_scale.bottom_axis(Scale(0, 1, *ends), [], (0, 20), title, (0, 200))
        assert parse_plot(plot("x", (200, 60), "t", "d.", axis)).texts() == [title]


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        *((0, "0 µs"), (0.4, "0 µs"), (3, "3 µs"), (999.4, "999 µs"), (999.6, "1 ms")),
        *((1234, "1.23 ms"), (2500, "2.5 ms"), (32_600, "32.6 ms"), (123_456, "123 ms")),
        *((1e6, "1 s"), (5.25e6, "5.25 s"), (3.6e9, "3,600 s")),
    ],
)
def test_durations(microseconds: float, text: str) -> None:
    assert duration(microseconds) == text


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True)))
def test_every_time_is_in_one_bin(found: list[float]) -> None:
    known = [one for one in found if math.isfinite(one)]
    binned = decision_times(found)
    assert len(binned.counts) == len(BIN_EDGES) - 1
    assert sum(binned.counts) == len(known)
    assert (binned.median is None) == (not known)
    assert (binned.percentile_99 is None) == (not known)


def test_quantiles() -> None:
    found = decision_times(range(1, 201))
    assert (found.median, found.percentile_99) == (100, 198)
    assert decision_times([7.0])[1:] == (7.0, 7.0)


def test_bins() -> None:
    assert [
        place for place, many in enumerate(decision_times([0.1, 1, 10, 1e12]).counts) if many
    ] == [*(0, 10, len(BIN_EDGES) - 2)]


def test_decades() -> None:
    labels = [tick.label for tick in decade_ticks(1, 6)]
    assert labels == ["10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"]


VALUES = st.floats(-1e6, 1e6)


def test_places() -> None:
    scale = Scale(0, 10, 100, 0)
    assert (scale.at(0), scale.at(10), scale.at(5), scale.at(20)) == (100, 0, 50, -100)
    assert (scale.clamp(20), scale.clamp(-3)) == (0, 100)
    assert scale.contains(10)
    assert not scale.contains(10.1)


@pytest.mark.parametrize(
    ("low", "high", "most", "labels"),
    [
        (0, 10, 6, "0 2 4 6 8 10"),
        (15.2, 47, 9, "20 25 30 35 40 45"),
        (-0.3, 0.31, 7, "−0.3 −0.2 −0.1 0.0 0.1 0.2 0.3"),
        (0, 12345, 4, "0 5,000 10,000"),
        (24.5, 25.5, 1, "25"),
    ],
)
def test_steps(low: float, high: float, most: int, labels: str) -> None:
    assert " ".join(tick.label for tick in round_ticks(low, high, most)) == labels


@given(st.lists(VALUES, max_size=6), st.floats(0.01, 100), st.integers(1, 12))
def test_any_steps(values: list[float], least: float, most: int) -> None:
    low, high = padded_range(values, least)
    assert all(low <= value <= high for value in values)
    assert high - low >= least
    ticks = round_ticks(low, high, most)
    assert len(ticks) <= most
    assert all(low - 1e-6 * least <= tick.value <= high + 1e-6 * least for tick in ticks)
    assert len({tick.label for tick in ticks}) == len(ticks)
    gaps = [right.value - left.value for left, right in pairwise(ticks)]
    assert all(gap == pytest.approx(gaps[0], rel=1e-3) for gap in gaps)


@given(st.lists(VALUES, max_size=6), st.floats(40, 600))
def test_labels_do_not_touch(values: list[float], room: float) -> None:
    scale = Scale(*padded_range(values, 1.0), 0, room)
    for left, right in pairwise(spaced_ticks(scale)):
        space = (
            text_width(left.label, SMALL_FONT_SIZE) + text_width(right.label, SMALL_FONT_SIZE)
        ) / 2
        assert scale.at(right.value) - scale.at(left.value) > space


def test_two_ticks_where_there_is_little_room() -> None:
    assert [tick.label for tick in spaced_ticks(Scale(-47, 47, 0, 145))] == ["−40", "0", "40"]


def test_every_other_tick() -> None:
    ticks = [Tick(float(value), str(value)) for value in (-3, -2, -1, 0, 1, 2)]
    assert [tick.value for tick in every_other_tick(ticks)] == [-2, 0, 2]
