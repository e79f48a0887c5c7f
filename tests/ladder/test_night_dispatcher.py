"""Nights whose games come from a script."""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.ladder.folder import Ladder
from arena.ladder.models import Night
from arena.ladder.night_dispatcher import NightDispatcher
from arena.ladder.night_lifecycle import (
    begin_or_resume_night,
    make_night_limits,
    summarize_night,
    update_run_header,
)
from arena.ladder.registry import Registry
from arena.ladder.settings import RetirementKeys
from arena.ladder.standings import has_too_many_faults
from arena.store.block import PlayedBlock
from arena.store.run import Run
from arena.tournaments.play.backend import BackendEvent, ChunkTask, TaskResult
from arena.tournaments.play.dispatcher import Progress, ProgressCallback
from arena.tournaments.play.signals import StopRequest
from tests.ladder import factories
from tests.ladder.reference_ladder import create_reference_ladder
from tests.tournaments.scripted_backend import ScriptedBackend

STRENGTHS = (0.0, 5.0, 10.0, 15.0, 20.0, 40.0, 60.0)


class Stopped(Exception):
    """Somebody has pulled the plug."""


class Session:
    """One process that plays a night, until it is over or the plug is pulled."""

    def __init__(
        self,
        ladder: Ladder,
        *,
        games: int | None = 200,
        end: datetime | None = None,
        room: int = 2,
        tasks: int = 10**6,
        fails: Callable[[ChunkTask], str | None] = lambda _task: None,
        touch: Callable[[PlayedBlock], PlayedBlock] = lambda block: block,
        watch: ProgressCallback = lambda _: None,
        strengths: Sequence[float] = STRENGTHS,
    ) -> None:
        self.ladder = ladder
        self.room = room
        self.left = tasks
        self.fails = fails
        self.touch = touch
        self.watch = watch
        self.strengths = strengths
        self.aim = make_night_limits(games, end, 2)

    def play(self) -> Night:
        """Play; the night as it was begun."""
        folder = self.ladder.folder
        with Run.open_for_writing(folder) as run, Registry.open(folder) as registry:
            update_run_header(self.ladder, run, registry)
            begun = begin_or_resume_night(self.ladder, registry, self.aim)
            bots = [player.bot for player in begun.entrants]
            backend = ScriptedBackend(
                bots, self.strengths, room=self.room, fails=self.fails, before=self.pull
            )
            changed = Changed(backend, self.touch)
            run.begin_session("code", 2, "none", begun.night.salt)
            self.playing = NightDispatcher(
                self.ladder, begun.night, begun.entrants, run, changed, StopRequest(), self.watch
            )
            self.whole = self.playing.play()
            registry.save_summary(
                begun.night.number, summarize_night(self.ladder, registry, begun.night, 1.0)
            )
            registry.end_night(begun.night.number)
            return begun.night

    def pull(self, _task: ChunkTask) -> None:
        """Pull the plug after so many tasks."""
        if not self.left:
            raise Stopped
        self.left -= 1


class Changed:
    """A backend whose blocks somebody changes before they are kept."""

    def __init__(
        self, backend: ScriptedBackend, touch: Callable[[PlayedBlock], PlayedBlock]
    ) -> None:
        self.backend = backend
        self.touch = touch
        self.free_slots, self.submit = backend.free_slots, backend.submit
        self.cancel_waiting = backend.cancel_waiting

    def wait(self, seconds: float) -> Sequence[BackendEvent]:
        """What has happened."""
        return [
            TaskResult(news.number, [self.touch(block) for block in news.blocks])
            if isinstance(news, TaskResult)
            else news
            for news in self.backend.wait(seconds)
        ]


def keys(ladder: Ladder) -> set[bytes]:
    """What was played."""
    with Run.open(ladder.folder) as run:
        return run.block_keys()


def copy_ladder(ladder: Ladder, folder: Path) -> Ladder:
    """The same ladder once more."""

    shutil.copytree(ladder.folder, folder)
    return Ladder(folder, ladder.settings)


@pytest.fixture
def ladder(tmp_path: Path) -> Ladder:
    return create_reference_ladder(tmp_path / "ladder")


@pytest.mark.slow
def test_results_do_not_depend_on_workers_or_interruptions(ladder: Ladder, tmp_path: Path) -> None:
    twin = copy_ladder(ladder, tmp_path / "twin")
    Session(ladder, room=1).play()
    stops = 0
    while True:
        try:
            Session(twin, room=2 + stops % 5, tasks=3).play()
            break
        except Stopped:
            stops += 1
    assert stops > 3
    assert keys(ladder) == keys(twin)


def test_games_are_counted_over_all_sittings(ladder: Ladder) -> None:
    with pytest.raises(Stopped):
        Session(ladder, games=150, tasks=4).play()
    session = Session(ladder, games=10**6)  # the night that goes on keeps its aim
    session.play()
    with Run.open(ladder.folder) as run:
        assert 150 <= run.game_count() < 150 + max(ladder.settings.games_per_visit)
    assert session.playing.progress.total_games == session.playing.progress.games


