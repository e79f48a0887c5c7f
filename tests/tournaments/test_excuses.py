"""A bot that the machine kills is excused, but not for ever, and nobody else pays for it."""

from collections import Counter
from pathlib import Path

import pytest

from arena.store.run import Run
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.backend import ChunkTask
from arena.tournaments.play.dispatcher import MAX_TRIES, ChunkDispatcher
from arena.tournaments.play.excuse_counter import MAX_CHUNK_EXCUSES, MAX_EXCUSES
from arena.tournaments.play.signals import StopRequest
from tests.tournaments.scripted_backend import (
    BOTS,
    SEED,
    ScriptedBackend,
    open_run,
    planned_keys,
    play_session,
    small_tournament,
    stored_keys,
)

CLEAR = (0, 10, 20, 30, 40, 50)
GUILTY, INNOCENT = BOTS[0].name, BOTS[1].name


def has(task: ChunkTask, bot: str) -> bool:
    return bot in {BOTS[number].name for number in task.chunk.table}


class Suicide:
    """A bot that is killed wherever that is excused, and plays where it would pay."""

    def __init__(self, bot: str = GUILTY, most: int | None = None) -> None:
        self.bot = bot
        self.most = most
        """How often in one chunk, if that is less than it could be."""
        self.free: Counter[int] = Counter()
        """How often each chunk was played again for it."""

    def __call__(self, task: ChunkTask) -> str | None:
        often = self.most is not None and self.free[task.number] >= self.most
        if often or not has(task, self.bot) or self.bot in task.bots_without_excuses:
            return None
        self.free[task.number] += 1
        return self.bot


@pytest.mark.slow
def test_a_bot_is_excused_thirty_times_in_all(tmp_path: Path) -> None:
    """Not once more in every further chunk."""
    made, killed = small_tournament(deals=20, chunk=1), Suicide(most=1)
    backend = ScriptedBackend(made.bots, CLEAR, room=1, killed=killed)
    ended = play_session(tmp_path, made, backend)
    assert killed.free.total() == MAX_EXCUSES
    assert len({task.number for task in backend.submitted if has(task, GUILTY)}) == 200
    assert ended.progress.excuses == {GUILTY: MAX_EXCUSES}
    assert ended.progress.repeated_chunks == MAX_EXCUSES
    assert stored_keys(tmp_path) == planned_keys(made)


@pytest.mark.slow
def test_tasks_in_flight_add_a_few_excuses(tmp_path: Path) -> None:
    made, killed = small_tournament(deals=20, chunk=1), Suicide(most=1)
    play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR, room=8, killed=killed))
    assert MAX_EXCUSES <= killed.free.total() < MAX_EXCUSES + 8


def test_three_times_in_a_chunk(tmp_path: Path) -> None:
    made, killed = small_tournament(), Suicide()
    backend = ScriptedBackend(made.bots, CLEAR, room=1, killed=killed)
    play_session(tmp_path, made, backend)
    assert set(killed.free.values()) == {MAX_CHUNK_EXCUSES}
    first = [task.bots_without_excuses for task in backend.submitted if task.number == 1]
    assert first == [frozenset()] * MAX_CHUNK_EXCUSES + [{GUILTY}]


def test_excuses_are_counted_for_each_bot(tmp_path: Path) -> None:
    """That one bot has used up its excuses takes none from another."""
    made, guilty, innocent = small_tournament(chunk=1), Suicide(), Suicide(INNOCENT, most=1)

    def killed(task: ChunkTask) -> str | None:
        return guilty(task) or (innocent(task) if GUILTY in task.bots_without_excuses else None)

    backend = ScriptedBackend(made.bots, CLEAR, room=1, killed=killed)
    ended = play_session(tmp_path, made, backend)
    assert innocent.free.total() == MAX_EXCUSES
    assert ended.progress.excuses == {GUILTY: MAX_EXCUSES, INNOCENT: MAX_EXCUSES}
    for task in backend.submitted:
        assert task.bots_without_excuses <= {GUILTY, INNOCENT}


@pytest.mark.slow
def test_the_limits_hold_across_sessions(tmp_path: Path) -> None:
    """However often a run is interrupted, and wherever in a chunk."""
    made, free = small_tournament(deals=20, chunk=1), 0
    for _ in range(100):
        halt, killed = StopRequest(), Suicide()

        def interrupt(_task: ChunkTask, killed: Suicide = killed, halt: StopRequest = halt) -> None:
            halt.requests = int(killed.free.total() >= 2)

        ended = play_session(
            tmp_path,
            made,
            ScriptedBackend(made.bots, CLEAR, room=1, killed=killed, before=interrupt),
            halt,
        )
        assert all(times <= MAX_CHUNK_EXCUSES for times in killed.free.values())
        free += killed.free.total()
        if not ended.was_interrupted:
            break
    assert not ended.was_interrupted
    assert free == MAX_EXCUSES
    with Run.open(tmp_path) as run:
        excuses = run.excuses()
        assert run.find_problems() == []
    assert {one.bot for one in excuses} == {GUILTY}
    assert len(excuses) == MAX_EXCUSES
    in_chunk = Counter(one.chunk for one in excuses)
    assert set(in_chunk.values()) == {MAX_CHUNK_EXCUSES}
    assert {(one.variant, one.seats, one.text) for one in excuses} == {
        ("sticheln", 4, f"{GUILTY} was killed")
    }


def test_a_night_counts_its_own(tmp_path: Path) -> None:
    """Sessions whose deals have another salt are another night's."""
    made = small_tournament()
    chunk = next(iter(Plan(made, SEED).stage_chunks(0, {})))

    def dispatcher(run: Run, salt: str) -> ChunkDispatcher:
        backend = ScriptedBackend(made.bots, CLEAR)
        return ChunkDispatcher(made, run, backend, StopRequest(), lambda _: None, salt=salt)

    with open_run(tmp_path, made) as run:
        for salt in ("night 1", "night 2", "night 1"):
            run.begin_session("code", 1, salt=salt)
            dispatcher(run, salt).record_excuse(ChunkTask(1, chunk), GUILTY, "it was killed")
        assert dispatcher(run, "night 1").excuses.by_bot == {GUILTY: 2}
        assert dispatcher(run, "night 2").excuses.by_bot == {GUILTY: 1}
        assert not dispatcher(run, "").excuses.by_bot


def test_a_bot_that_pays_is_not_excused_by_a_worker(tmp_path: Path) -> None:
    """A worker that says so again and again has failed, as one that names a bot of its own."""
    made = small_tournament()
    for name, tries in ((GUILTY, MAX_CHUNK_EXCUSES + MAX_TRIES), ("who", MAX_TRIES)):

        def killed(task: ChunkTask, name: str = name) -> str | None:
            return name if task.number == 1 else None

        backend = ScriptedBackend(made.bots, CLEAR, room=1, killed=killed)
        ended = play_session(tmp_path / name, made, backend)
        assert len([task for task in backend.submitted if task.number == 1]) == tries
        assert len(ended.failed_chunks) == 1
