"""Nights for programs."""

import pytest

from arena.ladder.facts import Aim, Night
from arena.web.api.nights import Asked, Nights, chosen
from tests.web.serving import Served


def nights(count: int) -> list[Night]:
    return [
        Night(number=one, began="", ended="", aim=Aim(round=8), bots=(), last=0, summary=None)
        for one in range(1, count + 1)
    ]


@pytest.mark.parametrize(
    ("asked", "numbers", "rest"),
    [
        (Asked(limit=4), [6, 5, 4, 3], 3),
        (Asked(limit=4, before=3), [2, 1], None),
        (Asked(limit=2, before=3), [2, 1], None),
        (Asked(limit=1, before=3), [2], 2),
        (Asked(limit=6), [6, 5, 4, 3, 2, 1], None),
        (Asked(before=1), [], None),
    ],
)
def test_the_last_first_and_some_at_a_time(
    asked: Asked, numbers: list[int], rest: int | None
) -> None:
    found = chosen(nights(6), asked)
    assert ([one.number for one in found.nights], found.next) == (numbers, rest)


def test_none() -> None:
    assert chosen([], Asked()) == Nights(nights=(), next=None)


@pytest.mark.slow
def test_over_http(there: Served) -> None:
    (night,) = there.ask("/api/nights").json["nights"]
    assert (night["number"], night["aim"]["games"]) == (1, 60)
    assert night["summary"]["games"] >= 60
    assert there.ask("/api/nights?before=0").status == 422
