"""A run is begun, gone on with, or refused."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.match.terms import Terms
from arena.store.run import Run
from arena.tournaments.config import Tournament
from arena.tournaments.deals import commitment
from arena.tournaments.opening import code, open_run
from tests.tournaments.makeshift import bot, bots
from tests.tournaments.scripted import small as any_small


def small(**other: object) -> Tournament:
    """A small tournament whose bots are only names."""
    return any_small(**{"bots": bots(6), **other})


def test_a_seed_is_drawn_and_kept(tmp_path: Path) -> None:
    with open_run(small(), tmp_path).run as run:
        seed = run.header.seed
        assert len(seed) == 64
        assert run.header.commitment == commitment(seed)
    again = open_run(small(), tmp_path)
    with again.run as run:
        assert not again.new
        assert run.header.seed == seed
    with open_run(small(), tmp_path / "other").run as run:
        assert run.header.seed != seed


def test_its_own_seed_is_taken(tmp_path: Path) -> None:
    with open_run(small(seed="mine"), tmp_path).run as run:
        assert run.header.seed == "mine"
    with pytest.raises(ArenaError, match="holds another run: the seed is another one; put it back"):
        open_run(small(seed="yours"), tmp_path)
    with open_run(small(), tmp_path).run as run:
        assert run.header.seed == "mine"


def test_a_folder_that_bots_can_read(tmp_path: Path) -> None:
    folder = Path(sys.prefix, "lib", tmp_path.name)
    with pytest.raises(ArenaError, match=r"lies in \S+, which all bots may read; use another fol"):
        open_run(small(), folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"bots": (bot("bot00", "2"), *bots(6)[1:])}, "bot00"),
        ({"terms": replace(Terms(), retire=3)}, "'faults'"),
        ({"seating": "random"}, "'seating'"),
        ({"bots": bots(5)}, "bot05"),
    ],
)
def test_another_run_is_refused_and_nothing_changes(
    tmp_path: Path, change: dict[str, object], why: str
) -> None:
    with open_run(small(), tmp_path).run as run:
        before = run.header
    with pytest.raises(ArenaError, match=f"holds another run: .*{why}.*--out FOLDER"):
        open_run(small(**change), tmp_path)
    with Run.open(tmp_path) as run:
        assert run.header == before


def test_what_may_change_is_said(tmp_path: Path) -> None:
    open_run(small(), tmp_path).run.close()
    again = open_run(small(deals=12, bots=bots(7)), tmp_path)
    with again.run as run:
        assert len(again.changes) == 2
        assert run.header.settings["deals"] == 12
        assert len(run.header.bots) == 7


def test_the_hash_of_the_program_stays_while_it_does() -> None:
    assert code() == code()
    assert len(code()) == 12


def test_another_program_is_said_and_goes_on(tmp_path: Path) -> None:
    with open_run(small(), tmp_path).run as run:
        run.session(code(), 1)
    assert open_and_close(tmp_path) == ()
    with Run.write(tmp_path) as run:
        run.session("another", 1)
    (said,) = open_and_close(tmp_path)
    assert said.startswith("the program is another one")


def open_and_close(folder: Path) -> tuple[str, ...]:
    again = open_run(small(), folder)
    again.run.close()
    return again.changes
