"""Playing a night from Python: one call takes the lock, plays, rates and writes the pages."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from arena.bots.bot import Bot
from arena.ladder.folder import SITE_FOLDER, Ladder
from arena.ladder.night import play_night
from arena.ladder.night_lifecycle import NightPlan
from arena.ladder.registry import Registry
from arena.store.database import RunLocked
from arena.store.run import Run
from arena.tournaments.play.backend import RemoteBackend
from arena.tournaments.play.dispatcher import Progress
from arena.tournaments.play.signals import StopRequest
from tests.ladder import factories
from tests.tournaments.scripted_backend import ScriptedBackend

NAMES = ("ann", "bob", "cleo", "dan")


@pytest.fixture
def quartet(empty_ladder: Ladder) -> Ladder:
    """A ladder of four bots."""
    for name in NAMES:
        factories.add_version(empty_ladder, name, owner=name)
    return empty_ladder


class ScriptedCluster(ScriptedBackend):
    """A backend without processes, which is given its bots after it was opened."""

    cores = 2

    def __init__(self, unplayable: Mapping[str, str]) -> None:
        super().__init__([], (0.0, 5.0, 10.0, 15.0), room=2)
        self.unplayable = unplayable
        self.is_open = False

    def check_bots(self, bots: Iterable[tuple[Bot, Path]]) -> Mapping[str, str]:
        self.bots = [bot for bot, _ in bots]
        return {
            bot.name: self.unplayable[bot.name] for bot in self.bots if bot.name in self.unplayable
        }

    def check_ready(self, variants: tuple[str, ...]) -> None:
        raise NotImplementedError

    @contextmanager
    def open(self) -> Iterator[RemoteBackend]:
        self.is_open = True
        yield self
        self.is_open = False


def test_a_night_on_another_backend(quartet: Ladder) -> None:
    cluster = ScriptedCluster({"bob v1": "nobody has perl"})
    calls: list[str] = []

    def begun(plan: NightPlan, cores: int) -> None:
        calls.append(f"night {plan.night.number}, {len(plan.entrants)} bots, {cores} cores")

    def show(_progress: Progress) -> None:
        if calls[-1] != "progress":
            calls.append("progress")

    result = play_night(
        quartet.folder,
        games=30,
        open_backend=cluster.open,
        on_begun=begun,
        on_progress=show,
        on_played=lambda: calls.append("played"),
        on_status=calls.append,
    )
    assert not cluster.is_open
    assert calls == [
        *("night 1, 3 bots, 2 cores", "progress", "played"),
        *("Rating all games.", "Writing the pages."),
    ]
    assert result.summary is not None
    assert result.summary.games == result.progress.new_games >= 30
    assert result.summary.left_out == (("bob v1", "nobody has perl"),)
    assert not result.is_complete, "a bot was left out"
    assert not result.was_interrupted
    assert result.active_bots == 4
    assert (quartet.folder / SITE_FOLDER / "index.html").is_file()


def test_a_night_that_is_interrupted_and_resumed(quartet: Ladder) -> None:
    cluster, stop_request = ScriptedCluster({}), StopRequest(signals=())

    def stop(progress: Progress) -> None:
        if progress.new_games and not stop_request.is_requested:
            stop_request.request()

    first = play_night(
        quartet, games=60, open_backend=cluster.open, stop_request=stop_request, on_progress=stop
    )
    assert first.was_interrupted
    assert (first.summary, first.site) == (None, None)
    assert 0 < first.progress.new_games < 60
    second = play_night(quartet, open_backend=ScriptedCluster({}).open)
    assert (second.plan.is_new, second.plan.night.number) == (False, 1)
    assert second.is_complete
    assert second.summary is not None
    assert second.summary.games >= 60
    with Registry.open(quartet.folder) as registry:
        assert registry.open_night() is None


def test_one_night_at_a_time(quartet: Ladder) -> None:
    with Run.open_for_writing(quartet.folder), pytest.raises(RunLocked, match="is being played by"):
        play_night(quartet, games=1)


@pytest.mark.slow
def test_a_night_on_this_machine(quartet: Ladder) -> None:
    end = datetime.now().astimezone() + timedelta(hours=1)
    result = play_night(quartet, games=6, end=end, workers=1)
    assert result.is_complete
    assert result.plan.night.aim.games == 6
    with Run.open(quartet.folder) as run:
        assert run.game_count() == 6
        assert run.sessions()[-1].salt == "night 1"
