"""Ratings over time."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.plots.history import MARK_PATHS, MAX_LABELS, RatingCurve, RatingPoint, draw
from arena.report.plots.svg import PHONE_WIDTH, SCREEN_WIDTH
from tests.report.plots.svg_reader import STRANGE_NAMES, parse_plot, parse_sentence

ANN = RatingCurve(
    "ann", [RatingPoint(10, 24.0, 4.0), RatingPoint(20, 27.0, 3.0), RatingPoint(30, 28.0, 2.0)]
)
BOB = RatingCurve(
    "bob", [RatingPoint(10, 26.0, 4.0), RatingPoint(20, None), RatingPoint(30, 22.0, 2.0)]
)


def test_hand_computed_example() -> None:
    drawn = parse_plot(draw([ANN, BOB]))
    assert {"ann", "bob", "rating (mu)", "blocks played", "10", "30"} <= set(drawn.texts())
    assert drawn.desc == (
        "Ratings of 2 bots up to 30 blocks played; at the end ann 28.0 ±2.0, bob 22.0 ±2.0."
    )
    ann, bob = sorted((one.attrib["d"] for one in drawn.kinds("line")), key=len, reverse=True)
    assert ann.count("M") == 1
    assert bob.count("M") == 2  # broken where nothing is known
    assert len(drawn.kinds("band")) == 2


def test_no_data() -> None:
    for courses in ([], [RatingCurve("ann", [])], [RatingCurve("ann", [RatingPoint(3, math.nan)])]):
        assert parse_sentence(draw(courses)) == "No ratings are known yet."


@pytest.mark.parametrize("nights", [1, 2, 3, 7, 30, 31])
@pytest.mark.parametrize("width", [SCREEN_WIDTH, PHONE_WIDTH])
def test_nothing_is_marked_between_two_nights(nights: int, width: float) -> None:
    course = RatingCurve("ann", [RatingPoint(at, 25.0, 1.0) for at in range(1, nights + 1)])
    drawn = parse_plot(draw([course], title="Nightly", x_title="nights", width=width))
    below = [one for one in drawn.root.iter("g") if one.attrib.get("text-anchor") == "middle"]
    marked = [text.text or "" for group in below for text in group.iter("text")]
    assert marked
    assert all(text.isdecimal() and 1 <= int(text) <= nights for text in marked)
    assert drawn.desc.startswith(f"Ratings of 1 bot up to {nights} nights;")


@pytest.mark.parametrize("width", [SCREEN_WIDTH, PHONE_WIDTH])
@pytest.mark.parametrize("many", [1, 2, 60])
def test_sizes(many: int, width: float) -> None:
    courses = [
        RatingCurve(
            f"bot-{place}", [RatingPoint(at, 40 - place / 3 + at / 9, 1.0) for at in range(9)]
        )
        for place in range(many)
    ]
    drawn = parse_plot(draw(courses, width=width))
    named = [text for text in drawn.texts() if text.startswith("bot-")]
    assert len(named) == min(many, MAX_LABELS)
    assert len(drawn.kinds("other")) == max(0, many - MAX_LABELS)


def test_no_two_named_lines_look_alike_without_colour() -> None:
    courses = [RatingCurve(f"bot-{place}", ANN.points) for place in range(MAX_LABELS)]
    drawn = parse_plot(draw(courses))
    signs = {
        (one.attrib["d"].split("m", 1)[1], "hollow" in one.attrib["class"])
        for one in drawn.kinds("mark")
    }
    assert len(signs) == MAX_LABELS == 2 * len(MARK_PATHS)


@given(
    st.lists(
        st.builds(
            RatingCurve,
            st.sampled_from(STRANGE_NAMES),
            st.lists(
                st.builds(
                    RatingPoint, st.floats(), st.none() | st.floats(), st.none() | st.floats()
                ),
                max_size=4,
            ),
        ),
        max_size=5,
    ),
    st.sampled_from([SCREEN_WIDTH, PHONE_WIDTH]),
)
def test_any_data(courses: list[RatingCurve], width: float) -> None:
    found = draw(courses, width=width)
    assert found == draw(courses, width=width)
    if found.startswith("<p"):
        parse_sentence(found)
    else:
        parse_plot(found)
