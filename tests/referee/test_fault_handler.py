"""Faults of scripted bots: in which game they count, and what follows for the bot."""

from dataclasses import replace

import pytest

from arena.errors import BotKilled, HarnessFailure
from arena.referee.faults import FaultPolicy
from arena.referee.record import GameStopped
from tests.referee.scripted_table import CONFIG, play_transcript, start_scripted_table

ONE_QUESTION = """
    > hello
    = STARTING
    < ready
    > start
    > decide 1
    = THINKING
"""
TWO_GAMES = """
    > hello
    < ready 2
    > start
    > decide 1
    > start
    > decide 2
"""


def test_a_bot_that_ends_loses_the_game() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        e division by zero
        x exit status 1
        ! 1 exited exit status 1
        = GONE
        """
    )
    (fault,) = table.games[1].faults
    assert fault.evidence.stderr == "division by zero"
    assert fault.place is not None
    (finished,) = table.finished
    assert finished.record.ranks[0] == 3
    assert finished.record.wall == (0,) * len(finished.record.choices)


def test_a_new_process_takes_over_the_other_games() -> None:
    """Its questions are asked once more, with the ids they had."""
    table = play_transcript(
        TWO_GAMES
        + """
        x exit status 1
        ! 1 exited exit status 1
        = STARTING
        > hello
        < ready 2
        = THINKING
        > start
        > decide 2
        < choose 2
        > decide 3
        """,
        deals=2,
    )
    assert table.games[1].forfeited == {0}
    assert table.games[2].forfeited == set()
    assert len(table.launcher.started) == 2


def test_a_half_line_before_the_end_is_shown() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        <- {"id": 1,
        x exit status 0
        ! 1 malformed its last line has no newline at its end: exit status 0
        = GONE
        """
    )
    assert table.games[1].faults[0].evidence.reply == '{"id": 1,'


def test_two_failed_starts_are_enough() -> None:
    play_transcript(
        """
        > hello
        x exit status 1
        ! 1 start it never said 'ready': exit status 1
        > hello
        = STARTING
        x exit status 1
        ! 2 start it never said 'ready'
        ! 3 start it was retired after 2 faults
        = RETIRED
        """,
        deals=3,
    )


def test_a_good_start_forgets_a_failed_one() -> None:
    """The third start is only the first failed one in a row."""
    play_transcript(
        """
        > hello
        x exit status 1
        ! 1 start
        > hello
        < ready
        > start
        > decide 1
        x exit status 2
        ! 2 exited
        > hello
        x exit status 1
        ! 3 start
        > hello
        = STARTING
        """,
        deals=4,
    )


def test_a_bot_that_cannot_be_started_again() -> None:
    with start_scripted_table(deals=3) as table:
        table.play(ONE_QUESTION)
        table.launcher.refuses = True
        table.play(
            """
            x exit status 1
            ! 1 exited
            ! 2 start bot0 cannot be started
            ! 3 start bot0 cannot be started
            = RETIRED
            """
        )


def test_a_bot_is_retired_after_so_many_faults() -> None:
    play_transcript(
        ONE_QUESTION
        + """
        < "one"
        > fault malformed
        > decide 2
        = THINKING
        < "two"
        ! 1 malformed
        ! 1 malformed
        ! 1 malformed it was retired after 2 faults
        ! 2 malformed it was retired after 2 faults
        = RETIRED
        """,
        replace(CONFIG, max_faults=2),
        deals=2,
    )


def test_an_end_while_not_asked_counts_once_it_is_missed() -> None:
    """Bot 1 thinks; bot 0 has answered, ends, and is asked again."""
    play_transcript(
        """
        > hello
        1> hello
        < ready
        1< ready
        > start
        1> start
        > decide 1
        1> decide 1
        < choose 1
        = READY
        x exit status 7
        = GONE
        ! none
        + 1
        = GONE
        1< choose 1
        ! 1 exited exit status 7
        1> decide 2
        """,
        bots=2,
    )


def test_the_end_of_a_bot_that_holds_no_game_is_not_a_fault() -> None:
    """Both are ready; one ends before a game begins, since the other one starts slowly."""
    play_transcript(
        """
        > hello
        1> hello
        < ready
        = READY
        x exit status 7
        = GONE
        1< ready
        > hello
        = STARTING
        ! none
        1> start
        1> decide 1
        < ready
        > start
        > decide 1
        = THINKING
        ! none
        """,
        bots=2,
    )


