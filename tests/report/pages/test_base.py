"""Pages of a long table hold every row once, and lead to each other."""

import pytest

from arena.report.pages.base import table_pages


@pytest.mark.parametrize(
    ("rows", "spans"),
    [
        (0, [(0, 0)]),
        (1, [(0, 1)]),
        (10, [(0, 10)]),
        (11, [(0, 10), (10, 11)]),
        (30, [(0, 10), (10, 20), (20, 30)]),
    ],
)
def test_every_row_is_on_one_page(rows: int, spans: list[tuple[int, int]]) -> None:
    found = table_pages("index.html", "standings/all", rows, 10)
    assert [(one.first, one.end) for one in found] == spans
    assert [row for one in found for row in one.select(range(rows))] == list(range(rows))
    assert {one.has_other_pages for one in found} == {len(spans) > 1}
    assert {one.rows for one in found} == {rows}


def test_paths_of_pages() -> None:
    found = table_pages("index.html", "standings/all", 25, 10)
    assert [one.path for one in found] == [
        *("index.html", "standings/all-2.html", "standings/all-3.html"),
    ]
    assert {tuple(one.paths) for one in found} == {tuple(one.path for one in found)}
