"""Fairness as strips."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.report.plots.certificate import Balance, certificate
from arena.report.plots.fitting import NARROW, WIDE
from tests.report.plots.drawn import STRANGE, only, sentence

EVEN = Balance("hands", 120, 120, balanced=True)
UNEVEN = Balance("seats", 90, 120, balanced=False)


def test_by_hand() -> None:
    drawn = only(certificate([EVEN, UNEVEN]))
    assert drawn.texts() == ["hands", "✓", "all 120", "seats", "≠", "90 to 120"]
    assert drawn.desc == "2 balances: hands all 120 (balanced), seats 90 to 120 (not balanced)."
    even, uneven = (float(one.attrib["width"]) for one in drawn.kinds("full"))
    assert uneven == pytest.approx(even * 0.75, abs=0.1)
    assert len(drawn.kinds("stripes")) == 1


def test_nothing() -> None:
    assert sentence(certificate([])) == "Nothing is counted yet."


def test_never() -> None:
    drawn = only(certificate([Balance("seats", 0, 0, balanced=True)]))
    assert not drawn.kinds("full")
    assert not drawn.kinds("stripes")


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.builds(
            Balance,
            st.sampled_from(STRANGE),
            st.integers(0, 10**7),
            st.integers(0, 10**7),
            st.booleans(),
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([WIDE, NARROW]),
)
def test_anything(balances: list[Balance], width: float) -> None:
    found = certificate(balances, width=width)
    assert found == certificate(balances, width=width)
    only(found)
