"""More memory than a bot may hold, in a sandbox: who finds out, and what is said of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import Bot, load_bot
from arena.bots.sandbox.limits import ResourceLimits
from arena.bots.sandbox.sandbox import Sandbox
from arena.referee.referee import FinishedGame
from tests.referee.game_helpers import CONFIG, first_option, misbehaving_bot, play_games
from tests.referee.sandboxes import sandbox_with_cgroups, sandbox_without_cgroups

pytestmark = pytest.mark.slow

LIMITS = ResourceLimits(memory=64, entries=200)
SANDBOXES: dict[str, Callable[[ResourceLimits], Sandbox]] = {
    "counted": sandbox_with_cgroups,
    "uncounted": sandbox_without_cgroups,
}
SAID = {
    "counted": "it was killed for holding more than 64 MiB",
    "uncounted": "MiB, 64 MiB are allowed",
}
"""What is said where control groups count, and where the referee looks."""

HOLDS = """
import json, os, pathlib, sys, time
hoard = []
def hold():
    while len(hoard) < 40:
        hoard.append(b"x" * (4 << 20))
        time.sleep(0.005)
    time.sleep(3600)
%s
print('{"type":"ready","games":1}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        before, after = message["id"] == 3, message["id"] == 4
        %s
        answer = {"type": "choose", "id": message["id"], "choice": message["options"][-1]}
        print(json.dumps(answer), flush=True)
        %s
"""

FILLS = """
            for number in range(300): pathlib.Path(f"{place}/{number}").touch()
            time.sleep(3600)
"""


@pytest.fixture(params=SANDBOXES)
def kind(request: pytest.FixtureRequest) -> str:
    """Whether control groups count."""
    return str(request.param)


def holder(folder: Path, start: str = "", before: str = "", after: str = "") -> Bot:
    """A bot that does this at its start, before its third answer, and after its fourth."""
    file = folder / "holder.py"
    nothing = "pass"
    file.write_text(HOLDS % (start, before or nothing, after or nothing))
    return load_bot(file)


def play(one: Bot, kind: str, deals: int = 1) -> list[FinishedGame]:
    """With an innocent bot; nothing that happens is excused as if somebody had done it."""
    sandbox = SANDBOXES[kind](LIMITS)
    terms = replace(CONFIG, sandbox=sandbox, games_at_once=1, allows_excuses=True)
    return play_games([one, misbehaving_bot("innocent"), first_option], deals, terms)


def judge(played: FinishedGame, said: str) -> None:
    (fault,) = played.record.faults
    assert (fault.seat, fault.fault) == (0, "memory")
    assert said in fault.text


def test_too_much_memory_while_asked(kind: str, tmp_path: Path) -> None:
    (played,) = play(holder(tmp_path, before="if before: hold()"), kind)
    judge(played, SAID[kind])


def test_too_much_memory_while_not_asked(kind: str, tmp_path: Path) -> None:
    (played,) = play(holder(tmp_path, after="if after: hold()"), kind)
    judge(played, SAID[kind])


def test_too_much_memory_before_ready(kind: str, tmp_path: Path) -> None:
    """After two such starts it is asked no more."""
    for number, played in enumerate(play(holder(tmp_path, start="hold()"), kind, 3)):
        judge(played, SAID[kind] if number < 2 else "it was retired after 2 faults")


def test_too_much_memory_in_a_child(kind: str, tmp_path: Path) -> None:
    """What belongs to it is held by it."""
    text = "if before: os.fork() or hold(); os.wait(); sys.exit(1)"
    (played,) = play(holder(tmp_path, before=text), kind)
    judge(played, SAID[kind])


def test_less_than_the_sandbox_allows(kind: str) -> None:
    """It is held to what it has asked for."""
    sandbox = SANDBOXES[kind](ResourceLimits(memory=512))
    terms = replace(CONFIG, sandbox=sandbox, games_at_once=1, allows_excuses=True)
    (played,) = play_games(
        [misbehaving_bot("memory_hog"), misbehaving_bot("innocent"), first_option], 1, terms
    )
    judge(played, SAID[kind])


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])  # noqa: S108 (inside)
def test_too_many_files(kind: str, place: str, tmp_path: Path) -> None:
    """Each takes some of the kernel's memory, which no size counts."""
    text = f"place = {place!r}\n        if before:{FILLS}"
    (played,) = play(holder(tmp_path, before=text), kind)
    judge(played, "files and folders, 200 are allowed")


def test_memory_within_the_limit(kind: str) -> None:
    (played,) = play(misbehaving_bot("innocent"), kind)
    assert played.record.faults == ()
