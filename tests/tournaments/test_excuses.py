"""A bot that the machine kills is excused, but not for ever, and nobody else pays for it."""

from collections import Counter
from pathlib import Path

import pytest

from arena.store.run import Run
from arena.tournaments.backend import Task
from arena.tournaments.excuses import EXCUSED, EXCUSED_IN_ALL
from arena.tournaments.halt import Halt
from arena.tournaments.labour import TRIES, Labour
from arena.tournaments.plan import Plan
from tests.tournaments.scripted import BOTS, SEED, Scripted, kept, opened, planned, sit, small

CLEAR = (0, 10, 20, 30, 40, 50)
GUILTY, INNOCENT = BOTS[0].name, BOTS[1].name


def has(task: Task, bot: str) -> bool:
    return bot in {BOTS[number].name for number in task.chunk.table}


class Suicide:
    """A bot that is killed wherever that is excused, and plays where it would pay."""

    def __init__(self, bot: str = GUILTY, most: int | None = None) -> None:
        self.bot = bot
        self.most = most
        """How often in one chunk, if that is less than it could be."""
        self.free: Counter[int] = Counter()
        """How often each chunk was played again for it."""

    def __call__(self, task: Task) -> str | None:
        often = self.most is not None and self.free[task.number] >= self.most
        if often or not has(task, self.bot) or self.bot in task.paying:
            return None
        self.free[task.number] += 1
        return self.bot


@pytest.mark.slow
def test_a_bot_is_excused_thirty_times_in_all(tmp_path: Path) -> None:
    """Not once more in every further chunk."""
    made, killed = small(deals=20, chunk=1), Suicide(most=1)
    backend = Scripted(made.bots, CLEAR, room=1, killed=killed)
    ended = sit(tmp_path, made, backend)
    assert killed.free.total() == EXCUSED_IN_ALL
    assert len({task.number for task in backend.given if has(task, GUILTY)}) == 200
    assert ended.progress.excuses == {GUILTY: EXCUSED_IN_ALL}
    assert ended.progress.again == EXCUSED_IN_ALL
    assert kept(tmp_path) == planned(made)


@pytest.mark.slow
def test_what_is_being_played_adds_a_few(tmp_path: Path) -> None:
    made, killed = small(deals=20, chunk=1), Suicide(most=1)
    sit(tmp_path, made, Scripted(made.bots, CLEAR, room=8, killed=killed))
    assert EXCUSED_IN_ALL <= killed.free.total() < EXCUSED_IN_ALL + 8


def test_three_times_in_a_chunk(tmp_path: Path) -> None:
    made, killed = small(), Suicide()
    backend = Scripted(made.bots, CLEAR, room=1, killed=killed)
    sit(tmp_path, made, backend)
    assert set(killed.free.values()) == {EXCUSED}
    first = [task.paying for task in backend.given if task.number == 1]
    assert first == [frozenset()] * EXCUSED + [{GUILTY}]


def test_nobody_else_pays(tmp_path: Path) -> None:
    """That one bot has used up its excuses takes none from another."""
    made, guilty, innocent = small(chunk=1), Suicide(), Suicide(INNOCENT, most=1)

    def killed(task: Task) -> str | None:
        return guilty(task) or (innocent(task) if GUILTY in task.paying else None)

    backend = Scripted(made.bots, CLEAR, room=1, killed=killed)
    ended = sit(tmp_path, made, backend)
    assert innocent.free.total() == EXCUSED_IN_ALL
    assert ended.progress.excuses == {GUILTY: EXCUSED_IN_ALL, INNOCENT: EXCUSED_IN_ALL}
    for task in backend.given:
        assert task.paying <= {GUILTY, INNOCENT}


@pytest.mark.slow
def test_the_limits_hold_across_sessions(tmp_path: Path) -> None:
    """However often a run is interrupted, and wherever in a chunk."""
    made, free = small(deals=20, chunk=1), 0
    for _ in range(100):
        halt, killed = Halt(), Suicide()

        def interrupt(_task: Task, killed: Suicide = killed, halt: Halt = halt) -> None:
            halt.asked = int(killed.free.total() >= 2)

        ended = sit(
            tmp_path,
            made,
            Scripted(made.bots, CLEAR, room=1, killed=killed, before=interrupt),
            halt,
        )
        assert all(times <= EXCUSED for times in killed.free.values())
        free += killed.free.total()
        if not ended.interrupted:
            break
    assert not ended.interrupted
    assert free == EXCUSED_IN_ALL
    with Run.open(tmp_path) as run:
        excuses = run.excuses()
        assert run.findings() == []
    assert {one.bot for one in excuses} == {GUILTY}
    assert len(excuses) == EXCUSED_IN_ALL
    in_chunk = Counter(one.chunk for one in excuses)
    assert set(in_chunk.values()) == {EXCUSED}
    assert {(one.variant, one.seats, one.text) for one in excuses} == {
        ("sticheln", 4, f"{GUILTY} was killed")
    }


def test_a_night_counts_its_own(tmp_path: Path) -> None:
    """Sessions whose deals have another salt are another night's."""
    made = small()
    chunk = next(iter(Plan(made, SEED).stage(0, {})))

    def labour(run: Run, salt: str) -> Labour:
        backend = Scripted(made.bots, CLEAR)
        return Labour(made, run, backend, Halt(), lambda _: None, salt=salt)

    with opened(tmp_path, made) as run:
        for salt in ("night 1", "night 2", "night 1"):
            run.session("code", 1, salt=salt)
            labour(run, salt).excuse(Task(1, chunk), GUILTY, "it was killed")
        assert labour(run, "night 1").excuses.in_all == {GUILTY: 2}
        assert labour(run, "night 2").excuses.in_all == {GUILTY: 1}
        assert not labour(run, "").excuses.in_all


def test_a_bot_that_pays_is_not_excused_by_a_worker(tmp_path: Path) -> None:
    """A worker that says so again and again has failed, as one that names a bot of its own."""
    made = small()
    for name, tries in ((GUILTY, EXCUSED + TRIES), ("who", TRIES)):

        def killed(task: Task, name: str = name) -> str | None:
            return name if task.number == 1 else None

        backend = Scripted(made.bots, CLEAR, room=1, killed=killed)
        ended = sit(tmp_path / name, made, backend)
        assert len([task for task in backend.given if task.number == 1]) == tries
        assert len(ended.parked) == 1
