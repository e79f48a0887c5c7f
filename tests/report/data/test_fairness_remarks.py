"""The certificate says in which respects a run was fair, and where not."""

import pytest

from arena.ratings.schedule_fairness import Balance, Fairness
from arena.report.data.remarks import FAIRNESS_ASPECTS, FairnessLine, count_range, fairness_lines


def fair(deals: str, *, seats: int = 3) -> Fairness:
    """A cell whose deals are counted so: `2 2 yes`; all else is even."""
    least, most, balanced = deals.split()
    return Fairness(
        variant="sticheln",
        seats=seats,
        bots=4,
        blocks=4,
        games=12,
        balances=(
            Balance("deals", int(least), int(most), balanced == "yes"),
            Balance("pairs", 2, 2, balanced=True),
            Balance("seats", 1000, 1000, balanced=True),
            Balance("neighbours", 1, 2, balanced=False),
        ),
        efficiency=1.0,
    )


@pytest.mark.parametrize(
    ("cells", "balanced", "where", "told"),
    [
        ("", True, "", "0 to 0, by cell"),
        ("2 2 yes", True, "", "2 each"),
        ("2 3 no", False, "", "2 to 3"),
        ("2 2 yes, 2 2 yes", True, "", "2 each"),
        ("2 2 yes, 5 5 yes", True, "", "2 to 5, by cell"),
        ("2 3 no, 2 3 no", False, "", "2 to 3"),
        ("2 3 no, 2 2 yes", False, ", but in 1 of 2 cells", "2 to 3, by cell"),
        ("1 3000 no, 2 2 yes, 9 9 yes", False, ", but in 2 of 3 cells", "1 to 3,000, by cell"),
    ],
)
def test_one_fairness_aspect(cells: str, balanced: bool, where: str, told: str) -> None:
    first, *_ = fairness_lines([fair(cell) for cell in cells.split(", ") if cell])
    assert first == FairnessLine("deals of each bot", balanced, where, told)


def test_all_fairness_aspects() -> None:
    lines = fairness_lines([fair("2 2 yes")])
    assert [line.title for line in lines] == [kind.title for kind in FAIRNESS_ASPECTS.values()]
    assert [line.is_balanced for line in lines] == [True, True, True, False]
    assert [line.counts_text for line in lines] == ["2 each", "2 each", "1,000 each", "1 to 2"]


def test_count_ranges() -> None:
    assert count_range(Balance("deals", 4000, 4000, balanced=True)) == "4,000 each"
    assert count_range(Balance("deals", 0, 4000, balanced=True)) == "0 to 4,000"
