"""Limits of time and memory for processing a submission."""

import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import Final

from arena.bots import build
from arena.conformance.conversation import CheckProgress
from arena.conformance.steps import MIN_QUESTIONS, STEPS
from arena.errors import ArenaError
from arena.games.catalog import VARIANTS
from arena.ladder.settings import LadderSettings
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.referee.config import GAMES_AT_ONCE
from arena.tournaments.plan.preview import decisions_per_game
from arena.tournaments.seatings import design

WALL_PER_CPU_SECOND: Final = 2.0
"""Seconds of real time for each second of CPU time, since the machine has other work, too."""
CHECK_GAMES: Final = 7
"""Games that the steps of a check play at the first table, one after another."""
OTHER_DECISIONS: Final = 50
"""Decisions in steps of a check that play no whole games."""
MAX_MEMORY: Final = 1 << 30
"""Bytes that reading what was sent may take."""
CHECK_GRACE = 60.0
"""Seconds that a check may take beyond what follows from the answers so far."""
MAX_SHOWN_SECONDS: Final = 180
"""Seconds up to which times are not rounded to minutes."""
UNPACK_SECONDS: Final = 60.0
"""Seconds in which an upload is unpacked and read."""


class CheckTooLong(ArenaError):
    """A bot took too much real time in a check, though perhaps little CPU time."""


class TimeLimitReached(BaseException):
    """The time limit is reached; not an `Exception`, so that no error handler catches it."""


@contextmanager
def time_limit(seconds: float, error: Exception) -> Iterator[None]:
    """Raise an error as soon as so many seconds are over; only in the main thread."""

    def handle_alarm(*_: object) -> None:
        raise TimeLimitReached

    before = signal.signal(signal.SIGALRM, handle_alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeLimitReached:
        raise error from None
    finally:
        signal.signal(signal.SIGALRM, before)


@contextmanager
def memory_limit(error: Exception) -> Iterator[None]:
    """Raise an error if this process takes too much memory; programs it starts would inherit it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    held = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    most = min(one for one in (soft, hard, held + MAX_MEMORY) if one != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    except MemoryError:
        raise error from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def submission_seconds(settings: LadderSettings) -> float:
    """Seconds of real time that are enough for a bot which uses all the time of its clock."""
    return check_wall_seconds(settings) + placement_wall_seconds(settings)


def check_wall_seconds(settings: LadderSettings) -> float:
    """The part of `submission_seconds` for unpacking, building and checking."""
    return UNPACK_SECONDS + build.BUILD_TIMEOUT + WALL_PER_CPU_SECOND * check_cpu_seconds(settings)


def placement_wall_seconds(settings: LadderSettings) -> float:
    """The part of `submission_seconds` for placement games."""
    return max(placement_seconds(settings), WALL_PER_CPU_SECOND * first_cell_cpu_seconds(settings))


def placement_seconds(settings: LadderSettings) -> float:
    """Seconds after which a new version begins no further placement games."""
    return 60 * settings.keys.placement.minutes


def check_cpu_seconds(settings: LadderSettings) -> float:
    """The most CPU time that a bot has for its answers in a check."""
    clock = settings.keys.clock
    return clock.move * check_decisions(settings) + clock.start * len(STEPS)


def check_decisions(settings: LadderSettings) -> float:
    """The decisions of a bot in a check: every table once, and games at the first of them.

    A bot need not play all variants, so that the first one it plays may be any of them.
    """
    names = {cell.variant for cell in settings.cells}
    tables = [
        [decisions_per_seat(Cell(name, seats)) for seats in variant.seats]
        for name, variant in VARIANTS.items()
        if name in names
    ]
    games = max(
        CHECK_GAMES * tables[first][0] + sum(map(sum, tables[first:]))
        for first in range(len(tables))
    )
    return games + GAMES_AT_ONCE * MIN_QUESTIONS + OTHER_DECISIONS


def first_cell_cpu_seconds(settings: LadderSettings) -> float:
    """The most CPU time that a bot has in the placement games that it plays in any case."""
    clock, cell = settings.keys.clock, settings.cells[0]
    return placement_games(cell) * (clock.move * decisions_per_seat(cell) + clock.bank)


def placement_games(cell: Cell) -> int:
    """The placement games in a cell: a whole design."""
    return sum(map(len, design("balanced", cell.seats)))


def decisions_per_seat(cell: Cell) -> float:
    """The decisions of one seat in a game."""
    return decisions_per_game(cell) / cell.seats


def too_long_text(what: str, seconds: float, clock: Limits) -> str:
    """The sentence about work on a submission that took longer than so many seconds."""
    shown = f"{ceil(seconds / 60)} minutes" if seconds > MAX_SHOWN_SECONDS else f"{ceil(seconds)} s"
    return (
        f"{what} took longer than {shown}, which is enough for a bot that thinks {clock.move:g} s "
        "about each decision; let it answer faster"
    )


class CheckDeadline:
    """Ends a check early if a bot takes much more real time than its clock gives it CPU time.

    Else one that sleeps before every answer would keep all others waiting for the whole limit.
    """

    def __init__(self, clock: Limits) -> None:
        self.clock = clock
        self.began = time.monotonic()
        self.allowed_seconds = CHECK_GRACE

    def update(self, pace: CheckProgress) -> None:
        """Update the deadline when a step begins or an answer arrives."""
        more = self.clock.move if pace.answer_count else self.clock.start
        self.allowed_seconds += WALL_PER_CPU_SECOND * more
        if time.monotonic() - self.began > self.allowed_seconds:
            raise CheckTooLong(too_long_text("its answers", self.allowed_seconds, self.clock))