@pytest.mark.slow
def test_every_cell_and_every_bot_has_its_share(ladder: Ladder) -> None:
    session = Session(ladder, games=600)
    session.play()
    with Run.open(ladder.folder) as run:
        cells = Counter(block.variant for block in run.blocks())
        bots = Counter(bot for block in run.blocks() for bot in block.bots)
    assert max(cells.values()) - min(cells.values()) <= 3 * max(ladder.settings.deals_per_visit)
    assert len(bots) == 7
    assert min(bots.values()) > 0.3 * max(bots.values())


@pytest.mark.slow
def test_bots_of_one_owner_never_meet_and_large_tables_are_not_played(tmp_path: Path) -> None:
    """Four bots of one owner beside five reference bots, two of them somebody's."""
    ladder = create_reference_ladder(tmp_path / "ladder", variants="sticheln", seats=[3, 6])
    own = {factories.add_version(ladder, name, owner="ann").bot for name in ("a", "b", "c", "d")}
    with Registry.open(ladder.folder) as registry:
        registry.write("UPDATE version SET owner = 'bob' WHERE bot IN ('random v1', 'lowest v1')")
        registry.write("UPDATE version SET state = 'retired' WHERE bot = 'counter v1'")
        registry.write("UPDATE version SET state = 'retired' WHERE bot = 'careful v1'")
    Session(ladder, games=300, strengths=range(9)).play()
    with Registry.open(ladder.folder) as registry:
        (night,) = registry.nights()
    with Run.open(ladder.folder) as run:
        tables = {block.bots for block in run.blocks()}
    assert {len(table) for table in tables} == {3}
    assert own <= {bot for table in tables for bot in table}
    for table in tables:
        assert len(own & set(table)) <= 1
        assert not {"random v1", "lowest v1"} <= set(table)
    assert night.summary is not None
    assert night.summary.too_large == ("sticheln, 6 seats",)


@pytest.mark.slow
def test_another_night_has_other_deals(ladder: Ladder) -> None:
    Session(ladder).play()
    first = keys(ladder)
    with Run.open(ladder.folder) as run:
        seeds = set(run.deal_seeds())
    night = Session(ladder).play()
    assert night.number == 2
    assert night.last == len(first)
    with Run.open(ladder.folder) as run:
        assert len(list(run.deal_seeds())) == len(set(run.deal_seeds())) == 2 * len(seeds)


def test_a_night_ends_in_time(ladder: Ladder) -> None:
    end = datetime.now().astimezone() - timedelta(seconds=1)
    session = Session(ladder, games=None, end=end)
    session.play()
    assert session.whole
    assert not keys(ladder)


def test_a_night_without_workers_ends_in_time(ladder: Ladder) -> None:
    looks = 0

    def watch(_: Progress) -> None:
        nonlocal looks
        looks += 1
        assert looks < 50, "it waits without end"
        if looks == 10:
            past = datetime.now().astimezone() - timedelta(seconds=1)
            playing = session.playing
            playing.night = replace(playing.night, aim=make_night_limits(None, past, 2))

    end = datetime.now().astimezone() + timedelta(days=1)
    session = Session(ladder, games=None, end=end, room=0, watch=watch)
    session.play()
    assert session.whole
    assert looks >= 10, "as long as there is time, somebody may come"
    assert not keys(ladder)


def test_unplayable_chunks_are_skipped(ladder: Ladder) -> None:
    with_random = 0

    def fails(task: ChunkTask) -> str | None:
        nonlocal with_random
        with_random += 0 in task.chunk.table
        return "the machine is tired" if 0 in task.chunk.table else None

    session = Session(ladder, fails=fails)
    session.play()
    assert with_random >= 4
    assert session.playing.failed_chunks
    with Run.open(ladder.folder) as run:
        assert all("random v1" not in block.bots for block in run.blocks())


@pytest.mark.slow
def test_a_bot_with_too_many_faults_is_retired_with_a_reason(ladder: Ladder) -> None:
    def touch(block: PlayedBlock) -> PlayedBlock:
        if "ducker v1" not in block.bots:
            return block
        place = block.bots.index("ducker v1")
        results = tuple(
            replace(one, faults=tuple(int(at == place) for at in one.seating), points=one.scores)
            for one in block.results
        )
        return replace(block, results=results)

    session = Session(ladder, games=900, touch=touch)
    session.play()
    number = [bot.name for bot in session.playing.tournament.bots].index("ducker v1")
    assert number in session.playing.excluded
    assert session.playing.games_played[number] < 200, "it is not asked any more"


def test_fault_limits() -> None:
    rule = RetirementKeys(share=0.1, games=40)
    assert not has_too_many_faults(39, 39, rule)
    assert not has_too_many_faults(40, 4, rule)
    assert has_too_many_faults(40, 5, rule)
