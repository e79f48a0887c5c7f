"""Packs hold every block once, as it is kept, in files of a size that loads quickly."""

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.report.packs import FULL, digits, names, pack
from arena.store.block import unpack
from arena.store.run import Run
from tests.cli.runs import CELLS, header, played
from tests.store.blocks import block
from tests.store.blocks import header as about


def opened(script: bytes) -> dict[bytes, bytes]:
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
def test_digits(blocks: int, count: int) -> None:
    assert digits(blocks) == count


@given(st.integers(0, 10**9))
def test_files_are_neither_large_nor_many(blocks: int) -> None:
    count = 16 ** digits(blocks)
    assert blocks <= FULL * count
    assert count == 16 or blocks > FULL * count / 16


def test_names() -> None:
    assert "".join(names(1)) == "0123456789abcdef"
    two = list(names(2))
    assert (len(set(two)), two[0], two[1], two[-1]) == (256, "00", "01", "ff")


@pytest.mark.parametrize("count", [1, 2])
def test_every_block_is_in_one_pack(count: int, tmp_path: Path) -> None:
    folder = played(tmp_path, about=header(), cells=CELLS[:2], blocks=30)
    with Run.open(folder) as run:
        found: list[bytes] = []
        for name in names(count):
            keys = list(opened(pack(run, name)))
            assert all(key.hex().startswith(name) for key in keys)
            assert keys == sorted(keys)
            found += keys
        assert found == sorted(run.done())


def test_the_first_and_the_last_key(tmp_path: Path) -> None:
    ends = [replace(block(n), key=bytes([byte] * 16)) for n, byte in enumerate((0, 255))]
    with Run.create(tmp_path, about()) as run:
        run.add(ends)
        assert list(opened(pack(run, "0"))) == [bytes(16)]
        assert list(opened(pack(run, "ff"))) == [b"\xff" * 16]


def test_games_come_back(tmp_path: Path) -> None:
    one = block(0)
    with Run.create(tmp_path, about()) as run:
        run.add([one, block(1)])
        games = opened(pack(run, one.key.hex()[0]))[one.key]
        assert opened(pack(run, "00")) == {}
    assert games == one.kept
    assert unpack(games) == unpack(one.kept)
