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
from tests.tournaments.scripted_backend import SEED, Scripted, kept, opened, planned, sit, small

CLEAR = (0, 10, 20, 30, 40, 50)


def test_all_is_played_once(tmp_path: Path) -> None:
    made = small(chunk=4)
    backend = Scripted(made.bots, CLEAR)
    ended = sit(tmp_path, made, backend)
    assert kept(tmp_path) == planned(made)
    assert len(backend.given) == Plan(made, SEED).totals.chunks == 30
    progress = ended.progress
    assert (progress.blocks, progress.total_blocks, progress.games) == (90, 90, 360)
    assert progress.new_games == progress.played_games == 360
    assert not ended.was_interrupted
    again = Scripted(made.bots, CLEAR)
    ended = sit(tmp_path, made, again)
    assert not again.given
    assert (ended.progress.new_games, ended.progress.games) == (0, 360)


def test_more_deals_go_on_with_what_is_there(tmp_path: Path) -> None:
    sit(tmp_path, small(), Scripted(small().bots, CLEAR))
    more = small(deals=9)
    backend = Scripted(more.bots, CLEAR)
    sit(tmp_path, more, backend)
    numbers = {block.number for task in backend.given for block in task.chunk.blocks}
    assert numbers == {6, 7, 8}
    assert kept(tmp_path) == planned(more)


@pytest.mark.parametrize("times", [1, 2, MAX_TRIES - 1])
def test_what_fails_is_played_again(tmp_path: Path, times: int) -> None:
    made, tries = small(), Counter[int]()

    def fails(task: ChunkTask) -> str | None:
        tries[task.number] += 1
        return "it broke" if tries[task.number] <= times else None

    backend = Scripted(made.bots, CLEAR, fails=fails)
    ended = sit(tmp_path, made, backend)
    assert set(tries.values()) == {times + 1}
    assert ended.progress.repeated_chunks == 15 * times
    assert kept(tmp_path) == planned(made)
    assert not any(task.bots_without_excuses for task in backend.given)


def test_what_always_fails_is_given_up(tmp_path: Path) -> None:
    made = small()

    def fails(task: ChunkTask) -> str | None:
        return "it broke" if task.number == 3 else None

    backend = Scripted(made.bots, CLEAR, fails=fails)
    ended = sit(tmp_path, made, backend)
    assert ended.failed_chunks == ("a chunk of sticheln, 4 seats: it broke",)
    assert Counter(task.number for task in backend.given)[3] == MAX_TRIES
    assert len(kept(tmp_path)) == 84
    ended = sit(tmp_path, made, Scripted(made.bots, CLEAR))
    assert not ended.failed_chunks
    assert kept(tmp_path) == planned(made)


def test_asked_once_it_finishes_what_is_flying(tmp_path: Path) -> None:
    made, halt = small(), StopRequest()

    def ask(task: ChunkTask) -> None:
        if task.number == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with halt:
        ended = sit(tmp_path, made, Scripted(made.bots, CLEAR, before=ask), halt)
    assert ended.was_interrupted
    assert halt.signal == signal.SIGINT
    assert len(kept(tmp_path)) == 6 * 6  # the fifth, and the sixth that had begun
    sit(tmp_path, made, Scripted(made.bots, CLEAR))
    assert kept(tmp_path) == planned(made)


def test_asked_twice_it_drops_what_is_flying(tmp_path: Path) -> None:
    made, halt = small(), StopRequest()

    def ask(task: ChunkTask) -> None:
        if task.number == 5:
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)

    with halt:
        ended = sit(tmp_path, made, Scripted(made.bots, CLEAR, before=ask), halt)
    assert ended.was_interrupted
    assert halt.signal == signal.SIGTERM
    assert len(kept(tmp_path)) == 5 * 6


def test_asked_at_the_very_end_it_is_not_interrupted(tmp_path: Path) -> None:
    made, halt = small(), StopRequest()

    def ask(task: ChunkTask) -> None:
        if task.number == 15:
            os.kill(os.getpid(), signal.SIGINT)

    with halt:
        ended = sit(tmp_path, made, Scripted(made.bots, CLEAR, before=ask), halt)
    assert not ended.was_interrupted


def test_it_stops_as_soon_as_the_order_is_known(tmp_path: Path) -> None:
    made = small(deals=60, stop=StopKeys(when="order"))
    ended = sit(tmp_path, made, Scripted(made.bots, CLEAR))
    assert ended.verdict
    assert ended.verdict.is_done
    assert ended.verdict.order == (0, 1, 2, 3, 4, 5)
    assert 30 <= ended.progress.blocks < ended.progress.total_blocks


