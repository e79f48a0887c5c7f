"""The crosstable as a heat map."""

from itertools import permutations

import pytest

from arena.ratings.crosstable import Crosstable, CrosstablePair
from arena.report.plots.crosstable import draw
from tests.report.plots.svg_reader import STRANGE_NAMES, parse_plot, parse_sentence

LARGEST = 150_000
"""Bytes for 40 bots."""


def table(bots: tuple[str, ...], *, known: bool = True) -> Crosstable:
    def pair(row: int, column: int) -> CrosstablePair:
        chance = 0.5 + (column - row) / (2 * len(bots))
        return CrosstablePair(
            row=bots[row],
            column=bots[column],
            blocks=120 if known else 0,
            better=chance if known else None,
            ahead=chance if known else None,
            expected=0.5 if known else None,
            z=9.0 if {row, column} == {0, 2} else 0.0,
        )

    pairs = tuple(pair(*spot) for spot in permutations(range(len(bots)), 2))
    return Crosstable(
        name="friday",
        standing="score",
        cells=(),
        blocks=120,
        games=360,
        bots=bots,
        ranked=len(bots),
        pairs=pairs,
        odd=(),
    )


def test_hand_computed_example() -> None:
    drawn = parse_plot(draw(table(("ann", "bob", "cleo"))))
    assert drawn.texts()[3:12] == ["–", "67", "83", "33", "–", "67", "17", "33", "–"]
    assert drawn.desc == (
        "Who is better than whom: 3 rows by 3 columns. Of 3 pairs one is better than the other "
        "with 97.5 % or more in 0; the ratings do not explain 1."
    )
    assert "ann against bob: better with 67 %; ahead in 67 % of 120 blocks, 50 % expected" in (
        drawn.titles()
    )
    assert sum(one.endswith("(odd)") for one in drawn.titles()) == 2
    (corners,) = drawn.kinds("sign")
    assert corners.attrib["d"].count("M") == 2
    assert {"row is worse", "row is better"} <= set(drawn.texts())


@pytest.mark.parametrize("bots", [(), ("ann",)])
def test_too_few(bots: tuple[str, ...]) -> None:
    assert parse_sentence(draw(table(bots))) == "Who is better than whom: nothing is known yet."


def test_nothing_known() -> None:
    assert "nothing is known" in parse_sentence(draw(table(("ann", "bob"), known=False)))


@pytest.mark.parametrize("many", [2, 40, 60])
def test_bytes(many: int) -> None:
    found = draw(table(tuple(f"a-usual-bot-{place}" for place in range(many))))
    parse_plot(found)
    assert len(found.encode()) <= LARGEST


def test_strange_names() -> None:
    names = tuple(dict.fromkeys(STRANGE_NAMES))
    found = draw(table(names))
    assert found == draw(table(names))
    parse_plot(found)
    assert len(found.encode()) <= LARGEST
