"""Decision times."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.histogram import draw, exponent_range
from arena.report.plots.scale import decision_times
from arena.report.plots.svg import PHONE_WIDTH, SCREEN_WIDTH
from tests.report.plots.svg_reader import parse_plot, parse_sentence

FOUND = decision_times([1500.0] * 90 + [40_000.0] * 10)


def test_hand_computed_example() -> None:
    drawn = parse_plot(draw(FOUND, limit=5e6))
    assert {"median 1.5 ms", "99 % 40 ms", "limit 5 s"} <= set(drawn.texts())
    assert {"decisions", "time for a decision", "1 ms", "10 s"} <= set(drawn.texts())
    assert drawn.desc == (
        "100 decisions: half took at most 1.5 ms, 99 % at most 40 ms; 5 s are allowed."
    )
    assert drawn.titles() == [
        "1.26 ms to 1.58 ms: 90 decisions",
        "39.8 ms to 50.1 ms: 10 decisions",
    ]
    assert [len(drawn.kinds(kind)) for kind in ("bar", "at", "limit")] == [2, 3, 2]


def test_marks_differ_without_colour() -> None:
    kinds = {one.get("class") for one in parse_plot(draw(FOUND, limit=5e6)).kinds("at")}
    assert kinds == {"at median", "at high", "at limit"}


def test_no_data() -> None:
    assert parse_sentence(draw(decision_times([]), limit=5e6)) == "No decision was timed."


def test_shared_scale() -> None:
    other = decision_times([3.0])
    ends = exponent_range([FOUND, other], 2e6)
    assert ends == (0.0, 7.0)
    assert "1 µs" in parse_plot(draw(FOUND, ends=ends)).texts()


@given(
    st.lists(st.floats(), max_size=20),
    st.none() | st.floats(),
    st.sampled_from([SCREEN_WIDTH, PHONE_WIDTH]),
)
def test_any_data(found: list[float], limit: float | None, width: float) -> None:
    binned = decision_times(found)
    drawn = draw(binned, limit=limit, width=width)
    assert drawn == draw(binned, limit=limit, width=width)
    if not any(map(math.isfinite, found)):
        parse_sentence(drawn)
    else:
        parse_plot(drawn)


@pytest.mark.parametrize("many", [1, 10**6])
def test_sizes(many: int) -> None:
    counts = tuple(many if place == 30 else 0 for place in range(90))
    drawn = parse_plot(draw(FOUND._replace(counts=counts)))
    assert "0" in drawn.texts()
    assert f"{many:,}" in drawn.texts()