@pytest.mark.slow
def test_it_goes_on_while_two_are_equal(tmp_path: Path) -> None:
    made = small(deals=9, stop=StopKeys(when="order"))
    ended = sit(tmp_path, made, Scripted(made.bots, (0, 10, 20, 20, 30, 40)))
    assert ended.verdict
    assert not ended.verdict.is_done
    assert ended.progress.blocks == ended.progress.total_blocks


@pytest.mark.parametrize("halted", [7, 11, 16])
def test_adaptive_tables_are_the_same_after_an_interruption(tmp_path: Path, halted: int) -> None:
    made = small(tables=TableKeys(adaptive=20), deals=6, cells=(Cell("sticheln", 4),))
    whole = Scripted(made.bots, (0, 1, 2, 30, 31, 60))
    sit(tmp_path / "whole", made, whole)
    halt = StopRequest()

    def ask(task: ChunkTask) -> None:
        if task.number == halted:
            halt.handle_signal(signal.SIGINT, None)

    broken = Scripted(made.bots, (0, 1, 2, 30, 31, 60), before=ask)
    assert sit(tmp_path / "broken", made, broken, halt).was_interrupted
    sit(tmp_path / "broken", made, Scripted(made.bots, (0, 1, 2, 30, 31, 60)))
    assert kept(tmp_path / "broken") == kept(tmp_path / "whole")
    assert len(kept(tmp_path / "whole")) == 120


def test_time_left_is_what_the_rate_so_far_makes_of_it() -> None:
    begun = time.monotonic() - 100
    progress = Progress(
        games=50, total_games=100, new_games=40, games_in_flight={1: 10}, started=begun
    )
    assert progress.played_games == 50
    assert progress.seconds_left == pytest.approx(80, rel=0.1)
    assert Progress(total_games=10).seconds_left is None


def test_a_bot_that_changes_is_noticed_and_nothing_is_mixed(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("print('one')\n")
    mine = load_bot(script)
    made = replace(small(), bots=(*small().bots[:5], mine), paths=(*small().paths[:5], str(script)))

    def edit(task: ChunkTask) -> None:
        if task.number == 4:
            script.write_text("print('two')\n")

    with pytest.raises(ArenaError, match="mine has changed while it was being played"):
        sit(tmp_path / "run", made, Scripted(made.bots, CLEAR, before=edit))
    assert len(kept(tmp_path / "run")) == 3 * 6
    script.write_text("print('one')\n")
    sit(tmp_path / "run", made, Scripted(made.bots, CLEAR))
    assert kept(tmp_path / "run") == planned(made)


def test_a_bot_that_is_gone_is_noticed_though_nothing_can_be_played(tmp_path: Path) -> None:
    """Nobody is told that a chunk was given up, when it is the bot that is missing."""
    script = tmp_path / "mine.py"
    script.write_text("print('one')\n")
    made = replace(
        small(), bots=(*small().bots[:5], load_bot(script)), paths=(*small().paths[:5], str(script))
    )

    def fails(_: ChunkTask) -> str | None:
        return None if script.exists() else "mine.py is gone"

    def remove(task: ChunkTask) -> None:
        if task.number == 4:
            script.unlink()

    with pytest.raises(ArenaError, match="mine has changed while it was being played"):
        sit(tmp_path / "run", made, Scripted(made.bots, CLEAR, fails=fails, before=remove))
    assert len(kept(tmp_path / "run")) == 3 * 6


def test_two_parts_make_a_whole(tmp_path: Path) -> None:
    made = small(chunk=4)
    for part in (1, 2):
        folder = tmp_path / str(part)
        with opened(folder, made) as run:
            backend = Scripted(made.bots, CLEAR)
            TournamentSession(
                Plan(made, SEED), run, backend, StopRequest(), lambda _: None, part=(part, 2)
            ).play()
    assert kept(tmp_path / "1") | kept(tmp_path / "2") == planned(made)
    assert not kept(tmp_path / "1") & kept(tmp_path / "2")


@pytest.mark.slow
@pytest.mark.parametrize(
    "strengths", [CLEAR, pytest.param((0, 3, 6, 9, 12, 15), marks=pytest.mark.soak)]
)
def test_points_are_sure_no_later_than_the_rating(
    strengths: tuple[int, ...], tmp_path: Path
) -> None:
    blocks = {}
    for by in ("rating", "points"):
        made = small(deals=60, stop=StopKeys(when="order", by=by))
        ended = sit(tmp_path / by, made, Scripted(made.bots, strengths))
        assert ended.verdict
        assert ended.verdict.is_done
        assert ended.verdict.order == (0, 1, 2, 3, 4, 5)
        blocks[by] = ended.progress.blocks
    assert 30 <= blocks["points"] <= blocks["rating"] < 900
