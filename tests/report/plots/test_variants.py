"""Who is good at what."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.standings import StandingsLine, StandingsTable
from arena.report.plots.variants import draw
from tests.report.plots.svg_reader import STRANGE_NAMES, parse_plot, parse_sentence

Rated = tuple[float | None, float | None]


def part(title: str, rated: dict[str, Rated]) -> StandingsTable:
    return StandingsTable(
        title=title,
        cells=(),
        blocks=1,
        games=1,
        faults=0,
        lines=tuple(
            StandingsLine(bot=bot, mu=mu, margin=margin, blocks=1, games=1, faults=0)
            for bot, (mu, margin) in rated.items()
        ),
        tiers=(),
        confidence=None,
        neighbours=(),
        early=False,
        style=(),
    )


PARTS = (
    part("sticheln", {"ann": (35.0, 1.0), "bob": (20.0, 1.0)}),
    part("hat-trick", {"bob": (21.0, 1.0), "ann": (25.0, 1.0)}),
    part("was-sticht", {"ann": (30.0, 1.0)}),
)


def test_hand_computed_example() -> None:
    drawn = parse_plot(draw(PARTS, ["bob", "ann"]))
    assert drawn.texts()[:9] == [
        *("sticheln", "hat-trick", "was-sticht"),
        *("20.0", "21.0", "–", "35.0", "25.0", "30.0"),
    ]
    assert "ann, sticheln: 35.0 ±1.0, +5.0 against its own mean" in drawn.titles()
    assert "bob, was-sticht: no rating" in drawn.titles()
    (corners,) = drawn.kinds("sign")
    assert corners.attrib["d"].count("M") == 2
    assert drawn.desc == (
        "Who is good at what: 2 rows by 3 columns. 2 ratings surely differ from the mean of the "
        "bot: ann in sticheln (+5.0), ann in hat-trick (−5.0)."
    )
    levels = {kind: len(drawn.kinds(kind)) for kind in ("d0", "d8")}
    assert levels == {"d0": 2, "d8": 2}  # ann's, and the key


def test_nothing_is_sure_without_margins() -> None:
    loose = part("hat-trick", {"ann": (25.0, None)})
    drawn = parse_plot(draw([PARTS[0], loose], ["ann"]))
    assert not drawn.kinds("sign")
    assert "No bot is surely better or worse anywhere" in drawn.desc


@pytest.mark.parametrize(("parts", "bots"), [((), ("ann",)), (PARTS, ()), (PARTS, ("dan",))])
def test_no_data(parts: tuple[StandingsTable, ...], bots: tuple[str, ...]) -> None:
    assert parse_sentence(draw(parts, bots)) == "Who is good at what: nothing is known yet."


@pytest.mark.parametrize("many", [1, 2, 60])
def test_sizes(many: int) -> None:
    bots = [f"bot-{place}" for place in range(many)]
    parts = [part(f"variant {each}", dict.fromkeys(bots, (20.0 + each, 1.0))) for each in range(8)]
    found = draw(parts, bots)
    assert parse_plot(found).texts().count("27.0") == many
    assert len(found.encode()) < 100_000


NUMBER = st.none() | st.floats() | st.sampled_from([math.inf, math.nan])


@given(
    st.lists(st.sampled_from(STRANGE_NAMES), unique=True, min_size=1, max_size=4),
    st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=8),
)
def test_any_data(bots: list[str], figures: list[Rated]) -> None:
    parts = [part(bots[0], dict.fromkeys(bots, one)) for one in figures]
    found = draw(parts, bots)
    assert found == draw(parts, bots)
    if found.startswith("<p"):
        parse_sentence(found)
    else:
        parse_plot(found)
