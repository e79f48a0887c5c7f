"""A chunk plays every deal in every seating, with processes that never saw it before."""

from pathlib import Path

import pytest

from arena.bots.bot import find
from arena.bots.launcher import Launcher
from arena.bots.process import Process
from arena.errors import HarnessFailure, Killed
from arena.games.catalog import variant
from arena.match.chunk import Chunk, play_chunk
from arena.match.record import deciders
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

KILLS_ITSELF = """
import os
print('{"type":"ready"}', flush=True)
input(), input()
os.kill(os.getpid(), 9)
"""


def test_every_deal_in_every_seating(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(NOTES_ITS_PROCESS)
    bots = [find(tmp_path / f"{name}.py") for name in ("a", "b", "c")]
    deals = [Deal(1), Deal(2)]
    turns = [[(0, 1, 2), (2, 1, 0)], [(2, 0, 1), (1, 0, 2)], [(1, 2, 0), (0, 2, 1)]]
    chunk = Chunk(variant("sticheln").game(3), bots, deals, turns)
    processes: dict[tuple[int, str], set[str]] = {}
    played = []
    with Launcher() as launcher:
        for turn, number, game in play_chunk(chunk, launcher, Terms()):
            record = game.record
            names = [bot.name for bot in record.bots]
            assert names == ["abc"[place] for place in turns[turn][number]]
            assert record.seed == deals[number].seed
            assert not record.faults
            assert game.deciders == tuple(deciders(record))
            played.append((turn, number))
            for place, note in record.notes.items():
                processes.setdefault((turn, names[game.deciders[place]]), set()).add(note)
    assert sorted(played) == [(turn, number) for turn in range(3) for number in range(2)]
    assert [len(numbers) for numbers in processes.values()] == [1] * 9
    assert len(set.union(*processes.values())) == 9


def test_a_kill_that_was_not_ours_is_excused_or_charged(tmp_path: Path) -> None:
    (tmp_path / "gone.py").write_text(KILLS_ITSELF)
    bots = [find(tmp_path / "gone.py"), *[find(Path("first-legal"))] * 2]
    chunk = Chunk(variant("sticheln").game(3), bots, [Deal(1)], [[(0, 1, 2)]])
    with Launcher() as launcher:
        with pytest.raises(HarnessFailure, match="gone was killed by SIGKILL"):
            list(play_chunk(chunk, launcher, Terms(excuse=True)))
        ((_, _, game),) = play_chunk(chunk, launcher, Terms())
    assert {(fault.seat, fault.fault) for fault in game.record.faults} == {(0, "exited")}


@pytest.mark.parametrize(
    ("paying", "pays"), [(set(), False), ({"first-legal"}, False), ({"first-legal", "gone"}, True)]
)
def test_each_bot_has_excuses_of_its_own(
    paying: set[str], pays: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That another one has used up its own makes nobody pay."""
    monkeypatch.setattr(Process, "killed", lambda _: True)  # as if the machine had no memory left
    (tmp_path / "gone.py").write_text(KILLS_ITSELF)
    bots = [find(tmp_path / "gone.py"), *[find(Path("first-legal"))] * 2]
    chunk = Chunk(variant("sticheln").game(3), bots, [Deal(1)], [[(0, 1, 2)]])
    terms = Terms(excuse=True, paying=frozenset(paying))
    with Launcher() as launcher:
        if pays:
            ((_, _, game),) = play_chunk(chunk, launcher, terms)
            assert {fault.seat for fault in game.record.faults} == {0}
        else:
            with pytest.raises(Killed) as killed:
                list(play_chunk(chunk, launcher, terms))
            assert killed.value.bot == "gone"
