"""A run is begun, gone on with, or refused."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.referee.faults import FaultPolicy
from arena.store.run import Run
from arena.tournaments.config.keys import RatingKeys, StopKeys, TableKeys
from arena.tournaments.config.tournament import Tournament
from arena.tournaments.deals import commitment
from arena.tournaments.play.resume import code_hash, find_changes, open_run
from tests.tournaments.fake_tournaments import fake_bot, fake_bots, fake_tournament
from tests.tournaments.scripted_backend import small_tournament as any_small

CELLS = (Cell("sticheln", 4), Cell("hat-trick", 4))


def compare_settings(before: dict[str, Any], now: dict[str, Any]) -> tuple[list[str], list[str]]:
    old = fake_tournament(**before)
    return find_changes(old.settings(), replace(old, **now).settings())


def test_no_changes() -> None:
    assert compare_settings({}, {}) == ([], [])


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({}, {"deals": 9}, "'deals' was 6 and is now 9"),
        ({}, {"bots": fake_bots(7)}, "bot06 is new"),
        ({"tables": TableKeys(gauntlet="bot01")}, {"bots": fake_bots(7)}, "bot06 is new"),
        ({}, {"cells": CELLS}, "hat-trick with 4 seats is new"),
        ({"tables": TableKeys(sample=5)}, {"cells": CELLS}, "hat-trick with 4 seats is new"),
        ({"tables": TableKeys(sample=5)}, {"deals": 9}, "'deals' was 6 and is now 9"),
        (
            {"tables": TableKeys(sample=5)},
            {"tables": TableKeys(sample=7)},
            "'tables' was {sample: 5} and is now {sample: 7}",
        ),
        (
            {},
            {"stop": StopKeys(when="order")},
            "'stop' was not there and is now {when: order, confidence: 0.95, by: rating}",
        ),
    ],
)
def test_allowed_changes(before: dict[str, Any], now: dict[str, Any], said: str) -> None:
    assert compare_settings(before, now) == ([], [said])


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (
            {},
            {"bots": (fake_bot("bot00", "2"), *fake_bots(6)[1:])},
            "bot00 is another version than this run began with (1, now 2)",
        ),
        ({}, {"bots": fake_bots(5)}, "bot05 is gone"),
        ({"cells": CELLS}, {"cells": CELLS[:1]}, "hat-trick with 4 seats is gone"),
        ({}, {"deals": 3}, "'deals' was 6 and is now 3"),
        ({}, {"seating": "all"}, "'seating' was balanced and is now all"),
        (
            {},
            {"referee_config": RefereeConfig(limits=None)},
            "'clock' was {start: 10.0, move: 1.0, bank: 5.0, wall: 30.0} and is now none",
        ),
        (
            {},
            {"referee_config": RefereeConfig(limits=Limits(move=2))},
            "'clock' was {start: 10.0, move: 1.0",
        ),
        (
            {},
            {"referee_config": RefereeConfig(policy=FaultPolicy.FORFEIT)},
            "'faults' was {policy: stand-in, retire: 10} and is now {policy: forfeit, retire: 10}",
        ),
        (
            {},
            {"referee_config": RefereeConfig(anonymous=False)},
            "'anonymous' was true and is now false",
        ),
        (
            {},
            {"sandbox": "{memory: 64}"},
            "the limits of 'sandbox' were as usual and are now {memory: 64}",
        ),
        ({}, {"tables": TableKeys(sample=5)}, "'tables' was all and is now {sample: 5}"),
        (
            {"tables": TableKeys(sample=7)},
            {"tables": TableKeys(sample=5)},
            "'tables' was {sample: 7} and is now {sample: 5}",
        ),
        (
            {"tables": TableKeys(adaptive=5)},
            {"tables": TableKeys(adaptive=7)},
            "'tables' was {adaptive: 5} and is now {adaptive: 7}",
        ),
        ({"tables": "adaptive"}, {"deals": 9}, "'deals' was 6 and is now 9"),
        (
            {"tables": TableKeys(sample=5)},
            {"bots": fake_bots(7)},
            "bot06 is new, with which other tables would be chosen",
        ),
    ],
)
def test_forbidden_changes(before: dict[str, Any], now: dict[str, Any], said: str) -> None:
    refused, allowed = compare_settings(before, now)
    assert allowed == []
    assert len(refused) == 1
    assert refused[0].startswith(said)


def test_settings_that_affect_no_game_may_change() -> None:
    now = {
        "workers": 7,
        "rating": RatingKeys(standing="placement"),
        "name": "other",
        "cells": CELLS[::-1],
        "notes": ("x",),
    }
    assert compare_settings({"cells": CELLS}, now) == ([], [])


def test_adaptive_tables_depend_on_all_cells() -> None:
    refused, allowed = compare_settings({"tables": TableKeys(adaptive=9)}, {"cells": CELLS})
    assert refused == ["hat-trick with 4 seats is new, with which other tables would be chosen"]
    assert allowed == []


def test_the_chunk_size_must_not_change() -> None:
    assert compare_settings({}, {"chunk": 4}) == (["'chunk' was 32 and is now 4"], [])


def small(**other: object) -> Tournament:
    """A small tournament whose bots are only names."""
    return any_small(**{"bots": fake_bots(6), **other})


def test_a_seed_is_drawn_and_kept(tmp_path: Path) -> None:
    with open_run(small(), tmp_path).run as run:
        seed = run.header.seed
        assert len(seed) == 64
        assert run.header.commitment == commitment(seed)
    again = open_run(small(), tmp_path)
    with again.run as run:
        assert not again.is_new
        assert run.header.seed == seed
    with open_run(small(), tmp_path / "other").run as run:
        assert run.header.seed != seed


def test_the_given_seed_is_used(tmp_path: Path) -> None:
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
        ({"bots": (fake_bot("bot00", "2"), *fake_bots(6)[1:])}, "bot00"),
        ({"referee_config": replace(RefereeConfig(), max_faults=3)}, "'faults'"),
        ({"seating": "random"}, "'seating'"),
        ({"bots": fake_bots(5)}, "bot05"),
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


def test_allowed_changes_are_reported(tmp_path: Path) -> None:
    open_run(small(), tmp_path).run.close()
    again = open_run(small(deals=12, bots=fake_bots(7)), tmp_path)
    with again.run as run:
        assert len(again.changes) == 2
        assert run.header.settings["deals"] == 12
        assert len(run.header.bots) == 7


def test_the_hash_of_the_program_stays_while_it_does() -> None:
    assert code_hash() == code_hash()
    assert len(code_hash()) == 12


def test_a_changed_program_is_reported(tmp_path: Path) -> None:
    with open_run(small(), tmp_path).run as run:
        run.begin_session(code_hash(), 1)
    assert open_and_close(tmp_path) == ()
    with Run.open_for_writing(tmp_path) as run:
        run.begin_session("another", 1)
    (said,) = open_and_close(tmp_path)
    assert said.startswith("the program is another one")


def open_and_close(folder: Path) -> tuple[str, ...]:
    again = open_run(small(), folder)
    again.run.close()
    return again.changes
