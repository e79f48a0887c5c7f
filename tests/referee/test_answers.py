"""Answers of scripted bots: what is recorded of them, and which are faults."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.protocol.messages import MAX_LINE_BYTES, Choose
from arena.referee.answers import MAX_STALE_ANSWERS, BadLine, nth_line, parse_answers, split_lines
from tests.referee.scripted_table import play_transcript, start_scripted_table

ONE_QUESTION = """
    > hello
    < ready
    > start
    > decide 1
"""
TWO_GAMES = """
    > hello
    < ready 2
    > start
    > decide 1
    > start
    > decide 2
"""


def test_a_correct_answer() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        = THINKING
        + 0.2 cpu 0.1
        < choose 1
        > decide 2
        """
    )
    game = table.games[1]
    first = game.deciders.index(0)
    assert game.choices_so_far[first] == table.questions[0, 1]["options"][-1]
    assert (game.wall[first], game.cpu[first]) == (200_000, 100_000)
    assert set(game.wall[:first] + game.wall[first + 1 :]) == {0}, "the house takes no time"


def test_the_clock_counts_from_the_answer_before() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        + 0.2 cpu 0.1
        < choose 1
        > decide 2
        + 0.4 cpu 0.3
        < choose 2
        > decide 3
        """
    )
    game = table.games[1]
    own = [number for number, seat in enumerate(game.deciders) if seat == 0]
    assert [game.wall[number] for number in own] == [200_000, 400_000]
    assert [game.cpu[number] for number in own] == [100_000, 300_000]


def test_answers_in_one_write_share_the_time() -> None:
    table = play_transcript(
        TWO_GAMES
        + """
        + 0.4 cpu 0.2
        < choose 2 | choose 1
        > decide 3
        > decide 4
        """,
        deals=2,
    )
    for game in table.games.values():
        first = game.deciders.index(0)
        assert (game.wall[first], game.cpu[first]) == (200_000, 100_000)


def test_the_bank_pays_for_what_goes_over_the_time_of_a_move() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        + 1 cpu 0.75
        < choose 1
        > decide 2
        """
    )
    assert table.questions[0, 1]["clock"] == {"move": 0.5, "bank": 1.0}
    assert table.questions[0, 2]["clock"] == {"move": 0.5, "bank": 0.75}
    assert table.games[1].bank_left == [750_000_000, 1_000_000_000, 1_000_000_000]


def test_an_answer_that_took_more_than_the_bank() -> None:
    """It comes before the watchdog has seen that."""
    with start_scripted_table() as table:
        table.play(ONE_QUESTION)
        table.process().cpu = 1_600_000_000
        table.play(
            """
            < choose 1
            ! 1 timeout it took 1.60 s of CPU time, 1.50 s were left
            = GONE
            """
        )
        assert table.games[1].forfeited == {0}


def test_an_illegal_choice_is_replaced_by_the_first_option() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        < choose 1 Z99
        ! 1 illegal 'Z99' is none of the options
        > fault illegal
        > decide 2
        = THINKING
        """
    )
    game = table.games[1]
    (fault,) = game.faults
    first = game.deciders.index(0)
    assert fault.place == first
    assert game.choices_so_far[first] == table.questions[0, 1]["options"][0]
    assert game.wall[first] == 0
    assert '"Z99"' in (fault.evidence.reply or "")
    assert '"id":1' in (fault.evidence.request or "")
    assert game.forfeited == set()


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("choose 2 R7", "out-of-turn it answers question 2, which it was not asked"),
        ("choose 0 R7", "out-of-turn it answers question 0, which it was not asked"),
        ("ready", "out-of-turn it says 'ready' a second time"),
        ('"R7, please"', "malformed it is not JSON"),
        ('""', "malformed the line is empty"),
    ],
)
def test_a_line_that_is_not_an_answer(line: str, fault: str) -> None:
    play_transcript(
        f"""
        {ONE_QUESTION}
        < {line}
        ! 1 {fault}
        > fault {fault.split(maxsplit=1)[0]}
        > decide 2
        """
    )


def test_stale_answers_are_counted() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        < choose 1 | choose 1
        > decide 2
        < choose 1
        = THINKING
        """
    )
    assert table.games[1].stale == [2, 0, 0]


@pytest.mark.parametrize("count", [MAX_STALE_ANSWERS, MAX_STALE_ANSWERS + 1])
def test_too_many_stale_answers_in_a_row(count: int) -> None:
    many = " | ".join(["choose 1"] * count)
    after = (
        """
        ! none
        = THINKING
        """
        if count <= MAX_STALE_ANSWERS
        else """
        ! 1 out-of-turn settled questions more than 64 times in a row
        = GONE
        """
    )
    play_transcript(f"{ONE_QUESTION}\n< choose 1\n> decide 2\n< {many}\n{after}")


