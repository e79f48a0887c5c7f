"""Times as people write them."""

from datetime import datetime, timedelta, timezone

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


NOW = datetime(2030, 1, 31, 23, 30, 5, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("text", "day", "hour"), [("06:00", 1, 6), ("6:00", 1, 6), ("23:31", 31, 23), ("23:30", 1, 23)]
)
def test_until_the_next_time_that_clocks_show_it(text: str, day: int, hour: int) -> None:
    found = until(text, NOW)
    assert NOW < found <= NOW + timedelta(days=1)
    assert (found.day, found.hour, found.second) == (day, hour, 0)
    assert found.utcoffset() == NOW.utcoffset()


@pytest.mark.parametrize("text", ["", "6", "24:00", "06:60", "6:0", "06:00:00", "six", "٠6:00"])
def test_no_times_of_day(text: str) -> None:
    with pytest.raises(ArenaError, match=r"is no time of day; it takes one such as 06:00$"):
        until(text, NOW)
