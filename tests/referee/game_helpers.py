"""Games with bots of `tests/misbehaving`, and what their records should be."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from arena.bots.bot import Bot, load_bot
from arena.bots.launcher import Launcher
from arena.bots.reaper import child_pids
from arena.bots.sandbox.sandbox import NO_SANDBOX
from arena.games.base import Decision
from arena.games.catalog import variant
from arena.games.replay import play_game
from arena.protocol.messages import Limits
from arena.referee.config import RefereeConfig
from arena.referee.connection import HousePlayer, TrafficCallback
from arena.referee.live_game import Deal
from arena.referee.record import Record, deciders, verify_record
from arena.referee.referee import FinishedGame, Referee
from tests.bots.leftover_processes import check_no_leftovers

MISBEHAVING = Path(__file__).parent.parent / "misbehaving"

Seats = list[Bot | HousePlayer]

CONFIG = RefereeConfig(limits=Limits(start=1.0, move=0.3, bank=0.0, wall=10.0), grace=0.1)
"""Little CPU time, which a busy machine takes from nobody, and much real time."""


def misbehaving_bot(name: str) -> Bot:
    """Load one of the bots of `tests/misbehaving`."""
    folder = MISBEHAVING / name
    return load_bot(folder if folder.is_dir() else folder.with_suffix(".py"))


def first_option(decision: Decision, _view: object) -> str:
    """Choose the first option, as a player inside the referee."""
    return decision.options[0]


shared_launchers: list[Launcher] = []
"""A launcher without a sandbox that all games use, if there is one."""


@contextmanager
def shared_launcher() -> Iterator[None]:
    """Start one launcher for all games inside this block that have no sandbox."""
    with Launcher() as launcher:
        shared_launchers.append(launcher)
        try:
            yield
        finally:
            shared_launchers.clear()


def play_games(
    seats: Seats,
    deals: int = 1,
    terms: RefereeConfig = CONFIG,
    tap: TrafficCallback | None = None,
    name: str = "sticheln",
) -> list[FinishedGame]:
    """Play deals, verify all records, and check that no process is left."""
    with check_no_leftovers(), ExitStack() as stack:
        if shared_launchers and terms.sandbox == NO_SANDBOX:
            launcher = shared_launchers[0]
        else:
            launcher = stack.enter_context(Launcher(terms.sandbox))
        referee = Referee(variant(name).game(len(seats)), seats, launcher, terms, on_traffic=tap)
        played = list(referee.play([Deal(seed) for seed in range(deals)]))
        assert child_pids(launcher.process.pid) == [], "bots are gone once all games are over"
    for game in played:
        verify_record(game.record)
    assert sorted(game.record.seed for game in played) == list(range(deals))
    return sorted(played, key=lambda game: game.record.seed)


def open_descriptors() -> list[str]:
    """Return the open file descriptors of this process."""
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


def choices_of_seat(record: Record, seat: int) -> list[int]:
    """Return the positions of all choices of a seat."""
    return [place for place, other in enumerate(deciders(record)) if other == seat]


def choices_with_stand_ins(record: Record, stand_in: Callable[[int], bool]) -> tuple[str, ...]:
    """The same deal where bots take their last option and the house its first.

    So it does for the seat 0 at the places that are named.
    """
    place = -1

    def choose(_state: object, decisions: tuple[Decision, ...]) -> list[str]:
        nonlocal place
        choices = []
        for decision in decisions:
            place += 1
            house_plays = record.bots[decision.seat].name == "house"
            stands_in = decision.seat == 0 and stand_in(place)
            choices.append(decision.options[0 if house_plays or stands_in else -1])
        return choices

    game = variant(record.variant).game(record.seats)
    return play_game(game, record.seed, choose, record.first).choices
