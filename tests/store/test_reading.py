"""What else can be read of a run: packed games by their keys, deals, and faults counted."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.referee.faults import Fault
from arena.store.run import Run
from tests.store.blocks import BOTS, make_block, make_header

ILLEGAL, GONE = Fault(1, "illegal", "R99 is no option", 7), Fault(0, "exited", "gone")
KEYS = [
    bytes([first] + [last] * 15) for first in (0x00, 0x0F, 0x10, 0x1A, 0xFF) for last in (0, 255)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with blocks at both ends of what begins alike."""
    folder = tmp_path_factory.mktemp("run")
    with Run.create(folder, make_header()) as run:
        run.add(replace(make_block(n), key=key, seed=n // 2) for n, key in enumerate(KEYS))
    return folder


@given(st.text("01af", max_size=4) | st.sampled_from([key.hex() for key in KEYS]))
@settings(max_examples=60, deadline=None)
def test_packed_games_of_keys_that_begin_alike(folder: Path, digits: str) -> None:
    with Run.open(folder) as run:
        found = list(run.packed_games(digits))
        assert [key for key, _ in found] == [key for key in KEYS if key.hex().startswith(digits)]
        assert all(run.block(key).packed_games == games for key, games in found)


def test_deals(folder: Path) -> None:
    with Run.open(folder) as run:
        assert sorted(run.deal_seeds()) == sorted(n // 2 for n in range(len(KEYS)))


def test_faults_are_counted_by_bot_and_kind(tmp_path: Path) -> None:
    """Bots come as the header has them, and kinds by their names."""
    blocks = [
        make_block(0, bots=BOTS[:3], faults=(ILLEGAL, GONE, ILLEGAL)),
        make_block(1, bots=("eve", "bob", "ann"), faults=(GONE, ILLEGAL)),
        make_block(2, bots=("bob", "cleo", "dan"), faults=(GONE,)),
        make_block(3),
    ]
    with Run.create(tmp_path, make_header(("zoe", *reversed(BOTS)))) as run:
        run.add(blocks)
        found = run.fault_counts()
        assert list(found.items()) == [
            (("eve", "exited"), 1),
            (("bob", "exited"), 1),
            (("bob", "illegal"), 3),
            (("ann", "exited"), 1),
        ]
        assert sum(found.values()) == len(list(run.faults()))


def test_an_empty_run(tmp_path: Path) -> None:
    with Run.create(tmp_path, make_header()) as run:
        assert list(run.packed_games("")) == []
        assert list(run.deal_seeds()) == []
        assert run.fault_counts() == {}
