"""Games are found by what they are and by their ids."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.ratings.cell import Cell
from arena.referee.faults import Fault
from arena.store.block import unpack_games
from arena.store.run import Run
from arena.store.search import GameRow, UnknownGame, game_id
from tests.store.blocks import BOTS, make_block, make_header

FAULTS = (Fault(1, "illegal", "R99 is no option", 7), Fault(0, "exited", "gone"))
ABC, CDE = BOTS[:3], BOTS[2:]
BLOCKS = (
    make_block(0, bots=ABC),
    make_block(1, bots=CDE, faults=FAULTS),
    make_block(0, "stick-em", CDE),
    make_block(0, "stick-em", BOTS[:4]),
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    with Run.create(tmp_path, make_header()) as made:
        made.add(BLOCKS)
    return Run.open(tmp_path)


def ids(found: Iterable[GameRow]) -> list[str]:
    return [game.id for game in found]


def test_all_in_the_order_of_their_ids(run: Run) -> None:
    with run:
        found = list(run.games())
    assert len(found) == 3 + 3 + 3 + 4
    assert ids(found) == sorted(ids(found))
    for one in BLOCKS:
        for turn, result in enumerate(one.results):
            game = next(game for game in found if game.id == game_id(one.key, turn))
            assert game == GameRow(
                id=f"{one.key.hex()[:10]}-{turn}",
                variant=one.variant,
                seats=one.seats,
                number=one.number,
                seed=one.seed,
                bots=tuple(one.bots[place] for place in result.seating),
                scores=result.scores,
                ranks=result.ranks,
                points=result.points,
                faults=result.faults,
                decisions=result.decisions,
                cpu=result.cpu,
            )


def test_games_are_filtered(run: Run) -> None:
    with run:
        assert len(list(run.games(variant="stick-em"))) == 7
        assert len(list(run.games(seats=4))) == 4
        assert {game.seats for game in run.games(variant="stick-em", seats=3)} == {3}
        assert len(list(run.games(bot="ann"))) == 7
        assert all("ann" in game.bots for game in run.games(bot="ann"))
        assert list(run.games(bot="nobody")) == []
        assert ids(run.games(fault=True)) == [game_id(BLOCKS[1].key, 0)]
        assert ids(run.games(fault=True, bot="dan")) == [game_id(BLOCKS[1].key, 0)]
        assert ids(run.games(fault=True, bot="eve")) == []


def test_faults(run: Run) -> None:
    with run:
        first, second = run.faults()
        assert list(run.faults(bot="dan")) == [first]
        assert list(run.faults(variant="stick-em")) == []
        assert list(run.faults(seats=3, variant="sticheln")) == [first, second]
    assert first.game == game_id(BLOCKS[1].key, 0)
    assert (first.seat, first.bot, first.fault, first.text, first.place) == (
        1,
        "dan",
        "illegal",
        "R99 is no option",
        7,
    )
    assert (second.bot, second.place, second.bots, second.seed) == (
        "cleo",
        None,
        CDE,
        BLOCKS[1].seed,
    )


def test_page_by_page(run: Run) -> None:
    """However many are on a page, together they are all games of the cell, in their order."""
    with run:
        every = list(run.games(variant="sticheln", seats=3))
        for most in (1, 2, 4, 6, 9):
            pages = [
                run.games_page(Cell("sticheln", 3), first, most) for first in range(0, 6, most)
            ]
            assert [game for page in pages for game in page] == every
            assert all(len(page) <= most for page in pages)
        assert run.games_page(Cell("stick-em", 4), 0, 99) == list(run.games(seats=4))
        assert run.games_page(Cell("sticheln", 3), 6, 99) == []
        assert run.games_page(Cell("sticheln", 4), 0, 99) == []


def test_by_id(run: Run) -> None:
    one = BLOCKS[0]
    with run:
        for id_ in (game_id(one.key, 2), f"{one.key.hex()}-2", f" {one.key.hex()[:5].upper()}-2"):
            assert run.find_game(id_) == (one.key, 2)
            assert run.stored_game(id_) == unpack_games(one.packed_games)[2]


def test_invalid_ids(run: Run) -> None:
    key = BLOCKS[0].key.hex()
    with run:
        for id_, text in (
            ("", "is no game's id; ids look like 1f0a2b3c4d-2"),
            ("xyz-1", "is no game's id"),
            (key + "0-1", "is no game's id"),
            ("-1", "is no game's id"),
            (f"{key[:10]}-3", f"the games of this block are {key[:10]}-0 to {key[:10]}-2"),
            (key[:10], f"the games of this block are {key[:10]}-0 to {key[:10]}-2"),
            (f"{key[:10]}--1", "the games of this block are"),
            ("0000000000-0", "there is no game 0000000000-0; did you mean "),
            ("ffffffffff-0", "there is no game ffffffffff-0; did you mean "),
        ):
            with pytest.raises(UnknownGame) as caught:
                run.find_game(id_)
            assert text in str(caught.value)


def test_an_id_that_several_begin_with(tmp_path: Path) -> None:
    twins = [replace(make_block(n), key=bytes([7] * 6 + [n] * 10)) for n in range(2)]
    with Run.create(tmp_path, make_header()) as run:
        run.add(twins)
        with pytest.raises(UnknownGame, match="070707070707-1 may be one of several, 0707"):
            run.find_game("070707070707-1")
        assert run.find_game(f"{twins[1].key.hex()[:14]}-1") == (twins[1].key, 1)


def test_a_run_without_games(tmp_path: Path) -> None:
    with Run.create(tmp_path, make_header()) as run:
        assert list(run.games()) == []
        with pytest.raises(UnknownGame, match="there is no game 12-0; no game is stored yet"):
            run.find_game("12-0")
