"""Every part of a run has a page of its own."""

import pytest

from arena.games.catalog import VARIANTS
from arena.ratings.cell import Cell
from arena.report.scopes import scopes


def cells(text: str) -> list[Cell]:
    """Cells from a line: `cells("sticheln 3 4, stick-em 3")`."""
    found = []
    for part in text.split(", ") if text else []:
        name, *sizes = part.split()
        found += [Cell(name, int(size)) for size in sizes]
    return found


@pytest.mark.parametrize(
    ("played", "pages"),
    [
        ("", "index"),
        ("sticheln 3", "index"),
        ("sticheln 4 3", "index all_3-seats all_4-seats"),
        ("sticheln 3, stick-em 3", "index sticheln stick-em"),
        (
            "sticheln+mild 4, stick-em 3",
            (
                "index sticheln-mild stick-em all_3-seats all_4-seats "
                "sticheln-mild_4-seats stick-em_3-seats"
            ),
        ),
    ],
)
def test_pages(played: str, pages: str) -> None:
    found = [
        one.path.removeprefix("standings/").removesuffix(".html") for one in scopes(cells(played))
    ]
    assert found == pages.split()


def test_titles() -> None:
    found = {one.title: one.cells for one in scopes(cells("sticheln 3 4, stick-em 3"))}
    assert found == {
        "overall": tuple(cells("sticheln 3 4, stick-em 3")),
        "stick-em": tuple(cells("stick-em 3")),
        "sticheln": tuple(cells("sticheln 3 4")),
        "3 seats": tuple(cells("sticheln 3, stick-em 3")),
        "4 seats": tuple(cells("sticheln 4")),
        "stick-em, 3 seats": tuple(cells("stick-em 3")),
        "sticheln, 3 seats": tuple(cells("sticheln 3")),
        "sticheln, 4 seats": tuple(cells("sticheln 4")),
    }


def test_all_that_can_be_played() -> None:
    """No two parts have the same page or title, and those of a kind hold every cell once."""
    every = [Cell(one.name, size) for one in VARIANTS.values() for size in one.seats]
    found = list(scopes(every))
    assert len(every) == 246
    assert len({one.path for one in found}) == len({one.title for one in found}) == len(found)
    for kind in ((True, False), (False, True), (True, True)):
        some = [one for one in found if (one.variant is not None, one.seats is not None) == kind]
        held = [cell for one in some for cell in one.cells]
        assert sorted(held) == sorted(every)