def test_an_answer_ends_a_row_of_stale_ones() -> None:
    many = " | ".join(["choose 1"] * 40)
    play_transcript(
        f"{ONE_QUESTION}\n< choose 1\n> decide 2\n< {many} | choose 2\n> decide 3\n< {many}\n! none"
    )


def test_stale_answers_take_no_share_of_the_time() -> None:
    table = play_transcript(
        ONE_QUESTION
        + """
        < choose 1
        > decide 2
        + 0.4 cpu 0.2
        < choose 1 | choose 1 | choose 2
        > decide 3
        """
    )
    game = table.games[1]
    second = [number for number, seat in enumerate(game.deciders) if seat == 0][1]
    assert (game.wall[second], game.cpu[second]) == (400_000, 200_000)


def test_a_line_that_comes_in_pieces() -> None:
    with start_scripted_table() as table:
        table.play(ONE_QUESTION)
        option = table.questions[0, 1]["options"][0]
        table.play(
            f"""
            <- {{"type":"choose","id":1,
            = THINKING
            + 0.1
            <- "choice":"{option}"}}
            = THINKING
            < ""
            > decide 2
            ! none
            """
        )


def test_a_line_that_never_ends() -> None:
    half = "x" * (MAX_LINE_BYTES // 2)
    table = play_transcript(
        f"""
        {ONE_QUESTION}
        <- {half}
        ! none
        <- {half}
        ! 1 too-long a line is longer than 65536 bytes
        = GONE
        """
    )
    assert len(table.games[1].faults[0].evidence.reply or "") < 2_100


def test_a_question_that_was_not_sent_cannot_be_answered() -> None:
    """The second process takes over a game, and answers before it has read the question."""
    with start_scripted_table(deals=2) as table:
        table.play(
            TWO_GAMES
            + """
            x exit status 1
            ! 1 exited exit status 1
            > hello
            = STARTING
            < ready 2 | choose 2
            ! 2 out-of-turn it answers question 2, which it was not asked
            """
        )


def test_notes_are_kept_beside_the_choice() -> None:
    with start_scripted_table() as table:
        table.play(ONE_QUESTION)
        option = table.questions[0, 1]["options"][0]
        note = f'{{"type":"choose","id":1,"choice":"{option}","note":"hm"}}'
        table.play(f"< {note}\n> decide 2")
        game = table.games[1]
        assert game.notes == {game.deciders.index(0): "hm"}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("choose 1 R7", "its first line is not 'ready'"),
        ('"hello"', "its first line is not a message: it is not JSON"),
        ('{"type":"ready","variants":["was-*"]}', "it says that it does not play sticheln"),
    ],
)
def test_a_first_line_that_is_not_ready(line: str, text: str) -> None:
    with start_scripted_table() as table:
        table.play(f"> hello\n= STARTING\n< {line}\n! 1 start {text}")


def test_a_first_line_that_is_too_long() -> None:
    half = "x" * (MAX_LINE_BYTES // 2)
    with start_scripted_table() as table:
        table.play(f'> hello\n<- {half}\n< "{half}"\n! 1 start a line is longer than 65536 bytes')


def test_a_new_process_that_holds_fewer_games() -> None:
    play_transcript(
        """
        > hello
        < ready 3
        > start
        > decide 1
        > start
        > decide 2
        > start
        > decide 3
        x exit status 1
        ! 1 exited
        > hello
        < ready 1
        ! 2 start it was to take over more games than it says it can hold
        ! 3 start it was to take over more games than it says it can hold
        """,
        deals=3,
    )


@given(st.lists(st.sampled_from([b"", b"0", b"{}"]), max_size=20), st.integers(1, 9))
def test_split_lines(lines: list[bytes], most: int) -> None:
    written = b"".join(line + b"\n" for line in lines)
    found = list(split_lines(written, most))
    assert b"".join(found) == written
    assert all(one.count(b"\n") == most for one in found[:-1])
    assert found[-1].count(b"\n") <= most


def test_good_and_bad_lines_are_told_apart() -> None:
    lines = b'{"type":"choose","id":1,"choice":"R7"}\nnonsense\n{"type":"ready"}\n'
    good, nonsense, ready = parse_answers(lines)
    assert good == Choose(1, "R7")
    assert isinstance(nonsense, BadLine)
    assert isinstance(ready, BadLine)
    assert (nonsense.fault, ready.fault) == ("malformed", "out-of-turn")
    assert nth_line(lines, 1) == b"nonsense"
