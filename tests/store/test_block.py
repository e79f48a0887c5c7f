"""Blocks: what games came to, and their records in few bytes."""

import zlib

import msgspec
import pytest

from arena.errors import BadRecord
from arena.referee.faults import Evidence, Fault
from arena.referee.record import deciders
from arena.store.block import StoredGame, game_result, pack_games, unpack_games
from tests.store.blocks import BOTS, make_record

FAULTS = (
    Fault(2, "illegal", "R99 is no option", 7, Evidence("{}", "R99\x1b[2J\0", "oh\n", 0.5, 0.25)),
    Fault(2, "exited", "it has exited with status 1"),
)


def test_packed_and_unpacked() -> None:
    games = (
        StoredGame(make_record("sticheln", 5, BOTS[:3])),
        StoredGame(make_record("stick-em", 5, BOTS[:3], faults=FAULTS), ("", "", "oh\n")),
        StoredGame(
            msgspec.structs.replace(make_record("was-sticht", 5, BOTS[:4]), notes={3: "hm ✓"})
        ),
    )
    assert unpack_games(pack_games(games)) == games


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"nothing",
        pack_games([StoredGame(make_record("sticheln", 5, BOTS[:3]))])[:-5],
        zlib.compress(b"nothing"),
        zlib.compress(msgspec.msgpack.encode([{"record": {}}])),
    ],
    ids=["empty", "no zlib", "cut off", "no msgpack", "no record"],
)
def test_damaged_packs_are_rejected(packed: bytes) -> None:
    with pytest.raises(BadRecord, match="the records of a block"):
        unpack_games(packed)


def test_a_pack_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack_games([StoredGame(make_record("sticheln", 5, BOTS[:3]))])
    monkeypatch.setattr("arena.store.block.MAX_GAMES_BYTES", 1000)
    with pytest.raises(BadRecord, match="too many to be true"):
        unpack_games(packed)


def test_result() -> None:
    record = make_record("sticheln", 5, BOTS[:3], cpu=10)
    found = game_result((2, 0, 1), record, list(deciders(record)))
    assert found.seating == (2, 0, 1)
    assert found.points == found.scores == record.scores
    assert found.decisions == (75, 75, 75)
    assert found.cpu == (750, 750, 750)
    assert found.faults == (0, 0, 0)


def test_result_of_one_at_fault() -> None:
    record = make_record("sticheln", 5, BOTS[:3], faults=FAULTS)
    found = game_result((0, 1, 2), record, list(deciders(record)))
    assert found.scores == record.scores
    assert found.points == (*record.scores[:2], min(record.scores) - 1)
    assert found.ranks[2] == 3
    assert found.faults == (0, 0, 2)
