"""Which colour stands for a value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.heat import CHANCE, LEVELS, MIDDLE, SHARE, Heat, around


@pytest.mark.parametrize(
    ("heat", "levels"),
    [
        (SHARE, {0.0: 0, 0.1: 0, 0.12: 1, 0.5: 4, 0.99: 8, 1.0: 8, -5.0: 0, 5.0: 8}),
        (CHANCE, {0.0: 0, 0.45: 4, 0.5: 4, 0.55: 4, 0.6: 5, 0.4: 3, 1.0: 8, 7.0: 8}),
        (Heat(3.0, 3.0), {3.0: 0, 4.0: 0}),
        (Heat(3.0, 3.0, 3.0), {3.0: 4, 4.0: 4}),
    ],
)
def test_levels(heat: Heat, levels: dict[float, int]) -> None:
    assert {value: heat.level(value) for value in levels} == levels


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_more_is_no_less(one: float, other: float) -> None:
    for heat in (SHARE, CHANCE, Heat(-5, 20, 1)):
        low, high = heat.level(min(one, other)), heat.level(max(one, other))
        assert 0 <= low <= high < LEVELS


def test_around() -> None:
    assert around([[1.0, None], [float("nan"), -7.0]], 2.0) == Heat(-7.0, 11.0, 2.0)
    assert around([], 25.0, 2.0) == Heat(23.0, 27.0, 25.0)


def test_classes() -> None:
    assert (SHARE.kind(0), SHARE.kind(8), CHANCE.kind(0)) == ("s0", "s8", "d0")
    assert CHANCE.kind(CHANCE.level(0.5)) == MIDDLE
