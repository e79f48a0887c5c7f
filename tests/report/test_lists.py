"""Lists of games: short rows in files of a thousand, and an index of them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from arena.ratings.cell import Cell
from arena.report.lists import AT_ONCE, batches, files, index, part, row
from arena.store.listing import Game

GAME = Game(
    id="1f0a2b3c4d-2",
    variant="sticheln",
    seats=3,
    number=0,
    seed=7,
    bots=("cleo", "ann", "bob"),
    scores=(-3, 20, 4),
    ranks=(3, 1, 2),
    points=(-3, 20, 4),
    faults=(0, 0, 0),
    decisions=(70, 70, 70),
    cpu=(1, 2, 3),
)
BOTS = {"ann": 0, "bob": 1, "cleo": 2}


def parsed(script: bytes, before: str, after: str) -> Any:
    """The value that a script carries, as JavaScript would read it."""
    text = script.decode()
    assert text.startswith(f"{before}JSON.parse(")
    assert text.endswith(f"){after}")
    return json.loads(json.loads(text[len(before) + len("JSON.parse(") : -len(after) - 1]))


@pytest.mark.parametrize(
    ("games", "count"), [(0, 0), (1, 1), (999, 1), (1000, 1), (1001, 2), (10**6, 1000)]
)
def test_files(games: int, count: int) -> None:
    assert files(games) == count


def test_a_row() -> None:
    assert row(GAME, BOTS) == ["1f0a2b3c4d-2", [2, 0, 1], [-3, 20, 4], [3, 1, 2], 0]
    assert row(replace(GAME, faults=(0, 2, 0)), BOTS)[-1] == [0, 2, 0]


def test_a_file() -> None:
    script = part([GAME, replace(GAME, id="1f0a2b3c4d-3")], 4, 17, BOTS)
    name, rows = parsed(script, "Stichkampf.list(", ");\n")
    assert name == "4-17"
    assert [one[0] for one in rows] == ["1f0a2b3c4d-2", "1f0a2b3c4d-3"]


def test_who_is_new_in_the_meantime_waits_for_the_next_index() -> None:
    """While a run goes on, a bot may join that the index does not know."""
    late = replace(GAME, id="2f0a2b3c4d-0", bots=("ann", "bob", "zoe"))
    script = part([GAME, late], 0, 0, BOTS)
    _, rows = parsed(script, "Stichkampf.list(", ");\n")
    assert [one[0] for one in rows] == [GAME.id]


def test_the_index() -> None:
    cells = [(Cell("sticheln+mild", 4), 1001), (Cell("stick-em", 3), 6)]
    bots = [("__proto__", "bots/0-proto.html"), ("</script>\u2028", "bots/1-script.html")]
    script = index(cells, bots)
    assert parsed(script, "(globalThis.Stichkampf ??= {}).listed = ", ";\n") == {
        "cells": [["sticheln+mild, 4 seats", 1001, 2], ["stick-em, 3 seats", 6, 1]],
        "bots": [list(bot) for bot in bots],
    }
    assert script.decode().count("\n") == 1
    assert script.decode().removesuffix("\n").isprintable()


@pytest.mark.parametrize("count", [0, 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE])
def test_batches(count: int) -> None:
    def every() -> Iterator[Game]:
        yield from [GAME] * count

    sizes = [len(some) for some in batches(every())]
    assert len(sizes) == files(count)
    assert sum(sizes) == count
    assert set(sizes[:-1]) <= {AT_ONCE}