def test_an_end_counts_at_the_latest_when_another_game_begins() -> None:
    """Bot 0 has answered in game 1 and ended; both lose game 2, so that game 3 begins."""
    play_transcript(
        """
        > hello
        1> hello
        < ready 2
        1< ready 2
        > start
        > decide 1
        > start
        > decide 2
        1> start
        1> decide 1
        1> start
        1> decide 2
        < choose 1 | choose 2 Z99
        ! 2 illegal
        > fault illegal
        = READY
        x exit status 7
        = GONE
        ! none
        1< choose 2 Z99
        ! 1 exited exit status 7
        ! 2 illegal
        = STARTING
        > hello
        1> fault illegal
        1> result
        1> start
        1> decide 3
        """,
        replace(CONFIG, policy=FaultPolicy.FORFEIT),
        bots=2,
        deals=3,
    )


def test_a_fault_in_no_game_counts_in_the_next_one() -> None:
    """It costs the last rank there, and no choice."""
    table = play_transcript(
        """
        > hello
        1> hello
        < ready
        < "nonsense"
        > fault malformed
        ! none
        = READY
        1< ready
        ! 1 malformed
        > start
        > fault malformed
        > decide 1
        1> start
        1> decide 1
        = THINKING
        """,
        bots=2,
    )
    assert table.games[1].forfeited == set()
    assert table.games[1].faults[0].place is None


def test_a_forfeit_costs_the_rest_of_the_game() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        < choose 1 Z99
        ! 1 illegal
        > fault illegal
        > result
        > start
        > decide 2
        """,
        replace(CONFIG, policy=FaultPolicy.FORFEIT),
        deals=2,
    )
    assert table.games[1].forfeited == {0}


def test_strict_stops_everything() -> None:
    with start_scripted_table(replace(CONFIG, policy=FaultPolicy.STRICT)) as table:
        table.play(ONE_QUESTION)
        with pytest.raises(GameStopped, match="'Z99' is none of the options") as stopped:
            table.play("< choose 1 Z99")
    assert stopped.value.record.stopped
    assert stopped.value.record.faults == (stopped.value.fault,)


@pytest.mark.parametrize(("excuse", "error"), [(True, BotKilled), (False, HarnessFailure)])
def test_a_bot_that_something_else_killed(excuse: bool, error: type[Exception]) -> None:
    with start_scripted_table(replace(CONFIG, allows_excuses=excuse)) as table:
        table.play(ONE_QUESTION)
        table.process().external_cause = "was killed with its sandbox"
        with pytest.raises(error, match="bot0 was killed with its sandbox") as raised:
            table.play("x killed by SIGKILL")
        assert table.faults() == []
    assert type(raised.value) is error


@pytest.mark.parametrize("is_ready", [True, False])
def test_a_bot_that_the_kernel_killed_at_its_limit(is_ready: bool) -> None:
    with start_scripted_table() as table:
        table.play(ONE_QUESTION if is_ready else "> hello")
        table.process().is_out_of_memory = True
        table.play("x killed by SIGKILL\n! 1 memory it was killed for holding more than 64 MiB")
        assert table.games[1].forfeited == {0}


def test_stderr_before_ready_belongs_to_the_first_game() -> None:
    with start_scripted_table() as table:
        table.play("> hello\ne loading\n< ready\n> start\n> decide 1\ne thinking")
        assert table.games[1].stderr_texts() == ("loadingthinking", "", "")


def test_an_idle_bot_is_frozen_until_it_is_asked() -> None:
    with start_scripted_table(bots=2, stops_idle_bots=True) as table:
        table.play("> hello\n1> hello\n< ready\n= FROZEN")
        assert table.process().freezer.is_frozen
        table.play("1< ready\n= THINKING\n1= THINKING")
        assert not table.process().freezer.is_frozen
        table.play("< choose 1\n= FROZEN")
        assert table.process().freezer.is_frozen
        table.play("+ 1\n1< choose 1\n= THINKING\n! none")
        assert not table.process().freezer.is_frozen
