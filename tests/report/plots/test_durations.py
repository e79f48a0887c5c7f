"""Durations."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.durations import EDGES, decades, duration, times


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        *((0, "0 µs"), (0.4, "0 µs"), (3, "3 µs"), (999.4, "999 µs"), (999.6, "1 ms")),
        *((1234, "1.23 ms"), (2500, "2.5 ms"), (32_600, "32.6 ms"), (123_456, "123 ms")),
        *((1e6, "1 s"), (5.25e6, "5.25 s"), (3.6e9, "3,600 s")),
    ],
)
def test_written(microseconds: float, text: str) -> None:
    assert duration(microseconds) == text


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True)))
def test_every_time_is_in_one_bin(found: list[float]) -> None:
    known = [one for one in found if math.isfinite(one)]
    binned = times(found)
    assert len(binned.counts) == len(EDGES) - 1
    assert sum(binned.counts) == len(known)
    assert (binned.median is None) == (not known)
    assert (binned.high is None) == (not known)


def test_quantiles() -> None:
    found = times(range(1, 201))
    assert (found.median, found.high) == (100, 198)
    assert times([7.0])[1:] == (7.0, 7.0)


def test_bins() -> None:
    assert [place for place, many in enumerate(times([0.1, 1, 10, 1e12]).counts) if many] == [
        *(0, 10, len(EDGES) - 2)
    ]


def test_decades() -> None:
    labels = [tick.label for tick in decades(1, 6)]
    assert labels == ["10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"]
