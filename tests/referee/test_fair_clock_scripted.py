"""Real time that is not charged: the machine stood still, or the bot had no core."""

from dataclasses import replace

import pytest

from arena.bots.resource_usage import NS_PER_SECOND, ThreadState
from arena.errors import CpuStarvation
from arena.referee.fair_clock import MAX_WALL_FACTOR
from tests.referee.scripted_table import (
    CONFIG,
    ScriptedTable,
    play_transcript,
    start_scripted_table,
)

ONE_QUESTION = """
    > hello
    < ready
    > start
    > decide 1
"""
WALL = CONFIG.limits.wall if CONFIG.limits else 0


def wait_for_core(table: ScriptedTable, seconds: float, *, runs: bool = False) -> None:
    """The bot's only thread has waited this long for a core, and wants one now or not."""
    table.threads = {1: ThreadState(0, round(seconds * NS_PER_SECOND), runs)}


def test_a_machine_that_stood_still() -> None:
    play_transcript(
        ONE_QUESTION
        + """
        + 2
        ~ 100
        = THINKING
        + 0.8
        = THINKING
        + 0.3
        ! 1 timeout no answer in 3.
        """
    )


def test_a_stall_before_the_bot_is_ready() -> None:
    play_transcript("> hello\n~ 100\n= STARTING\n+ 2.5\n= STARTING")


def test_time_without_a_core() -> None:
    with start_scripted_table() as table:
        table.play(ONE_QUESTION)
        wait_for_core(table, 0)
        table.play("+ 2")
        wait_for_core(table, 2)
        table.play("+ 2.9\n= THINKING\n+ 0.2\n! 1 timeout s of real time, 2.0 s of them without")
        (fault,) = table.faults()
        assert fault.evidence.waited == 2.0


def test_waits_before_the_question_do_not_count() -> None:
    with start_scripted_table() as table:
        wait_for_core(table, 100)
        table.play(ONE_QUESTION)
        table.play("+ 3.1\n! 1 timeout no answer in 3.0 s of real time; does it")
        (fault,) = table.faults()
        assert fault.evidence.waited == 0.0


def test_waits_for_the_answer_before_do_not_count() -> None:
    with start_scripted_table() as table:
        table.play(ONE_QUESTION)
        wait_for_core(table, 0)
        table.play("+ 2")
        wait_for_core(table, 2)
        table.play("+ 2\n< choose 1\n> decide 2\n+ 2.9\n= THINKING\n+ 0.2\n! 1 timeout")
        assert table.faults()[0].evidence.waited == 0.0


def test_all_waits_since_the_launch_count_for_the_start() -> None:
    with start_scripted_table() as table:
        table.play("> hello")
        wait_for_core(table, 2)
        table.play("+ 4.9\n= STARTING\n+ 0.2\n! 1 start 2.0 s of them without a core")


def test_the_longest_wait_counts_and_not_the_sum() -> None:
    with start_scripted_table() as table:
        table.play(ONE_QUESTION)
        table.threads = dict.fromkeys(range(8), ThreadState(0, 0, is_runnable=False))
        table.play("+ 2")
        table.threads = dict.fromkeys(range(8), ThreadState(0, NS_PER_SECOND, is_runnable=False))
        table.play("+ 1.9\n= THINKING\n+ 0.2\n! 1 timeout 1.0 s of them without a core")


def test_a_wait_that_still_goes_on_is_not_held_against_the_bot() -> None:
    with start_scripted_table() as table:
        table.play(ONE_QUESTION)
        wait_for_core(table, 0, runs=True)
        table.play("+ 10\n= THINKING")
        wait_for_core(table, 0)
        table.play("+ 0.1\n! 1 timeout no answer in 10.")


@pytest.mark.parametrize("excuse", [True, False])
def test_excused_waiting_is_limited(excuse: bool) -> None:
    with start_scripted_table(replace(CONFIG, allows_excuses=excuse)) as table:
        table.play(ONE_QUESTION)
        wait_for_core(table, 0, runs=True)
        table.play(f"+ {MAX_WALL_FACTOR * WALL}\n= THINKING")
        if excuse:
            with pytest.raises(CpuStarvation, match="bot0 hardly ever got a core"):
                table.play("+ 0.1")
            assert table.faults() == []
        else:
            table.play("+ 0.1\n! 1 timeout no answer in 30.")


def test_a_bot_without_excuses_pays_at_once() -> None:
    config = replace(CONFIG, allows_excuses=True, bots_without_excuses=frozenset({"bot0"}))
    with start_scripted_table(config) as table:
        table.play(ONE_QUESTION)
        wait_for_core(table, 0, runs=True)
        table.play(f"+ {MAX_WALL_FACTOR * WALL + 0.1}\n! 1 timeout")
