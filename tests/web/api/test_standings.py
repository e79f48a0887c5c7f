"""Standings for programs are those that the pages show."""

import pytest

from tests.web.serving import Served

pytestmark = pytest.mark.slow

CELLS = [{"variant": "sticheln", "seats": 3}, {"variant": "stick-em", "seats": 3}]


@pytest.mark.parametrize(
    ("query", "cells", "page"),
    [
        ("", CELLS, "overall"),
        ("?seats=3", CELLS, "overall"),
        ("?variant=sticheln", CELLS[:1], "sticheln"),
        ("?variant=stick-em&seats=3", CELLS[1:], "stick-em"),
    ],
)
def test_what_is_asked_for(
    there: Served, query: str, cells: list[dict[str, object]], page: str
) -> None:
    found = there.ask(f"/api/standings{query}").json
    assert found["table"]["cells"] == cells
    shown = there.ask("/standings.json").json
    assert found["table"]["title"] == page
    if page == "overall":
        assert found["table"] == shown["overall"]
    assert [line["rank"] for line in found["table"]["lines"]]
    assert there.ask(f"/api/standings{query}").json == found


@pytest.mark.parametrize("query", ["?seats=4", "?variant=hat-trick", "?variant=sticheln%2Bmild"])
def test_what_was_not_played(there: Served, query: str) -> None:
    answer = there.ask(f"/api/standings{query}")
    assert (answer.status, set(answer.json)) == (404, {"error"})


@pytest.mark.parametrize(
    "query", ["?seats=x", "?seats=1", "?variant=", "?variant=A", "?x=1", "?seats=3&seats=3"]
)
def test_what_nobody_can_ask(there: Served, query: str) -> None:
    assert there.ask(f"/api/standings{query}").status == 422
