"""Times as people write them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from time import tzset

import pytest

from arena.errors import ArenaError
from arena.ladder.durations import seconds, until


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("2h", 7200),
        ("90m", 5400),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        (" 45S ", 45),
        ("1d", 86400),
        ("366d", 366 * 86400),
    ],
)
def test_durations(text: str, length: int) -> None:
    assert seconds(text) == length


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "2",
        "h",
        "-2h",
        "1.5h",
        "2h!",
        "2h\n3",
        "２h",
        "0s",
        "367d",
        "9" * 5000 + "h",
        "1h" * 9,
    ],
)
def test_no_durations(text: str) -> None:
    with pytest.raises(ArenaError, match=r"is no time.* it takes a time such as 2h, 90m or 1h30m$"):
        seconds(text)


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Lets the clocks of this machine show the time of another zone."""

    def change(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        tzset()

    yield change
    monkeypatch.undo()
    tzset()


@pytest.mark.parametrize(
    ("name", "now", "text", "then"),
    [
        ("Europe/Berlin", "2030-01-31T23:30:05+01:00", "06:00", "2030-02-01T06:00:00+01:00"),
        ("Europe/Berlin", "2030-01-31T23:30:05+01:00", "6:00", "2030-02-01T06:00:00+01:00"),
        ("Europe/Berlin", "2030-01-31T23:30:05+01:00", "23:31", "2030-01-31T23:31:00+01:00"),
        ("Europe/Berlin", "2030-01-31T23:30:05+01:00", "23:30", "2030-02-01T23:30:00+01:00"),
        ("Europe/Berlin", "2026-10-24T23:00:00+02:00", "06:00", "2026-10-25T06:00:00+01:00"),
        ("Europe/Berlin", "2026-10-25T01:00:00+02:00", "02:30", "2026-10-25T02:30:00+02:00"),
        ("Europe/Berlin", "2026-10-25T02:45:00+02:00", "02:30", "2026-10-25T02:30:00+01:00"),
        ("Europe/Berlin", "2026-10-25T02:45:00+01:00", "02:30", "2026-10-26T02:30:00+01:00"),
        ("Europe/Berlin", "2027-03-27T23:00:00+01:00", "06:00", "2027-03-28T06:00:00+02:00"),
        ("Europe/Berlin", "2027-03-27T23:00:00+01:00", "02:30", "2027-03-28T03:30:00+02:00"),
        ("Europe/Berlin", "2027-03-28T12:00:00+02:00", "02:30", "2027-03-29T02:30:00+02:00"),
        ("America/New_York", "2026-10-31T23:00:00-04:00", "06:00", "2026-11-01T06:00:00-05:00"),
        ("UTC", "2026-10-24T21:00:00+00:00", "06:00", "2026-10-25T06:00:00+00:00"),
    ],
)
def test_until_the_next_time_that_clocks_show_it(
    zone: Callable[[str], None], name: str, now: str, text: str, then: str
) -> None:
    zone(name)
    found = until(text, datetime.fromisoformat(now))
    assert found.isoformat() == then


NOW = datetime(2030, 1, 31, 23, 30, 5, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "6", "24:00", "06:60", "6:0", "06:00:00", "six", "٠6:00"])
def test_no_times_of_day(text: str) -> None:
    with pytest.raises(ArenaError, match=r"is no time of day; it takes one such as 06:00$"):
        until(text, NOW)
