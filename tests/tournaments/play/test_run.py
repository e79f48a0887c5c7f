"""A run is played until nothing is missing, whatever fails on the way."""

import os
import signal
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.errors import ArenaError
from arena.ratings.cell import Cell
from arena.tournaments.config.keys import StopKeys, TableKeys
from arena.tournaments.plan.plan import Plan
from arena.tournaments.play.backend import ChunkTask
from arena.tournaments.play.dispatcher import MAX_TRIES, Progress
from arena.tournaments.play.run import TournamentSession
from arena.tournaments.play.signals import StopRequest
from tests.tournaments.scripted_backend import (
    SEED,
    ScriptedBackend,
    open_run,
    planned_keys,
    play_session,
    small_tournament,
    stored_keys,
)

CLEAR = (0, 10, 20, 30, 40, 50)


def test_all_is_played_once(tmp_path: Path) -> None:
    made = small_tournament(chunk=4)
    backend = ScriptedBackend(made.bots, CLEAR)
    ended = play_session(tmp_path, made, backend)
    assert stored_keys(tmp_path) == planned_keys(made)
    assert len(backend.submitted) == Plan(made, SEED).totals.chunks == 30
    progress = ended.progress
    assert (progress.blocks, progress.total_blocks, progress.games) == (90, 90, 360)
    assert progress.new_games == progress.played_games == 360
    assert not ended.was_interrupted
    again = ScriptedBackend(made.bots, CLEAR)
    ended = play_session(tmp_path, made, again)
    assert not again.submitted
    assert (ended.progress.new_games, ended.progress.games) == (0, 360)


def test_more_deals_extend_a_run(tmp_path: Path) -> None:
    play_session(tmp_path, small_tournament(), ScriptedBackend(small_tournament().bots, CLEAR))
    more = small_tournament(deals=9)
    backend = ScriptedBackend(more.bots, CLEAR)
    play_session(tmp_path, more, backend)
    numbers = {block.number for task in backend.submitted for block in task.chunk.blocks}
    assert numbers == {6, 7, 8}
    assert stored_keys(tmp_path) == planned_keys(more)


@pytest.mark.parametrize("times", [1, 2, MAX_TRIES - 1])
def test_failed_chunks_are_retried(tmp_path: Path, times: int) -> None:
    made, tries = small_tournament(), Counter[int]()

    def fails(task: ChunkTask) -> str | None:
        tries[task.number] += 1
        return "it broke" if tries[task.number] <= times else None

    backend = ScriptedBackend(made.bots, CLEAR, fails=fails)
    ended = play_session(tmp_path, made, backend)
    assert set(tries.values()) == {times + 1}
    assert ended.progress.repeated_chunks == 15 * times
    assert stored_keys(tmp_path) == planned_keys(made)
    assert not any(task.bots_without_excuses for task in backend.submitted)


def test_a_chunk_that_always_fails_is_given_up(tmp_path: Path) -> None:
    made = small_tournament()

    def fails(task: ChunkTask) -> str | None:
        return "it broke" if task.number == 3 else None

    backend = ScriptedBackend(made.bots, CLEAR, fails=fails)
    ended = play_session(tmp_path, made, backend)
    assert ended.failed_chunks == ("a chunk of sticheln, 4 seats: it broke",)
    assert Counter(task.number for task in backend.submitted)[3] == MAX_TRIES
    assert len(stored_keys(tmp_path)) == 84
    ended = play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR))
    assert not ended.failed_chunks
    assert stored_keys(tmp_path) == planned_keys(made)


def test_one_stop_request_finishes_tasks_in_flight(tmp_path: Path) -> None:
    made, halt = small_tournament(), StopRequest()

    def ask(task: ChunkTask) -> None:
        if task.number == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with halt:
        ended = play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR, before=ask), halt)
    assert ended.was_interrupted
    assert halt.signal == signal.SIGINT
    assert len(stored_keys(tmp_path)) == 6 * 6  # the fifth, and the sixth that had begun
    play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR))
    assert stored_keys(tmp_path) == planned_keys(made)


def test_two_stop_requests_drop_tasks_in_flight(tmp_path: Path) -> None:
    made, halt = small_tournament(), StopRequest()

    def ask(task: ChunkTask) -> None:
        if task.number == 5:
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)

    with halt:
        ended = play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR, before=ask), halt)
    assert ended.was_interrupted
    assert halt.signal == signal.SIGTERM
    assert len(stored_keys(tmp_path)) == 5 * 6


def test_a_stop_request_at_the_end_is_not_an_interruption(tmp_path: Path) -> None:
    made, halt = small_tournament(), StopRequest()

    def ask(task: ChunkTask) -> None:
        if task.number == 15:
            os.kill(os.getpid(), signal.SIGINT)

    with halt:
        ended = play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR, before=ask), halt)
    assert not ended.was_interrupted


def test_a_run_stops_when_the_order_is_known(tmp_path: Path) -> None:
    made = small_tournament(deals=60, stop=StopKeys(when="order"))
    ended = play_session(tmp_path, made, ScriptedBackend(made.bots, CLEAR))
    assert ended.verdict
    assert ended.verdict.is_done
    assert ended.verdict.order == (0, 1, 2, 3, 4, 5)
    assert 30 <= ended.progress.blocks < ended.progress.total_blocks


