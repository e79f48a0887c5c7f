"""Keeping blocks: what places come to, each block once, contradictions beside it."""

import logging
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.store.block import GameResult
from arena.store.database import BadRun
from arena.store.run import Run
from arena.store.writing import block_entries
from tests.store.blocks import BOTS, make_block, make_header


@st.composite
def results(draw: st.DrawFn) -> tuple[GameResult, ...]:
    """Games of one table, with many ties."""
    seats = draw(st.integers(3, 8))
    number = st.lists(st.integers(0, 3), min_size=seats, max_size=seats).map(tuple)
    return tuple(
        GameResult(
            seating=tuple(draw(st.permutations(range(seats)))),
            scores=(0,) * seats,
            ranks=tuple(1 + sum(other > own for other in scores) for own in scores),
            points=scores,
            faults=draw(number),
            decisions=draw(number),
            cpu=draw(number),
        )
        for scores in draw(st.lists(number, min_size=1, max_size=9))
    )


@given(results())
def test_entries(games: tuple[GameResult, ...]) -> None:
    """The same as with fractions, place by place, rounded once."""
    seats = len(games[0].seating)
    for place, entry in enumerate(block_entries(games, seats)):
        placement = wins = Fraction()
        for game in games:
            seat = game.seating.index(place)
            own = game.ranks[seat]
            beaten = sum(other > own for other in game.ranks)
            tied = sum(other == own for other in game.ranks) - 1
            placement += (beaten + Fraction(tied, 2)) / (seats - 1)
            wins += Fraction(own == 1, game.ranks.count(1))
        assert entry.placement == float(placement)
        assert entry.wins == float(wins)
        for field in ("points", "faults", "decisions", "cpu"):
            total = sum(getattr(game, field)[game.seating.index(place)] for game in games)
            assert getattr(entry, field) == total


def test_the_same_block_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first, second = make_block(1), make_block(2)
    with Run.create(tmp_path / "run", make_header()) as run:
        assert run.add([first, second, first]) == 2
        assert run.add([second]) == 0
        assert run.add([make_block(1, cpu=999)]) == 0, "time does not count"
        assert run.block(first.key) == first
        assert list(run.contradicting_results()) == []
    assert not caplog.records


def test_a_conflicting_block(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first, other = make_block(1), make_block(1, luck=1)
    assert first.key == other.key
    assert first.results != other.results
    with Run.create(tmp_path / "run", make_header()) as run, caplog.at_level(logging.WARNING):
        run.begin_session("code", 1)
        assert run.add([first]) == 1
        assert run.add([other]) == 0
        assert run.add([other]) == 0
        assert run.block(first.key) == first
        (aside,) = run.contradicting_results()
    assert (aside.key, aside.results, aside.packed_games) == (
        other.key,
        other.results,
        other.packed_games,
    )
    assert aside.session
    assert first.key.hex() in caplog.text


def test_a_bot_that_is_not_in_the_run(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", make_header(BOTS[:2])) as run:
        with pytest.raises(BadRun, match="there is no bot 'cleo' in this run"):
            run.add([make_block()])
        assert run.block_keys() == set()


def test_a_block_that_cannot_be(tmp_path: Path) -> None:
    whole = make_block()
    twice = replace(whole.results[0], seating=(0, 0, 1))
    with Run.create(tmp_path / "run", make_header()) as run:
        for bad in (
            replace(whole, results=()),
            replace(whole, bots=BOTS[:2]),
            replace(whole, results=(twice,)),
        ):
            with pytest.raises(ValueError, match="block"):
                run.add([bad])
        assert run.block_keys() == set()
