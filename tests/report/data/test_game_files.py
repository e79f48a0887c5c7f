"""Scripts that carry values: whatever is in a value, it only ever is one."""

import base64
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.ratings.cell import Cell
from arena.report.data.game_files import (
    BLOCKS_PER_PACK,
    GAMES_PER_LIST,
    assignment_script,
    callback_script,
    game_list_count,
    game_list_entry,
    game_list_file,
    game_list_index,
    pack_file,
    pack_prefix_length,
    pack_prefixes,
    split_into_lists,
)
from arena.store.block import unpack_games
from arena.store.run import Run
from arena.store.search import GameRow
from tests.cli.hostile_text import HOSTILE_TEXTS
from tests.cli.runs import CELLS, create_run, make_header
from tests.store.blocks import make_block
from tests.store.blocks import make_header as about

GAME = GameRow(
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


def parse_script(script: bytes, before: str, after: str) -> Any:
    """The value that a script carries, as JavaScript would read it."""
    text = script.decode()
    assert text.startswith(f"{before}JSON.parse(")
    assert text.endswith(f"){after}")
    return json.loads(json.loads(text[len(before) + len("JSON.parse(") : -len(after) - 1]))


@pytest.mark.parametrize(
    ("games", "count"), [(0, 0), (1, 1), (999, 1), (1000, 1), (1001, 2), (10**6, 1000)]
)
def test_files(games: int, count: int) -> None:
    assert game_list_count(games) == count


def test_a_row() -> None:
    assert game_list_entry(GAME, BOTS) == ["1f0a2b3c4d-2", [2, 0, 1], [-3, 20, 4], [3, 1, 2], 0]
    assert game_list_entry(replace(GAME, faults=(0, 2, 0)), BOTS)[-1] == [0, 2, 0]


def test_a_file() -> None:
    script = game_list_file([GAME, replace(GAME, id="1f0a2b3c4d-3")], 4, 17, BOTS)
    name, rows = parse_script(script, "Stichkampf.list(", ");\n")
    assert name == "4-17"
    assert [one[0] for one in rows] == ["1f0a2b3c4d-2", "1f0a2b3c4d-3"]


def test_a_new_bot_waits_for_the_next_index() -> None:
    """While a run goes on, a bot may join that the index does not know."""
    late = replace(GAME, id="2f0a2b3c4d-0", bots=("ann", "bob", "zoe"))
    script = game_list_file([GAME, late], 0, 0, BOTS)
    _, rows = parse_script(script, "Stichkampf.list(", ");\n")
    assert [one[0] for one in rows] == [GAME.id]


def test_the_index() -> None:
    cells = [(Cell("sticheln+mild", 4), 1001), (Cell("stick-em", 3), 6)]
    bots = [("__proto__", "bots/0-proto.html"), ("</script>\u2028", "bots/1-script.html")]
    script = game_list_index(cells, bots)
    assert parse_script(script, "(globalThis.Stichkampf ??= {}).listed = ", ";\n") == {
        "cells": [["sticheln+mild, 4 seats", 1001, 2], ["stick-em, 3 seats", 6, 1]],
        "bots": [list(bot) for bot in bots],
    }
    assert script.decode().count("\n") == 1
    assert script.decode().removesuffix("\n").isprintable()


@pytest.mark.parametrize("count", [0, 1, GAMES_PER_LIST, GAMES_PER_LIST + 1, 2 * GAMES_PER_LIST])
def test_batches(count: int) -> None:
    def every() -> Iterator[GameRow]:
        yield from [GAME] * count

    sizes = [len(some) for some in split_into_lists(every())]
    assert len(sizes) == game_list_count(count)
    assert sum(sizes) == count
    assert set(sizes[:-1]) <= {GAMES_PER_LIST}


def parse_pack(script: bytes) -> dict[bytes, bytes]:
    """The blocks of a pack, as a page takes them out of it."""
    text = script.decode("ascii")
    inner = text.removeprefix("Stichkampf.pack(").removesuffix(");\n")
    assert len(text) == len(inner) + len("Stichkampf.pack();\n")
    return {
        bytes.fromhex(key): base64.b64decode(games, validate=True)
        for key, games in json.loads(inner).items()
    }


@pytest.mark.parametrize(
    ("blocks", "count"),
    [(0, 1), (1, 1), (640, 1), (641, 2), (10_240, 2), (10_241, 3), (1_000_000, 4)],
)
def test_length_of_id_prefixes(blocks: int, count: int) -> None:
    assert pack_prefix_length(blocks) == count


@given(st.integers(0, 10**9))
def test_files_are_neither_large_nor_many(blocks: int) -> None:
    count = 16 ** pack_prefix_length(blocks)
    assert blocks <= BLOCKS_PER_PACK * count
    assert count == 16 or blocks > BLOCKS_PER_PACK * count / 16


def test_names() -> None:
    assert "".join(pack_prefixes(1)) == "0123456789abcdef"
    two = list(pack_prefixes(2))
    assert (len(set(two)), two[0], two[1], two[-1]) == (256, "00", "01", "ff")


@pytest.mark.parametrize("count", [1, 2])
def test_every_block_is_in_one_pack(count: int, tmp_path: Path) -> None:
    folder = create_run(tmp_path, about=make_header(), cells=CELLS[:2], blocks=30)
    with Run.open(folder) as run:
        found: list[bytes] = []
        for name in pack_prefixes(count):
            keys = list(parse_pack(pack_file(run, name)))
            assert all(key.hex().startswith(name) for key in keys)
            assert keys == sorted(keys)
            found += keys
        assert found == sorted(run.block_keys())


def test_the_first_and_the_last_key(tmp_path: Path) -> None:
    ends = [replace(make_block(n), key=bytes([byte] * 16)) for n, byte in enumerate((0, 255))]
    with Run.create(tmp_path, about()) as run:
        run.add(ends)
        assert list(parse_pack(pack_file(run, "0"))) == [bytes(16)]
        assert list(parse_pack(pack_file(run, "ff"))) == [b"\xff" * 16]


def test_games_come_back(tmp_path: Path) -> None:
    one = make_block(0)
    with Run.create(tmp_path, about()) as run:
        run.add([one, make_block(1)])
        games = parse_pack(pack_file(run, one.key.hex()[0]))[one.key]
        assert parse_pack(pack_file(run, "00")) == {}
    assert games == one.packed_games
    assert unpack_games(games) == unpack_games(one.packed_games)


TEXTS = [*HOSTILE_TEXTS.values(), "</script>", "__proto__", "\u2028", "\\u0022", "${x}", "`", "😀"]


@given(st.dictionaries(st.text(), st.lists(st.text() | st.integers() | st.none())))
def test_an_assigning_script_is_one_line(value: dict[str, object]) -> None:
    script = assignment_script("told", value).decode()
    inner = script.removeprefix("(globalThis.Stichkampf ??= {}).told = JSON.parse(")
    assert json.loads(json.loads(inner.removesuffix(");\n"))) == value
    assert script.removesuffix("\n").isprintable()


@pytest.mark.needs("node")
def test_javascript_reads_the_same_values() -> None:
    """JavaScript reads the same texts, and a name such as `__proto__` changes nothing."""
    value = {text: [text, number] for number, text in enumerate(TEXTS)}
    program = (
        assignment_script("told", value).decode()
        + "Stichkampf.take = (one) => (Stichkampf.taken = one);\n"
        + callback_script("take", TEXTS).decode()
        + "if (Object.getPrototypeOf(Stichkampf.told) !== Object.prototype) throw 1;\n"
        + "console.log(JSON.stringify([Object.entries(Stichkampf.told), Stichkampf.taken]));\n"
    )
    done = subprocess.run(["node", "-"], input=program.encode(), capture_output=True, check=True)
    entries, taken = json.loads(done.stdout)
    assert dict(entries) == value
    assert taken == TEXTS
