"""What standings come to, in words."""

import pytest
from msgspec.structs import replace

from arena.ratings.cell import Cell
from arena.ratings.confidence import PairState
from arena.ratings.standings import (
    NeighbourComparison,
    Standings,
    StandingsLine,
    StandingsTable,
    StyleDifference,
)
from arena.report.data.remarks import (
    certainty_remarks,
    list_first,
    percent,
    standings_remarks,
    unranked_remarks,
)
from arena.text import plural

CELL = Cell("sticheln", 3)


def table(
    *states: PairState, early: bool = False, style: tuple[StyleDifference, ...] = ()
) -> StandingsTable:
    """Bots a, b, c … of which neighbours are in these states."""
    bots = "abcdefghij"
    return StandingsTable(
        title="overall",
        cells=(CELL,),
        blocks=1000,
        games=3000,
        faults=3,
        lines=(
            StandingsLine(bot="a", rank=1, blocks=10, games=30, faults=3),
            StandingsLine(bot="zoe", blocks=0, games=0, faults=0, missing=(CELL,)),
        ),
        tiers=(),
        confidence=0.9612,
        neighbours=tuple(
            NeighbourComparison(bots[place], bots[place + 1], 0.9 - place / 10, state)
            for place, state in enumerate(states)
        ),
        early=early,
        style=style,
    )


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ((), []),
        (
            ("settled", "settled"),
            ["The whole order is settled; it is right with a chance of at least 96 %."],
        ),
        (
            ("settled", "tied"),
            [
                "All that is not tied is settled; it is right with a chance of at least 96 %.",
                "Tied, closer than matters: b = c.",
            ],
        ),
        (
            ("open", "settled", "open"),
            [
                "Settled, so that the whole order is right at 95 %: 1 of 3 pairs of neighbours.",
                "Open, with the chance of this order: c > d (70 %) and a > b (90 %).",
            ],
        ),
        (
            ("open",),
            [
                "Settled, so that the whole order is right at 95 %: 0 of 1 pair of neighbours.",
                "Open, with the chance of this order: a > b (90 %).",
            ],
        ),
    ],
)
def test_remarks_on_settled_pairs(states: tuple[PairState, ...], said: list[str]) -> None:
    assert [line.replace("\u00a0", " ") for line in certainty_remarks(table(*states))] == said


def test_many_open_pairs_are_counted() -> None:
    states: list[PairState] = ["open"] * 8
    *_, last = certainty_remarks(table(*states))
    assert last.endswith(" and 3 more pairs.")


def test_all_remarks() -> None:
    found = table("settled", early=True, style=(StyleDifference("a", "\x1bb"),))
    standings = Standings(
        name="friday", standing="score", anchors=("a",), overall=found, by="cell", parts=()
    )
    said = [line.replace("\u00a0", " ") for line in standings_remarks(standings, found)]
    assert said[1:] == [
        "It is early: with fewer than 30 blocks in a cell, intervals are not reliable.",
        "* a is rated above ␛b, which makes more points a game, both at 95 %: a matter of style.",
        "° Anchor: a.",
        "No finished block yet: zoe.",
    ]


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.5, "50 %"),
        (0.989, "99 %"),
        (0.995, "99.5 %"),
        (0.99951, "over 99.9 %"),
        (1.0, "over 99.9 %"),
        (0.004, "0.4 %"),
        (0.0, "under 0.1 %"),
    ],
)
def test_a_chance_is_never_certain(share: float, said: str) -> None:
    assert percent(share).replace("\u00a0", " ") == said


def test_counts_in_words() -> None:
    assert plural(1, "block") == "1 block"
    assert plural(2000, "game") == "2,000 games"
    assert list_first(["a", "b"]) == "a and b"
    assert list_first(list("abcdefg")) == "a, b, c, d, e and 2 more"


def test_bots_that_miss_cells() -> None:
    cells = tuple(Cell("sticheln", size) for size in (3, 4, 5))
    found = replace(
        table(),
        lines=(
            StandingsLine(bot="a", blocks=1, games=3, faults=0, missing=cells[:1]),
            StandingsLine(bot="b\x1b", blocks=1, games=3, faults=0, missing=cells),
        ),
    )
    assert list(unranked_remarks(found)) == [
        (
            "Not ranked, because blocks are missing: "
            "a (not in sticheln, 3 seats) and b␛ (not in 3 cells)."
        )
    ]
