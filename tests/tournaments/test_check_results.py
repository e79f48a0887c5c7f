"""What a worker returns is compared with what was ordered, and replayed."""

import zlib
from collections.abc import Callable
from dataclasses import replace as replaced
from typing import Any

import pytest
from msgspec.structs import replace

from arena.bots.launcher import Launcher
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.referee.faults import Fault
from arena.referee.record import SeatedBot
from arena.store.block import DROPPED_RECORDS, PlayedBlock, StoredGame, pack_games, unpack_games
from arena.tournaments.play.check_results import (
    find_mismatch,
    find_record_mismatch,
    find_replay_error,
)
from arena.tournaments.play.worker import play_chunk
from tests.cluster.chunks import BOTS, LIMITS, make_chunk
from tests.cluster.hostile_worker import forge

CHUNK = make_chunk(2)
NAMES = [bot.name for bot in BOTS]
TABLE = [SeatedBot(bot.name, bot.version) for bot in BOTS]


@pytest.fixture(scope="module")
def blocks() -> list[PlayedBlock]:
    """What an honest worker returns."""
    with Launcher() as launcher:
        return play_chunk(CHUNK, BOTS, launcher, RefereeConfig(LIMITS), lambda: None)


def listed(block: PlayedBlock, **other: Any) -> PlayedBlock:
    """The same block with another first result."""
    first, *rest = block.results
    return replace(block, results=(replace(first, **other), *rest))


def with_changed_records(block: PlayedBlock, **other: Any) -> PlayedBlock:
    """The same block with another first record."""
    first, *rest = unpack_games(block.packed_games)
    return replace(
        block, packed_games=pack_games([StoredGame(replace(first.record, **other)), *rest])
    )


def test_correct_results(blocks: list[PlayedBlock]) -> None:
    assert find_mismatch(CHUNK, NAMES, blocks) == ""
    for block in blocks:
        assert find_record_mismatch(TABLE, block) == ""
        assert find_replay_error(block) == ""


