"""Blocks: what games came to, and their records in few bytes."""

import zlib

import msgspec
import pytest

from arena.errors import BadRecord
from arena.match.faults import Evidence, Fault
from arena.match.record import deciders
from arena.store.block import Kept, pack, result, unpack
from tests.store.blocks import BOTS, recorded

FAULTS = (
    Fault(2, "illegal", "R99 is no option", 7, Evidence("{}", "R99\x1b[2J\0", "oh\n", 0.5, 0.25)),
    Fault(2, "exited", "it has exited with status 1"),
)


def test_packed_and_unpacked() -> None:
    games = (
        Kept(recorded("sticheln", 5, BOTS[:3])),
        Kept(recorded("stick-em", 5, BOTS[:3], faults=FAULTS), ("", "", "oh\n")),
        Kept(msgspec.structs.replace(recorded("was-sticht", 5, BOTS[:4]), notes={3: "hm ✓"})),
    )
    assert unpack(pack(games)) == games


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"nothing",
        pack([Kept(recorded("sticheln", 5, BOTS[:3]))])[:-5],
        zlib.compress(b"nothing"),
        zlib.compress(msgspec.msgpack.encode([{"record": {}}])),
    ],
    ids=["empty", "no zlib", "cut off", "no msgpack", "no record"],
)
def test_what_is_no_pack(packed: bytes) -> None:
    with pytest.raises(BadRecord, match="the records of a block"):
        unpack(packed)


def test_a_pack_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack([Kept(recorded("sticheln", 5, BOTS[:3]))])
    monkeypatch.setattr("arena.store.block.LARGEST", 1000)
    with pytest.raises(BadRecord, match="too many to be true"):
        unpack(packed)


def test_result() -> None:
    record = recorded("sticheln", 5, BOTS[:3], cpu=10)
    found = result((2, 0, 1), record, list(deciders(record)))
    assert found.seating == (2, 0, 1)
    assert found.points == found.scores == record.scores
    assert found.decisions == (75, 75, 75)
    assert found.cpu == (750, 750, 750)
    assert found.faults == (0, 0, 0)


def test_result_of_one_at_fault() -> None:
    record = recorded("sticheln", 5, BOTS[:3], faults=FAULTS)
    found = result((0, 1, 2), record, list(deciders(record)))
    assert found.scores == record.scores
    assert found.points == (*record.scores[:2], min(record.scores) - 1)
    assert found.ranks[2] == 3
    assert found.faults == (0, 0, 2)
