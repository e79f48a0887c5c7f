"""A chunk plays every deal in every seating, with processes that never saw it before."""

from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launcher import Launcher
from arena.errors import BotKilled, HarnessFailure
from arena.games.catalog import variant
from arena.referee.config import RefereeConfig
from arena.referee.live_game import Deal
from arena.referee.record import deciders
from arena.tournaments.play.worker import SeatedDeals, play_deals

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

KILLS = """
import os, sys
print('{"type":"ready"}', flush=True)
input(), input()
os.kill(os.%s(), 9)
sys.stdin.read()
"""


def test_every_deal_in_every_seating(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(NOTES_ITS_PROCESS)
    bots = [load_bot(tmp_path / f"{name}.py") for name in ("a", "b", "c")]
    deals = [Deal(1), Deal(2)]
    turns = [[(0, 1, 2), (2, 1, 0)], [(2, 0, 1), (1, 0, 2)], [(1, 2, 0), (0, 2, 1)]]
    chunk = SeatedDeals(variant("sticheln").game(3), bots, deals, turns)
    processes: dict[tuple[int, str], set[str]] = {}
    played = []
    with Launcher() as launcher:
        for turn, number, game in play_deals(chunk, launcher, RefereeConfig()):
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


def killing(whom: str, folder: Path) -> SeatedDeals:
    """A chunk with a bot that kills a process of this number in the midst of a game."""
    (folder / "gone.py").write_text(KILLS % whom)
    bots = [load_bot(folder / "gone.py"), *[load_bot(Path("first-legal"))] * 2]
    return SeatedDeals(variant("sticheln").game(3), bots, [Deal(1)], [[(0, 1, 2)]])


@pytest.mark.parametrize("excuse", [True, False])
def test_a_bot_that_kills_itself_is_not_excused(*, excuse: bool, tmp_path: Path) -> None:
    with Launcher() as launcher:
        chunk = killing("getpid", tmp_path)
        ((_, _, game),) = play_deals(chunk, launcher, RefereeConfig(allows_excuses=excuse))
    assert {(fault.seat, fault.fault) for fault in game.record.faults} == {(0, "exited")}


@pytest.mark.parametrize(
    ("paying", "excused"),
    [(set(), True), ({"first-legal"}, True), ({"first-legal", "gone"}, False)],
)
def test_each_bot_has_excuses_of_its_own(paying: set[str], excused: bool, tmp_path: Path) -> None:
    """That another one has used up its own changes nothing; without any the chunk just fails."""
    terms = RefereeConfig(allows_excuses=True, bots_without_excuses=frozenset(paying))
    with Launcher() as launcher, pytest.raises(HarnessFailure) as failed:
        list(play_deals(killing("getppid", tmp_path), launcher, terms))
    assert isinstance(failed.value, BotKilled) == excused


@pytest.mark.parametrize(("excuse", "kind"), [(True, BotKilled), (False, HarnessFailure)])
def test_a_killed_sandbox_is_not_a_fault(
    *, excuse: bool, kind: type[Exception], tmp_path: Path
) -> None:
    """Without a sandbox a bot can reach its reaper; in one only other programs can."""
    with (
        Launcher() as launcher,
        pytest.raises(kind, match="gone was killed with its sandbox or its reaper"),
    ):
        list(
            play_deals(killing("getppid", tmp_path), launcher, RefereeConfig(allows_excuses=excuse))
        )
