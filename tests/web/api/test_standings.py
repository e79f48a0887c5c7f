"""Standings for programs are those that the pages show."""

from pathlib import Path

import pytest

from arena.ladder.models import NightLimits, NightSummary
from arena.ladder.registry import Registry
from arena.web.api import standings
from arena.web.api.standings import NightList, NightsQuery, select_nights
from tests.web.ladders import create_ladder
from tests.web.server_process import ServerProcess


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with six nights, of each of which some kilobytes are stored."""
    folder = create_ladder(tmp_path_factory.mktemp("nights") / "ladder")
    with Registry.open(folder) as registry:
        for number in range(1, 7):
            registry.begin_night(NightLimits(round=8), [f"{'x' * 30} v{bot}" for bot in range(100)])
            summary = NightSummary(blocks=1, games=3, seconds=1.0, new=(), retired=(), moves=())
            registry.save_summary(number, summary)
            registry.end_night(number)
    return folder


@pytest.mark.parametrize(
    ("asked", "numbers", "rest"),
    [
        (NightsQuery(limit=4), [6, 5, 4, 3], 3),
        (NightsQuery(limit=4, before=3), [2, 1], None),
        (NightsQuery(limit=2, before=3), [2, 1], None),
        (NightsQuery(limit=1, before=3), [2], 2),
        (NightsQuery(limit=6), [6, 5, 4, 3, 2, 1], None),
        (NightsQuery(before=1), [], None),
    ],
)
def test_the_last_first_and_some_at_a_time(
    six: Path, asked: NightsQuery, numbers: list[int], rest: int | None
) -> None:
    with Registry.open(six) as registry:
        found = select_nights(registry, asked)
    assert ([one.number for one in found.nights], found.next) == (numbers, rest)


def test_only_what_is_asked_for_is_read(six: Path) -> None:
    """However many nights there were."""
    with Registry.open(six) as registry:
        read: list[int] = []

        def noted(_: object, row: tuple[int, ...]) -> tuple[int, ...]:
            read.append(row[0])
            return row

        registry.connection.row_factory = noted
        select_nights(registry, NightsQuery(limit=2))
    assert read == [6, 5, 4]


@pytest.mark.parametrize(("longest", "numbers"), [(1, [6]), (9_000, [6, 5])])
def test_long_ones_are_answered_in_smaller_portions(
    six: Path, longest: int, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standings, "MAX_NIGHT_BYTES", longest)
    with Registry.open(six) as registry:
        found = select_nights(registry, NightsQuery())
    assert ([one.number for one in found.nights], found.next) == (numbers, numbers[-1])


def test_no_nights(tmp_path: Path) -> None:
    with Registry.open(create_ladder(tmp_path / "ladder")) as registry:
        assert select_nights(registry, NightsQuery()) == NightList(nights=(), next=None)


@pytest.mark.slow
def test_over_http(ladder_server: ServerProcess) -> None:
    (night,) = ladder_server.request("/api/nights").json["nights"]
    assert (night["number"], night["aim"]["games"]) == (1, 36)
    assert night["summary"]["games"] >= 36
    assert ladder_server.request("/api/nights?before=0").status == 422


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
def test_queries_select_cells(
    ladder_server: ServerProcess, query: str, cells: list[dict[str, object]], page: str
) -> None:
    found = ladder_server.request(f"/api/standings{query}").json
    assert found["table"]["cells"] == cells
    shown = ladder_server.request("/standings.json").json
    assert found["table"]["title"] == page
    if page == "overall":
        assert found["table"] == shown["overall"]
    assert [line["rank"] for line in found["table"]["lines"]]
    assert ladder_server.request(f"/api/standings{query}").json == found


@pytest.mark.parametrize("query", ["?seats=4", "?variant=hat-trick", "?variant=sticheln%2Bmild"])
def test_cells_without_games(ladder_server: ServerProcess, query: str) -> None:
    answer = ladder_server.request(f"/api/standings{query}")
    assert (answer.status, set(answer.json)) == (404, {"error"})


@pytest.mark.parametrize(
    "query", ["?seats=x", "?seats=1", "?variant=", "?variant=A", "?x=1", "?seats=3&seats=3"]
)
def test_invalid_queries(ladder_server: ServerProcess, query: str) -> None:
    assert ladder_server.request(f"/api/standings{query}").status == 422
