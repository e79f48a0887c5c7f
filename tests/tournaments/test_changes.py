"""What may change while a run goes on, and what makes it another one."""

from dataclasses import replace
from typing import Any

import pytest

from arena.match.faults import Policy
from arena.match.terms import Terms
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.tournaments.changes import differences
from arena.tournaments.keys import Rating, Stop, Tables
from tests.tournaments.makeshift import bot, bots, tournament

CELLS = (Cell("sticheln", 4), Cell("hat-trick", 4))


def changed(before: dict[str, Any], now: dict[str, Any]) -> tuple[list[str], list[str]]:
    old = tournament(**before)
    return differences(old.settings(), replace(old, **now).settings())


def test_nothing() -> None:
    assert changed({}, {}) == ([], [])


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({}, {"deals": 9}, "'deals' was 6 and is now 9"),
        ({}, {"bots": bots(7)}, "bot06 is new"),
        ({"tables": Tables(gauntlet="bot01")}, {"bots": bots(7)}, "bot06 is new"),
        ({}, {"cells": CELLS}, "hat-trick with 4 seats is new"),
        ({"tables": Tables(sample=5)}, {"cells": CELLS}, "hat-trick with 4 seats is new"),
        ({"tables": Tables(sample=5)}, {"deals": 9}, "'deals' was 6 and is now 9"),
        (
            {"tables": Tables(sample=5)},
            {"tables": Tables(sample=7)},
            "'tables' was {sample: 5} and is now {sample: 7}",
        ),
        (
            {},
            {"stop": Stop(when="order")},
            "'stop' was not there and is now {when: order, confidence: 0.95, by: rating}",
        ),
    ],
)
def test_what_may_change(before: dict[str, Any], now: dict[str, Any], said: str) -> None:
    assert changed(before, now) == ([], [said])


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (
            {},
            {"bots": (bot("bot00", "2"), *bots(6)[1:])},
            "bot00 is another version than this run began with (1, now 2)",
        ),
        ({}, {"bots": bots(5)}, "bot05 is gone"),
        ({"cells": CELLS}, {"cells": CELLS[:1]}, "hat-trick with 4 seats is gone"),
        ({}, {"deals": 3}, "'deals' was 6 and is now 3"),
        ({}, {"seating": "all"}, "'seating' was balanced and is now all"),
        (
            {},
            {"terms": Terms(limits=None)},
            "'clock' was {start: 10.0, move: 1.0, bank: 5.0, wall: 30.0} and is now none",
        ),
        ({}, {"terms": Terms(limits=Limits(move=2))}, "'clock' was {start: 10.0, move: 1.0"),
        (
            {},
            {"terms": Terms(policy=Policy.FORFEIT)},
            "'faults' was {policy: stand-in, retire: 10} and is now {policy: forfeit, retire: 10}",
        ),
        ({}, {"terms": Terms(anonymous=False)}, "'anonymous' was true and is now false"),
        (
            {},
            {"sandbox": "{memory: 64}"},
            "the limits of 'sandbox' were as usual and are now {memory: 64}",
        ),
        ({}, {"tables": Tables(sample=5)}, "'tables' was all and is now {sample: 5}"),
        (
            {"tables": Tables(sample=7)},
            {"tables": Tables(sample=5)},
            "'tables' was {sample: 7} and is now {sample: 5}",
        ),
        (
            {"tables": Tables(adaptive=5)},
            {"tables": Tables(adaptive=7)},
            "'tables' was {adaptive: 5} and is now {adaptive: 7}",
        ),
        ({"tables": "adaptive"}, {"deals": 9}, "'deals' was 6 and is now 9"),
        (
            {"tables": Tables(sample=5)},
            {"bots": bots(7)},
            "bot06 is new, with which other tables would be chosen",
        ),
    ],
)
def test_what_makes_it_another_run(before: dict[str, Any], now: dict[str, Any], said: str) -> None:
    refused, allowed = changed(before, now)
    assert allowed == []
    assert len(refused) == 1
    assert refused[0].startswith(said)


def test_what_decides_no_game_is_no_difference() -> None:
    now = {
        "workers": 7,
        "rating": Rating(standing="placement"),
        "name": "other",
        "cells": CELLS[::-1],
        "notes": ("x",),
    }
    assert changed({"cells": CELLS}, now) == ([], [])


def test_adaptive_tables_depend_on_all_cells() -> None:
    refused, allowed = changed({"tables": Tables(adaptive=9)}, {"cells": CELLS})
    assert refused == ["hat-trick with 4 seats is new, with which other tables would be chosen"]
    assert allowed == []


def test_the_chunk_decides_whom_a_bot_meets_before_it_is_retired() -> None:
    assert changed({}, {"chunk": 4}) == (["'chunk' was 32 and is now 4"], [])