@pytest.mark.slow
def test_a_run_continues_while_two_bots_are_equal(tmp_path: Path) -> None:
    made = small_tournament(deals=9, stop=StopKeys(when="order"))
    ended = play_session(tmp_path, made, ScriptedBackend(made.bots, (0, 10, 20, 20, 30, 40)))
    assert ended.verdict
    assert not ended.verdict.is_done
    assert ended.progress.blocks == ended.progress.total_blocks


@pytest.mark.parametrize("halted", [7, 11, 16])
def test_adaptive_tables_are_the_same_after_an_interruption(tmp_path: Path, halted: int) -> None:
    made = small_tournament(tables=TableKeys(adaptive=20), deals=6, cells=(Cell("sticheln", 4),))
    whole = ScriptedBackend(made.bots, (0, 1, 2, 30, 31, 60))
    play_session(tmp_path / "whole", made, whole)
    halt = StopRequest()

    def ask(task: ChunkTask) -> None:
        if task.number == halted:
            halt.handle_signal(signal.SIGINT, None)

    broken = ScriptedBackend(made.bots, (0, 1, 2, 30, 31, 60), before=ask)
    assert play_session(tmp_path / "broken", made, broken, halt).was_interrupted
    play_session(tmp_path / "broken", made, ScriptedBackend(made.bots, (0, 1, 2, 30, 31, 60)))
    assert stored_keys(tmp_path / "broken") == stored_keys(tmp_path / "whole")
    assert len(stored_keys(tmp_path / "whole")) == 120


def test_time_left_is_what_the_rate_so_far_makes_of_it() -> None:
    begun = time.monotonic() - 100
    progress = Progress(
        games=50, total_games=100, new_games=40, games_in_flight={1: 10}, started=begun
    )
    assert progress.played_games == 50
    assert progress.seconds_left == pytest.approx(80, rel=0.1)
    assert Progress(total_games=10).seconds_left is None


def test_a_bot_that_changes_during_a_run_is_noticed(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("print('one')\n")
    mine = load_bot(script)
    made = replace(
        small_tournament(),
        bots=(*small_tournament().bots[:5], mine),
        paths=(*small_tournament().paths[:5], str(script)),
    )

    def edit(task: ChunkTask) -> None:
        if task.number == 4:
            script.write_text("print('two')\n")

    with pytest.raises(ArenaError, match="mine has changed while it was being played"):
        play_session(tmp_path / "run", made, ScriptedBackend(made.bots, CLEAR, before=edit))
    assert len(stored_keys(tmp_path / "run")) == 3 * 6
    script.write_text("print('one')\n")
    play_session(tmp_path / "run", made, ScriptedBackend(made.bots, CLEAR))
    assert stored_keys(tmp_path / "run") == planned_keys(made)


def test_a_missing_bot_is_reported(tmp_path: Path) -> None:
    """Nobody is told that a chunk was given up, when it is the bot that is missing."""
    script = tmp_path / "mine.py"
    script.write_text("print('one')\n")
    made = replace(
        small_tournament(),
        bots=(*small_tournament().bots[:5], load_bot(script)),
        paths=(*small_tournament().paths[:5], str(script)),
    )

    def fails(_: ChunkTask) -> str | None:
        return None if script.exists() else "mine.py is gone"

    def remove(task: ChunkTask) -> None:
        if task.number == 4:
            script.unlink()

    with pytest.raises(ArenaError, match="mine has changed while it was being played"):
        play_session(
            tmp_path / "run", made, ScriptedBackend(made.bots, CLEAR, fails=fails, before=remove)
        )
    assert len(stored_keys(tmp_path / "run")) == 3 * 6


def test_two_parts_make_a_whole(tmp_path: Path) -> None:
    made = small_tournament(chunk=4)
    for part in (1, 2):
        folder = tmp_path / str(part)
        with open_run(folder, made) as run:
            backend = ScriptedBackend(made.bots, CLEAR)
            TournamentSession(
                Plan(made, SEED), run, backend, StopRequest(), lambda _: None, part=(part, 2)
            ).play()
    assert stored_keys(tmp_path / "1") | stored_keys(tmp_path / "2") == planned_keys(made)
    assert not stored_keys(tmp_path / "1") & stored_keys(tmp_path / "2")


@pytest.mark.slow
@pytest.mark.parametrize(
    "strengths", [CLEAR, pytest.param((0, 3, 6, 9, 12, 15), marks=pytest.mark.soak)]
)
def test_points_are_sure_no_later_than_the_rating(
    strengths: tuple[int, ...], tmp_path: Path
) -> None:
    blocks = {}
    for by in ("rating", "points"):
        made = small_tournament(deals=60, stop=StopKeys(when="order", by=by))
        ended = play_session(tmp_path / by, made, ScriptedBackend(made.bots, strengths))
        assert ended.verdict
        assert ended.verdict.is_done
        assert ended.verdict.order == (0, 1, 2, 3, 4, 5)
        blocks[by] = ended.progress.blocks
    assert 30 <= blocks["points"] <= blocks["rating"] < 900
