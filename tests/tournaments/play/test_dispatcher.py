"""Long chunks are divided, tasks that have not begun are taken back, a backend may be full."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from arena.ratings.cell import Cell
from arena.store.block import PlayedBlock as Played
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.plan.blocks import Chunk, PlannedBlock
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.backend import BackendEvent, ChunkTask, TaskFailure, TaskResult
from arena.tournaments.play.dispatcher import MAX_TASK_SECONDS, MAX_TRIES, split_chunk
from arena.tournaments.play.signals import StopRequest
from tests.tournaments.scripted_backend import (
    SEED,
    ScriptedBackend,
    planned_keys,
    play_session,
    small_tournament,
    stored_keys,
)

CLEAR = (0, 10, 20, 30, 40, 50)
MAX_WAIT = 200
"""How often a backend is asked what has happened before it is taken to be waited for in vain."""


def chunk(blocks: int) -> Chunk:
    """So many blocks."""
    made = (
        PlannedBlock(b"%016d" % number, number, number, ((0, 1, 2),)) for number in range(blocks)
    )
    return Chunk(Cell("sticheln", 3), (2, 0, 1), tuple(made))


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 300), st.just(0.0) | st.floats(1e-9, 1e6))
@example(32, MAX_TASK_SECONDS)
@example(32, MAX_TASK_SECONDS / 32)
@example(33, MAX_TASK_SECONDS / 32)
@example(1, 1e6)
def test_pieces_are_the_chunk(blocks: int, pace: float) -> None:
    whole = chunk(blocks)
    pieces = split_chunk(whole, pace)
    assert tuple(block for piece in pieces for block in piece.blocks) == whole.blocks
    assert {(piece.cell, piece.table) for piece in pieces} == {(whole.cell, whole.table)}
    sizes = [len(piece.blocks) for piece in pieces]
    assert min(sizes) >= 1
    assert all(size == 1 or size * pace <= MAX_TASK_SECONDS for size in sizes), (
        "each is over in time"
    )
    fits = max(1, int(MAX_TASK_SECONDS / pace)) if pace else blocks
    assert len(pieces) == -(-blocks // fits), "and there are no more than it takes"
    assert len(set(sizes[:-1])) <= 1
    assert sizes[-1] <= sizes[0]


def test_a_chunk_of_unknown_duration_is_not_split() -> None:
    assert split_chunk(chunk(300), 0.0) == [chunk(300)]


class Bounded(ScriptedBackend):
    """One that is not waited for without end."""

    waits = 0

    def wait(self, seconds: float) -> Iterable[BackendEvent]:
        self.waits += 1
        assert self.waits < MAX_WAIT, "nothing will ever happen any more"
        return super().wait(seconds)


class Slow(Bounded):
    """Says that each block has taken so many seconds."""

    def __init__(self, made: Tournament, pace: float, *, room: int = 1) -> None:
        super().__init__(made.bots, CLEAR, room=room)
        self.pace = pace

    def wait(self, seconds: float) -> Iterable[BackendEvent]:
        for news in super().wait(seconds):
            if isinstance(news, TaskResult):
                yield replace(news, seconds=self.pace * len(news.blocks))
            else:
                yield news


class Queue(Bounded):
    """Has begun only the first so many of its tasks; the others can be taken back."""

    def __init__(
        self, made: Tournament, *, begun: int, before: Callable[[ChunkTask], None]
    ) -> None:
        super().__init__(made.bots, CLEAR, room=10, before=before)
        self.begun = begun
        self.recalled: list[int] = []

    def cancel_waiting(self) -> Iterable[int]:
        back = [task.number for task in list(self.in_flight)[self.begun :]]
        self.in_flight = type(self.in_flight)(list(self.in_flight)[: self.begun])
        self.recalled += back
        return back


class Absent(Bounded):
    """Nobody is there until it was asked so many times, or after so many tasks are done."""

    def __init__(self, made: Tournament, *, until: int = 0, after: int = 1000) -> None:
        super().__init__(made.bots, CLEAR)
        self.until = until
        self.after = after

    def free_slots(self) -> int:
        return (
            super().free_slots()
            if self.waits >= self.until and len(self.submitted) < self.after
            else 0
        )


def test_long_chunks_are_played_in_pieces(tmp_path: Path) -> None:
    made = small_tournament(chunk=32, deals=12)
    whole = [chunk for chunk in Plan(made, SEED).stage_chunks(0, {}) if chunk.blocks]
    assert {len(chunk.blocks) for chunk in whole} == {12}
    backend = Slow(made, MAX_TASK_SECONDS / 5)
    ended = play_session(tmp_path, made, backend)
    assert stored_keys(tmp_path) == planned_keys(made)
    assert not ended.failed_chunks
    sizes = [len(task.chunk.blocks) for task in backend.submitted]
    assert sizes == [12] + [4, 4, 4] * (len(whole) - 1), "the first tells how long they take"
    given_out = [block.key for task in backend.submitted for block in task.chunk.blocks]
    assert given_out == [block.key for chunk in whole for block in chunk.blocks]
    numbers = [task.number for task in backend.submitted]
    assert numbers == list(range(1, len(numbers) + 1))


def test_pieces_are_divided_again_as_more_is_known(tmp_path: Path) -> None:
    made = small_tournament(chunk=32, deals=12)
    backend = Slow(made, MAX_TASK_SECONDS / 6)
    backend.before = lambda task: setattr(
        backend, "pace", MAX_TASK_SECONDS / (6 if task.number < 2 else 2)
    )
    play_session(tmp_path, made, backend)
    sizes = [len(task.chunk.blocks) for task in backend.submitted]
    assert sizes[:5] == [12, 6, 2, 2, 2]
    assert stored_keys(tmp_path) == planned_keys(made)


def test_a_cell_is_not_divided_by_the_pace_of_another(tmp_path: Path) -> None:
    made = small_tournament(chunk=32, deals=12, cells=(Cell("sticheln", 3), Cell("sticheln", 4)))
    backend = Slow(made, MAX_TASK_SECONDS / 6)
    play_session(tmp_path, made, backend)
    first: dict[Cell, int] = {}
    for task in backend.submitted:
        first.setdefault(task.chunk.cell, len(task.chunk.blocks))
    assert set(first.values()) == {12}
    assert stored_keys(tmp_path) == planned_keys(made)


def test_a_piece_that_fails_is_given_up_alone(tmp_path: Path) -> None:
    made = small_tournament(chunk=32, deals=12)
    backend = Slow(made, MAX_TASK_SECONDS / 5)
    backend.fails = lambda task: "it is broken" if task.number == 3 else None
    ended = play_session(tmp_path, made, backend)
    assert len(ended.failed_chunks) == 1
    assert len(planned_keys(made) - stored_keys(tmp_path)) == 4


def test_waiting_tasks_are_cancelled_on_a_stop_request(tmp_path: Path) -> None:
    made, halt = small_tournament(), StopRequest()

    def ask(task: ChunkTask) -> None:
        if task.number == 3:
            halt.requests = 1

    backend = Queue(made, begun=2, before=ask)
    ended = play_session(tmp_path, made, backend, halt)
    assert ended.was_interrupted
    assert not ended.failed_chunks
    assert (ended.progress.repeated_chunks, ended.progress.games_in_flight) == (0, {})
    assert len(backend.recalled) == len(backend.submitted) - 5
    assert len(stored_keys(tmp_path)) == 5 * 6, "three, and two that were begun"
    play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR))
    assert stored_keys(tmp_path) == planned_keys(made)


def test_a_stop_request_before_the_first_game_ends_at_once(tmp_path: Path) -> None:
    made, halt = small_tournament(), StopRequest()

    def ask(_: ChunkTask) -> None:
        halt.requests = 1

    ended = play_session(tmp_path, made, Queue(made, begun=0, before=ask), halt)
    assert ended.was_interrupted
    assert len(stored_keys(tmp_path)) == 6


def test_the_last_ones_taken_back_are_an_interruption(tmp_path: Path) -> None:
    """Nothing is left in the plan then, but not all is played."""
    made, halt = small_tournament(), StopRequest()
    last = Plan(made, SEED).totals.chunks

    def ask(task: ChunkTask) -> None:
        if task.number == last - 2:
            halt.requests = 1

    ended = play_session(tmp_path, made, Queue(made, begun=1, before=ask), halt)
    assert ended.was_interrupted
    assert len(planned_keys(made) - stored_keys(tmp_path)) == 6


def test_no_workers_for_a_while(tmp_path: Path) -> None:
    made = small_tournament()
    backend = Absent(made, until=20)
    ended = play_session(tmp_path, made, backend)
    assert backend.waits > 20
    assert not ended.was_interrupted
    assert stored_keys(tmp_path) == planned_keys(made)


def test_no_workers_and_a_stop_request(tmp_path: Path) -> None:
    made, halt = small_tournament(), StopRequest()
    backend = Absent(made, until=MAX_WAIT)
    backend_wait = backend.wait

    def wait(seconds: float) -> Iterable[BackendEvent]:
        halt.requests = int(backend.waits > 10)
        return backend_wait(seconds)

    backend.wait = wait  # type: ignore[method-assign] # asks the run to stop after 10 waits
    ended = play_session(tmp_path, made, backend, halt)
    assert ended.was_interrupted
    assert stored_keys(tmp_path) == set()


def test_no_workers_and_nothing_left_to_play(tmp_path: Path) -> None:
    made = small_tournament()
    play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR))
    ended = play_session(tmp_path, made, Absent(made, until=MAX_WAIT))
    assert not ended.was_interrupted


def test_all_leave_when_the_last_chunk_is_done(tmp_path: Path) -> None:
    made = small_tournament()
    ended = play_session(tmp_path, made, Absent(made, after=Plan(made, SEED).totals.chunks))
    assert not ended.was_interrupted
    assert stored_keys(tmp_path) == planned_keys(made)


def test_hopeless_tasks_are_not_retried(tmp_path: Path) -> None:
    made = small_tournament()

    class Hopeless(Bounded):
        """Cannot play one task at all."""

        def wait(self, seconds: float) -> Iterable[BackendEvent]:
            for news in super().wait(seconds):
                yield replace(news, is_hopeless=True) if isinstance(news, TaskFailure) else news

    backend = Hopeless(
        made.bots, CLEAR, fails=lambda task: "nobody has perl" if task.number == 4 else None
    )
    ended = play_session(tmp_path, made, backend)
    assert [task.number for task in backend.submitted].count(4) == 1
    assert [text for text in ended.failed_chunks if "nobody has perl" in text]
    assert ended.progress.repeated_chunks == 0
    assert len(planned_keys(made) - stored_keys(tmp_path)) == 6


Answer = Callable[[list[Played]], Any]
WRONG: dict[str, Answer] = {
    "none": lambda _: [],
    "one too few": lambda blocks: blocks[:-1],
    "one twice": lambda blocks: [*blocks, blocks[0]],
    "other keys": lambda blocks: [structs.replace(one, key=one.key[::-1]) for one in blocks],
    "nothing": lambda _: None,
}


class Confused(Bounded):
    """Returns something else than was ordered for its fourth task, so many times."""

    def __init__(self, made: Tournament, answer: Answer, times: int) -> None:
        super().__init__(made.bots, CLEAR)
        self.answer = answer
        self.times = times

    def wait(self, seconds: float) -> Iterable[BackendEvent]:
        for news in super().wait(seconds):
            if isinstance(news, TaskResult) and news.number == 4 and self.times:
                self.times -= 1
                yield TaskResult(4, self.answer(news.blocks))
            else:
                yield news


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_result_is_played_again(tmp_path: Path, case: str) -> None:
    made = small_tournament()
    ended = play_session(tmp_path, made, Confused(made, WRONG[case], 1))
    assert not ended.failed_chunks
    assert ended.progress.repeated_chunks == 1
    assert stored_keys(tmp_path) == planned_keys(made)


@pytest.mark.parametrize("case", WRONG)
def test_a_chunk_with_only_wrong_results_is_given_up(tmp_path: Path, case: str) -> None:
    made = small_tournament()
    ended = play_session(tmp_path, made, Confused(made, WRONG[case], 100))
    (why,) = ended.failed_chunks
    assert "a worker returned another chunk: " in why
    assert len(planned_keys(made) - stored_keys(tmp_path)) == 6, (
        "nothing of it is kept, and all else is"
    )


def test_a_refused_result_costs_no_try(tmp_path: Path) -> None:
    """It says something about the worker, and nothing about the chunk."""
    made = small_tournament()
    times = iter(range(2 * MAX_TRIES))

    class Refused(Bounded):
        """Refuses the results of a task some times."""

        def wait(self, seconds: float) -> Iterable[BackendEvent]:
            for news in super().wait(seconds):
                if (
                    isinstance(news, TaskResult)
                    and news.number == 4
                    and next(times, None) is not None
                ):
                    yield TaskFailure(4, "a worker lies", counts_as_try=False)
                else:
                    yield news

    ended = play_session(tmp_path, made, Refused(made.bots, CLEAR))
    assert not ended.failed_chunks
    assert ended.progress.repeated_chunks == 2 * MAX_TRIES
    assert stored_keys(tmp_path) == planned_keys(made)
