"""The remarks below a table."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from arena.cli.output import wrapped_lines
from arena.cli.standings_view import standings_remarks
from arena.ratings.standings import Standings
from tests.report.data.test_remarks import table


def test_faults_come_last() -> None:
    found = table("settled")
    standings = Standings(
        name="friday", standing="score", anchors=(), overall=found, by="cell", parts=()
    )
    *_, last = standings_remarks(standings, found)
    assert last == "3 faults, all by a (3); arena games RUN --fault lists them."


def test_excuses_come_after_faults() -> None:
    found = table("settled")
    first, *others = (
        replace(line, excuses=2 - place) for place, line in enumerate(found.lines[:2])
    )
    found = replace(found, lines=(first, *others), excuses=3)
    standings = Standings(
        name="friday", standing="score", anchors=(), overall=found, by="cell", parts=()
    )
    *_, faults, last = standings_remarks(standings, found)
    assert faults.startswith("3 faults")
    assert last == (
        f"3 excuses, most of {first.bot} (2): the machine killed it or gave it no core, and the "
        "games were played again."
    )


@given(st.text("ab 東\u00a0", max_size=60), st.integers(2, 30))
def test_paragraphs(text: str, width: int) -> None:
    found = list(wrapped_lines(text, width))
    assert all(cell_len(line) <= width for line in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_lines_do_not_break_at_no_break_spaces() -> None:
    assert list(wrapped_lines("one two\u00a0%", 8)) == ["one", "two\u00a0%"]
    assert list(wrapped_lines("ab\u00a0> cd", 4)) == ["ab\u00a0>", "cd"]
    assert list(wrapped_lines("abc\u00a0>\u00a0def", 6)) == ["abc >", "def"]
    assert list(wrapped_lines("東京 東京", 6)) == ["東京", "東京"]
    assert list(wrapped_lines("abcdef", 4)) == ["abcd", "ef"]
