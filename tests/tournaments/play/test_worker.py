"""A chunk of the plan becomes blocks, played by real processes."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.referee.record import deciders, verify_record
from arena.store.block import game_result, unpack_games
from arena.tournaments.plan.blocks import Chunk, PlannedBlock
from arena.tournaments.play.worker import play_chunk

BOTS = [
    load_bot(Path(name)) for name in ("highest", "lowest", "first-legal", "last-legal", "ducker")
]
SEATINGS = ((0, 1, 2), (2, 0, 1))
CHUNK = Chunk(
    Cell("sticheln", 3),
    (4, 0, 3),
    (
        PlannedBlock(b"a" * 16, 0, 11, SEATINGS),
        PlannedBlock(b"b" * 16, 1, 12, ((1, 0, 2), (0, 2, 1))),
    ),
)


def test_every_block_has_its_games() -> None:
    games = 0

    def tick() -> None:
        nonlocal games
        games += 1

    with Launcher() as launcher:
        blocks = play_chunk(CHUNK, BOTS, launcher, RefereeConfig(), tick)
    assert games == 4
    assert [(block.key, block.number, block.seed) for block in blocks] == [
        (block.key, block.number, block.seed) for block in CHUNK.blocks
    ]
    for planned, block in zip(CHUNK.blocks, blocks, strict=True):
        assert block.bots == ("ducker", "highest", "last-legal")
        assert tuple(one.seating for one in block.results) == planned.seatings
        for one, kept in zip(block.results, unpack_games(block.packed_games), strict=True):
            verify_record(kept.record)
            assert kept.record.seed == block.seed
            assert [bot.name for bot in kept.record.bots] == [block.bots[at] for at in one.seating]
            assert one == game_result(one.seating, kept.record, tuple(deciders(kept.record)))
            assert one.points == one.scores
            assert sum(one.decisions) == len(kept.record.choices)
            assert kept.stderr == ()


@pytest.mark.slow
def test_stderr_of_games_without_faults_is_dropped(tmp_path: Path) -> None:
    """Games without a fault keep nothing of stderr, from their end on and not from the chunk's."""
    (tmp_path / "loud.py").write_text(
        "import json, sys\n"
        'print(\'{"type":"ready"}\', flush=True)\n'
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'decide':\n"
        "        print('x' * 4000, file=sys.stderr, flush=True)\n"
        "        first = message['options'][0]\n"
        "        answer = {'type': 'choose', 'id': message['id'], 'choice': first}\n"
        "        print(json.dumps(answer), flush=True)\n"
    )
    loud = load_bot(tmp_path / "loud.py")
    bots = [replace(loud, name=f"loud {number}") for number in range(3)]
    blocks = tuple(
        PlannedBlock(bytes([number]) * 16, number, number, SEATINGS) for number in range(8)
    )
    held: list[int] = []

    def tick() -> None:
        held.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        with Launcher() as launcher:
            play_chunk(
                replace(CHUNK, table=(0, 1, 2), blocks=blocks),
                bots,
                launcher,
                RefereeConfig(),
                tick,
            )
    finally:
        tracemalloc.stop()
    assert len(held) == 16
    assert held[-1] - held[3] < 12 * 3 * 10_000, "32 KiB of each bot and game would be more"


@pytest.mark.parametrize("guilty", [0, 1, 2])
def test_a_bot_at_fault_gets_less_than_the_lowest_score(tmp_path: Path, guilty: int) -> None:
    (tmp_path / "guilty.py").write_text(
        "import sys\n"
        'print(\'{"type":"ready"}\', flush=True)\n'
        "for line in sys.stdin:\n"
        "    print('no JSON', flush=True)\n"
        "    print('my words', file=sys.stderr, flush=True)\n"
    )
    bots = [load_bot(tmp_path / "guilty.py"), *BOTS[:2]]
    table = (0, 1, 2)
    seating = tuple((place - guilty) % 3 for place in range(3))
    chunk = replace(CHUNK, table=table, blocks=(PlannedBlock(b"c" * 16, 0, 5, (seating,)),))
    with Launcher() as launcher:
        (block,) = play_chunk(chunk, bots, launcher, RefereeConfig(), lambda: None)
    (one,) = block.results
    assert seating[guilty] == 0
    assert one.points[guilty] == min(one.scores) - 1
    assert one.ranks[guilty] == 3
    assert one.faults[guilty] > 0
    assert sum(one.faults) == one.faults[guilty]
    (kept,) = unpack_games(block.packed_games)
    assert "my words" in kept.stderr[guilty]
