"""Nights for programs."""

from pathlib import Path

import pytest

from arena.ladder.facts import Aim, Summary
from arena.ladder.registry import Registry
from arena.web.api import nights
from arena.web.api.nights import Asked, Nights, chosen
from tests.web.laddering import empty
from tests.web.serving import Served


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with six nights, of each of which some kilobytes are stored."""
    folder = empty(tmp_path_factory.mktemp("nights") / "ladder")
    with Registry.open(folder) as registry:
        for number in range(1, 7):
            registry.new_night(Aim(round=8), [f"{'x' * 30} v{bot}" for bot in range(100)])
            summary = Summary(blocks=1, games=3, seconds=1.0, new=(), retired=(), moves=())
            registry.sum_up(number, summary)
            registry.end_night(number)
    return folder


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
    six: Path, asked: Asked, numbers: list[int], rest: int | None
) -> None:
    with Registry.open(six) as registry:
        found = chosen(registry, asked)
    assert ([one.number for one in found.nights], found.next) == (numbers, rest)


def test_only_what_is_asked_for_is_read(six: Path) -> None:
    """However many nights there were."""
    with Registry.open(six) as registry:
        read: list[int] = []

        def noted(_: object, row: tuple[int, ...]) -> tuple[int, ...]:
            read.append(row[0])
            return row

        registry.connection.row_factory = noted
        chosen(registry, Asked(limit=2))
    assert read == [6, 5, 4]


@pytest.mark.parametrize(("longest", "numbers"), [(1, [6]), (9_000, [6, 5])])
def test_long_ones_are_answered_in_smaller_portions(
    six: Path, longest: int, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nights, "LONGEST", longest)
    with Registry.open(six) as registry:
        found = chosen(registry, Asked())
    assert ([one.number for one in found.nights], found.next) == (numbers, numbers[-1])


def test_none(tmp_path: Path) -> None:
    with Registry.open(empty(tmp_path / "ladder")) as registry:
        assert chosen(registry, Asked()) == Nights(nights=(), next=None)


@pytest.mark.slow
def test_over_http(there: Served) -> None:
    (night,) = there.ask("/api/nights").json["nights"]
    assert (night["number"], night["aim"]["games"]) == (1, 36)
    assert night["summary"]["games"] >= 36
    assert there.ask("/api/nights?before=0").status == 422
