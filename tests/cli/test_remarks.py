"""What standings come to, in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from arena.cli.remarks import certainty, counted, lines, percent, remarks, some
from arena.ratings.certainty import State
from arena.ratings.results import Cell
from arena.ratings.standings import Line, Neighbours, Standings, Style, Table

CELL = Cell("sticheln", 3)


def table(*states: State, early: bool = False, style: tuple[Style, ...] = ()) -> Table:
    """Bots a, b, c … of which neighbours are in these states."""
    bots = "abcdefghij"
    return Table(
        title="overall",
        cells=(CELL,),
        blocks=1000,
        games=3000,
        faults=3,
        lines=(
            Line(bot="a", rank=1, blocks=10, games=30, faults=3),
            Line(bot="zoe", blocks=0, games=0, faults=0, missing=(CELL,)),
        ),
        tiers=(),
        confidence=0.9612,
        neighbours=tuple(
            Neighbours(bots[place], bots[place + 1], 0.9 - place / 10, state)
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
def test_what_is_settled(states: tuple[State, ...], said: list[str]) -> None:
    assert [line.replace("\u00a0", " ") for line in certainty(table(*states))] == said


def test_many_open_pairs_are_counted() -> None:
    states: list[State] = ["open"] * 8
    *_, last = certainty(table(*states))
    assert last.endswith(" and 3 more pairs.")


def test_everything_worth_a_sentence() -> None:
    found = table("settled", early=True, style=(Style("a", "\x1bb"),))
    standings = Standings(
        name="friday", standing="score", anchors=("a",), overall=found, by="cell", parts=()
    )
    said = [line.replace("\u00a0", " ") for line in remarks(standings, found)]
    assert said[1:] == [
        "It is early: with fewer than 30 blocks in a cell, intervals are not reliable.",
        "* a is rated above ␛b, which makes more points a game, both at 95 %: a matter of style.",
        "° Anchor: a.",
        "No finished block yet: zoe.",
        "3 faults, all by a (3); arena games RUN --fault lists them.",
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


def test_counting() -> None:
    assert counted(1, "block") == "1 block"
    assert counted(2000, "game") == "2,000 games"
    assert some(["a", "b"]) == "a and b"
    assert some(list("abcdefg")) == "a, b, c, d, e and 2 more"


@given(st.text("ab 東\u00a0", max_size=60), st.integers(2, 30))
def test_paragraphs(text: str, width: int) -> None:
    found = list(lines(text, width))
    assert all(cell_len(line) <= width for line in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_what_belongs_together_stays_so() -> None:
    assert list(lines("one two\u00a0%", 8)) == ["one", "two\u00a0%"]
    assert list(lines("ab\u00a0> cd", 4)) == ["ab\u00a0>", "cd"]
    assert list(lines("abc\u00a0>\u00a0def", 6)) == ["abc >", "def"]
    assert list(lines("東京 東京", 6)) == ["東京", "東京"]
    assert list(lines("abcdef", 4)) == ["abcd", "ef"]
