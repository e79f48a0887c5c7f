"""Time and memory limits, checked on scripted bots."""

import pytest

from arena.referee.faults import FLUSH_HINT
from tests.referee.scripted_table import play_transcript, start_scripted_table

ONE_QUESTION = """
    > hello
    < ready
    > start
    > decide 1
"""


def test_too_much_cpu_time() -> None:
    """The move has 0.5 s and the bank 1 s."""
    table = play_transcript(
        ONE_QUESTION
        + """
        + 1 cpu 1.5
        = THINKING
        + 0.1 cpu 0.01
        ! 1 timeout it took 1.51 s of CPU time, 1.50 s were left
        = GONE
        """
    )
    assert table.games[1].forfeited == {0}


def test_too_much_real_time() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        + 3
        = THINKING
        + 0.05
        ! 1 timeout no answer in 3.0 s of real time
        = GONE
        """
    )
    (fault,) = table.games[1].faults
    assert fault.text.endswith(FLUSH_HINT), "a bot that does nothing may wait for its stdout"
    assert (fault.evidence.wall, fault.evidence.cpu) == (3.05, 0.0)


def test_a_busy_bot_gets_no_hint_about_its_stdout() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        + 3.05 cpu 1.4
        ! 1 timeout no answer in 3.0 s of real time
        """
    )
    assert FLUSH_HINT not in table.games[1].faults[0].text


def test_a_line_without_its_newline() -> None:
    play_transcript(
        ONE_QUESTION
        + """
        <- {"type":"choose"
        + 3.05
        ! 1 malformed its answer has no newline at its end, 3.0 s after the question
        = GONE
        """
    )


def test_the_clock_counts_anew_after_an_answer() -> None:
    play_transcript(
        ONE_QUESTION
        + """
        + 2.9 cpu 0.4
        < choose 1
        > decide 2
        + 2.9 cpu 0.4
        = THINKING
        + 0.2
        ! 1 timeout no answer in
        """
    )


def test_time_without_a_question_does_not_count() -> None:
    """Bot 1 takes a long time; bot 0 has answered."""
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
        + 2.5 cpu 0.4
        1< choose 1
        > decide 2
        = THINKING
        + 2.5
        = THINKING
        """,
        bots=2,
    )


@pytest.mark.parametrize(
    ("passes", "text"),
    [
        ("+ 3.05", "it did not say 'ready' in 3.0 s, 0.0 s of them CPU time; does it flush"),
        ("+ 1.1 cpu 1.05", "it did not say 'ready' in 0.1 s, 1.1 s of them CPU time"),
        ("<- hello\n+ 3.05", "its first line has no newline at its end, after 3.0 s"),
    ],
)
def test_a_bot_that_does_not_get_ready(passes: str, text: str) -> None:
    with start_scripted_table() as table:
        table.play(f"> hello\n= STARTING\n{passes}\n! 1 start {text}")


def test_a_start_has_as_long_as_an_answer() -> None:
    play_transcript("> hello\n+ 2.95 cpu 0.9\n= STARTING")


def test_the_time_of_the_start_is_not_charged_to_the_first_answer() -> None:
    play_transcript(
        """
        > hello
        + 2.9 cpu 0.9
        < ready
        > start
        > decide 1
        + 1 cpu 1.4
        = THINKING
        """
    )


@pytest.mark.parametrize("is_ready", [True, False])
def test_too_much_memory(is_ready: bool) -> None:
    with start_scripted_table() as table:
        table.play(ONE_QUESTION if is_ready else "> hello")
        table.process().violation = "it holds 65 MiB, 64 MiB are allowed"
        table.play("+ 0.1\n! 1 memory it holds 65 MiB")
        assert table.connection().failed_starts == (0 if is_ready else 1)


def test_a_closed_stdin() -> None:
    with start_scripted_table() as table:
        table.play(ONE_QUESTION)
        table.process().is_stdin_broken = True
        table.play("+ 0.1\n! 1 exited it closed its stdin\n= GONE")
