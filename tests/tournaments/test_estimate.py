"""An estimate counts what is planned, and knows how long games are."""

import pytest

from arena.match.record import deciders
from arena.ratings.cell import Cell
from arena.tournaments.estimate import DECISION, START, decisions, estimate
from arena.tournaments.plan import Plan
from tests.cli.records import recorded
from tests.tournaments.makeshift import tournament


@pytest.mark.parametrize(("variant", "seats"), [("sticheln", 3), ("hat-trick", 4), ("stick-em", 5)])
def test_decisions_are_those_of_a_game(variant: str, seats: int) -> None:
    game = recorded(variant, seats)
    assert decisions(Cell(variant, seats)) == len(list(deciders(game)))


def test_games_that_end_when_somebody_has_finished_are_about_as_long() -> None:
    assert 300 < decisions(Cell("was-sticht", 4)) < 1200


def test_what_a_plan_costs() -> None:
    """15 tables with 6 deals in 4 seatings: 360 games of 300 decisions, by 4 processes a turn."""
    found = estimate(Plan(tournament(), "x"), workers=3)
    assert (found.decisions, found.starts, found.workers) == (108_000, 15 * 4 * 4, 3)
    assert found.seconds == pytest.approx((108_000 * DECISION + 240 * START) / 3)
    assert found.seconds_for_a_millisecond == pytest.approx(36)


def test_smaller_chunks_start_more_processes() -> None:
    one, other = (estimate(Plan(tournament(chunk=size), "x"), workers=2) for size in (6, 2))
    assert other.starts == 3 * one.starts
    assert other.seconds > one.seconds


def test_who_has_nothing_to_do_does_not_help() -> None:
    found = [estimate(Plan(tournament(), "x"), workers=workers).seconds for workers in (15, 16)]
    assert found[0] == found[1]