Change = Callable[[PlayedBlock, PlayedBlock], object]
OTHERS: dict[str, tuple[Change, str]] = {
    "nothing": (lambda _one, _two: None, "it is not a list of blocks"),
    "a text": (lambda _one, _two: "blocks", "it is not a list of blocks"),
    "other things": (lambda one, _two: [one, 7], "it is not a list of blocks"),
    "none": (lambda _one, _two: [], "0 blocks came back instead of 2"),
    "one is missing": (lambda one, _two: [one], "1 blocks came back instead of 2"),
    "one too many": (lambda one, two: [one, two, two], "3 blocks came back instead of 2"),
    "one twice": (lambda one, _two: [one, one], "a block came back in place of block"),
    "another order": (lambda one, two: [two, one], "a block came back in place of block"),
    "key": (lambda one, two: [replace(one, key=b"x" * 16), two], "in place of block"),
    "no key": (lambda one, two: [replace(one, key=None), two], "in place of block"),
    "variant": (lambda one, two: [replace(one, variant="stick-em"), two], "its variant is"),
    "seats": (lambda one, two: [replace(one, seats=4), two], "its number of seats is 4"),
    "number": (lambda one, two: [one, replace(two, number=0)], "its number is 0"),
    "deal": (lambda one, two: [replace(one, seed=7), two], "its deal is 7 instead of 100"),
    "bots": (lambda one, two: [replace(one, bots=one.bots[::-1]), two], "its table is"),
    "fewer bots": (lambda one, two: [replace(one, bots=one.bots[:2]), two], "its table is"),
    "no games": (lambda one, two: [replace(one, results=()), two], "it has 0 games"),
    "a game twice": (
        lambda one, two: [replace(one, results=one.results[:1] * 2), two],
        "its seating is (0, 1, 2) instead of (1, 2, 0)",
    ),
    "results of no type": (
        lambda one, two: [replace(one, results=None), two],
        "something in it is of the wrong type",
    ),
    "seating": (lambda one, two: [listed(one, seating=(2, 1, 0)), two], "its seating is"),
    "scores of two": (lambda one, two: [listed(one, scores=(1, 2)), two], "its scores are those"),
    "a score too large": (
        lambda one, two: [listed(one, scores=(1 << 62, 0, 0)), two],
        "its scores are (4611686018427387904, 0, 0)",
    ),
    "a rank of nobody": (lambda one, two: [listed(one, ranks=(0, 1, 2)), two], "its ranks are"),
    "fewer than no faults": (lambda one, two: [listed(one, faults=(-1, 0, 0)), two], "faults are"),
    "time for ever": (lambda one, two: [listed(one, cpu=(1 << 63, 0, 0)), two], "its cpu are"),
    "texts": (lambda one, two: [listed(one, points=("a", "b", "c")), two], "of the wrong type"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_results_of_another_chunk(blocks: list[PlayedBlock], case: str) -> None:
    change, why = OTHERS[case]
    assert why in find_mismatch(CHUNK, NAMES, change(*blocks))


def test_another_cell_or_table(blocks: list[PlayedBlock]) -> None:
    assert find_mismatch(replaced(CHUNK, cell=Cell("sticheln", 4)), NAMES, blocks)
    assert find_mismatch(CHUNK, NAMES[::-1], blocks)


FAULT = Fault(0, "illegal", "no such card", place=0)
RECORDS: dict[str, tuple[Callable[[PlayedBlock], PlayedBlock], str]] = {
    "no records": (lambda one: replace(one, packed_games=pack_games(())), "it has 0 records"),
    "one is missing": (
        lambda one: replace(one, packed_games=pack_games(unpack_games(one.packed_games)[:1])),
        "it has 1 rec",
    ),
    "dropped": (lambda one: replace(one, packed_games=DROPPED_RECORDS), "cannot be read"),
    "no bytes at all": (lambda one: replace(one, packed_games=b""), "cannot be read"),
    "rubbish": (lambda one: replace(one, packed_games=zlib.compress(b"rubbish")), "cannot be read"),
    "cut off": (lambda one: replace(one, packed_games=one.packed_games[:-9]), "cannot be read"),
    "of another deal": (
        lambda one: with_changed_records(one, seed=7),
        "another game or other bots",
    ),
    "another youngest": (
        lambda one: with_changed_records(one, first=1),
        "another game or other bots",
    ),
    "of another variant": (
        lambda one: with_changed_records(one, variant="stick-em"),
        "another game",
    ),
    "stopped": (lambda one: with_changed_records(one, stopped=True), "another game"),
    "another version": (
        lambda one: with_changed_records(
            one, bots=tuple(SeatedBot(bot.name, "old") for bot in BOTS)
        ),
        "another game or other bots",
    ),
    "other scores": (
        lambda one: with_changed_records(one, scores=(9, 9, 9)),
        "not those of its records",
    ),
    "other ranks": (lambda one: listed(one, ranks=(1, 1, 1)), "not those of its records"),
    "other points": (lambda one: listed(one, points=(9, 9, 9)), "not those of its records"),
    "faults that are not listed": (
        lambda one: with_changed_records(one, faults=(FAULT,)),
        "not those of",
    ),
    "faults of nobody": (
        lambda one: with_changed_records(one, faults=(replace(FAULT, seat=-1),)),
        "a fault is in seat -1",
    ),
    "listed faults and other records": (
        lambda one: replace(
            listed(one, faults=(1, 0, 0)),
            packed_games=pack_games([{"record": {"bots": []}}]),  # type: ignore[list-item] # wrong on purpose
        ),
        "cannot be read",
    ),
}


@pytest.mark.parametrize("case", RECORDS)
def test_other_records(blocks: list[PlayedBlock], case: str) -> None:
    change, why = RECORDS[case]
    assert why in find_record_mismatch(TABLE, change(blocks[0]))


def test_forged_games(blocks: list[PlayedBlock]) -> None:
    forged = forge(blocks[0])
    assert find_mismatch(CHUNK, NAMES, [forged, blocks[1]]) == ""
    assert find_record_mismatch(TABLE, forged) == "", "results and records agree"
    assert "replayed, the scores are" in find_replay_error(forged)


@pytest.mark.parametrize(
    "other",
    [
        {"choices": ()},
        {"choices": ("",) * 10_000},
        {"choices": ("\ud800".encode("utf-16", "surrogatepass").decode("latin1"),) * 99},
        {"cpu": (-1,)},
        {"wall": ()},
        {"seats": 0},
        {"variant": "no such game"},
        {"faults": (Fault(99, "illegal", ""),)},
    ],
    ids=str,
)
def test_records_that_cannot_be_replayed(blocks: list[PlayedBlock], other: dict[str, Any]) -> None:
    assert find_replay_error(with_changed_records(blocks[0], **other))


def test_times_count_for_the_results(blocks: list[PlayedBlock]) -> None:
    assert "played again it is" in find_replay_error(listed(blocks[0], cpu=(0, 0, 0)))
