"""Durations as people write them: 2h, 90m, 1h30m, 45s."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Final

from arena.errors import ArenaError

UNITS: Final = {"d": 86400, "h": 3600, "m": 60, "s": 1}
WHOLE: Final = re.compile(r"([0-9]{1,9}[dhms]){1,4}\Z")
PART: Final = re.compile(r"([0-9]+)([dhms])")
MEANT: Final = "a time such as 2h, 90m or 1h30m"
LONGEST: Final = 366 * 86400


def seconds(text: str) -> int:
    """How many seconds a duration has."""
    plain = text.strip().lower().replace(" ", "")
    if not WHOLE.match(plain):
        raise ArenaError(f"{text!r} is no time; it takes {MEANT}")
    found = sum(int(number) * UNITS[unit] for number, unit in PART.findall(plain))
    if not 0 < found <= LONGEST:
        raise ArenaError(f"{text!r} is no time that one could wait for; it takes {MEANT}")
    return found


def until(text: str, now: datetime) -> datetime:
    """The next moment at which the clocks of this machine show this, such as 06:00.

    A time that is skipped when clocks are put forward is as much later as they are.
    """
    found = re.fullmatch(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", text.strip())
    if not found:
        raise ArenaError(f"{text!r} is no time of day; it takes one such as 06:00")
    # Without a zone: the one of now is a fixed offset, and the night may have another at its end.
    today = datetime.combine(now.astimezone().date(), time(int(found[1]), int(found[2])))
    shown = (
        (today + timedelta(days=days)).replace(fold=fold).timestamp()
        for days in range(3)
        for fold in (0, 1)  # when clocks are put back, they show some times twice
    )
    then = next(moment for moment in shown if moment > now.timestamp())
    return datetime.fromtimestamp(then, UTC).astimezone()
