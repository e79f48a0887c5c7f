"""A chunk plays every deal in every seating, with processes that never saw it before."""

from pathlib import Path

from arena.bots.bot import find
from arena.bots.launcher import Launcher
from arena.games.catalog import variant
from arena.match.chunk import Chunk, play_chunk
from arena.match.table import Deal
from arena.match.terms import Terms

NOTES_ITS_PROCESS = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","games":8}', flush=True)
    elif message["type"] == "decide":
        answer = {"id": message["id"], "choice": message["options"][0], "note": str(os.getpid())}
        print(json.dumps({"type": "choose", **answer}), flush=True)
"""


def test_every_deal_in_every_seating(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(NOTES_ITS_PROCESS)
    bots = [find(tmp_path / f"{name}.py") for name in ("a", "b", "c")]
    seatings = [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    deals = [Deal(1), Deal(2)]
    chunk = Chunk(variant("sticheln").game(3), bots, seatings, deals)
    processes: dict[tuple[int, ...], set[str]] = {}
    played = []
    with Launcher() as launcher:
        for seating, game in play_chunk(chunk, launcher, Terms()):
            names = [bot.name for bot in game.record.bots]
            assert names == ["abc"[place] for place in seating]
            assert not game.record.faults
            played.append((seating, game.record.seed))
            processes.setdefault(tuple(seating), set()).update(game.record.notes.values())
    assert sorted(played) == sorted((seating, deal.seed) for seating in seatings for deal in deals)
    assert [len(ids) for ids in processes.values()] == [3, 3, 3]
    assert len(set.union(*processes.values())) == 9
