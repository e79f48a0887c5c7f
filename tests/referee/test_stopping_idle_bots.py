"""Bots that nobody asks anything are stopped, if that is wanted, and play as well as before."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.sandbox.limits import ResourceLimits
from arena.bots.sandbox.sandbox import Sandbox
from arena.protocol.messages import Limits as Clock
from arena.referee.config import RefereeConfig
from tests.referee.game_helpers import CONFIG, Seats, first_option, misbehaving_bot, play_games
from tests.referee.sandboxes import sandbox_with_cgroups, sandbox_without_cgroups
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow

STOPPED: dict[str, Callable[[], Sandbox]] = {
    "by its group": lambda: sandbox_with_cgroups(ResourceLimits(), stopped=True),
    "by signals, in a sandbox": lambda: sandbox_without_cgroups(ResourceLimits(), stopped=True),
    "by signals": lambda: Sandbox(stops_idle_bots=True),
}
KINDS = STOPPED | {"not at all": Sandbox}

PONDERS = """
import json, os, select, time
print('{"type":"ready","games":1}', flush=True)
rest = b""
def unused():
    ran, waited, _ = map(int, open("/proc/self/schedstat").read().split())
    return time.monotonic_ns() - ran - waited
since = unused()
while True:
    while not select.select([0], [], [], 0)[0]: pass
    if not (more := os.read(0, 65536)): break
    *lines, rest = (rest + more).split(b"\\n")
    for message in map(json.loads, lines):
        if message["type"] == "decide":
            answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
            answer["note"] = str(unused() - since)
            since = unused()
            print(json.dumps(answer), flush=True)
"""
"""Never sleeps. It notes for how many ns it neither ran nor waited for a core: it was stopped."""

DAWDLES = """
import json, sys, time
print('{"type":"ready","games":1}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        if message["id"] < 10:
            time.sleep(0.2)
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
"""


def terms(kind: str) -> RefereeConfig:
    """Much time, in which bots are stopped like this."""
    clock = Clock(start=10.0, move=10.0, bank=0.0, wall=60.0)
    return replace(CONFIG, limits=clock, sandbox=KINDS[kind](), games_at_once=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bot_that_ponders(kind: str, tmp_path: Path) -> None:
    """It waits for another bot again and again, and uses the time unless it is stopped."""
    (tmp_path / "ponders.py").write_text(PONDERS)
    (tmp_path / "dawdles.py").write_text(DAWDLES)
    seats: Seats = [
        load_bot(tmp_path / "ponders.py"),
        load_bot(tmp_path / "dawdles.py"),
        first_option,
    ]
    (played,) = play_games(seats, 1, terms(kind))
    assert played.record.faults == ()
    stopped = sorted(int(note) for note in played.record.notes.values())
    assert (stopped[-3] > 100_000_000) == (kind in STOPPED), "nanoseconds"


@pytest.fixture(scope="module")
def free() -> list[tuple[str, ...]]:
    """What is chosen where nobody is stopped."""
    return [
        game.record.choices
        for game in play_games(trio(), 8, replace(terms("not at all"), games_at_once=8))
    ]


def trio() -> Seats:
    """Three bots that can be stopped."""
    return [
        misbehaving_bot("innocent"),
        misbehaving_bot("leaves_children"),
        misbehaving_bot("slow_reader"),
    ]


@pytest.mark.parametrize(
    ("kind", "at_once", "deals"),
    [
        *((kind, 1, 1) for kind in STOPPED),
        ("by its group", 8, 8),
        *(soak_only((kind, 1, 8)) for kind in STOPPED),
        *(soak_only((kind, 8, 8)) for kind in STOPPED if kind != "by its group"),
    ],
)
def test_the_same_games(kind: str, at_once: int, deals: int, free: list[tuple[str, ...]]) -> None:
    stopped = play_games(trio(), deals, replace(terms(kind), games_at_once=at_once))
    assert [game.record.choices for game in stopped] == free[:deals]
    assert not any(game.record.faults for game in stopped)


@pytest.mark.parametrize("name", ["exits_again_and_again", "exits_when_not_asked"])
@pytest.mark.parametrize("kind", STOPPED)
def test_faults_are_found_as_before(kind: str, name: str) -> None:
    seats: Seats = [misbehaving_bot(name), misbehaving_bot("innocent"), first_option]
    played = play_games(seats, 2, terms(kind))
    assert played[0].record.faults[0].fault == "exited"
