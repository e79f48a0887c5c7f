"""`arena replay` shows a recorded game: all of it, a part, one seat's, or a bot's opinion of it."""

import json
import os
import pty
import signal
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.cli.commands.replay import PositionNotFound, find_excerpt
from arena.cli.game_view.event_tracker import Excerpt
from arena.games.replay import replay_game
from arena.referee.faults import Fault
from tests.cli.invoke import invoke_arena
from tests.cli.records import random_record, write_records

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
GAME = random_record("sticheln+hazy", 4, notes={4: "a good lead"})
OTHER = random_record("hat-trick", 5)


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(write_records(tmp_path / "games.jsonl", GAME, OTHER))


def test_the_whole_game(file: str) -> None:
    done = invoke_arena("replay", file)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[:2] == ["game 1 of 2, seed 1", "sticheln+hazy with 4 seats"]
    assert done.stdout.count("━━ Round") == 5
    assert "0 ann  a good lead\n" in done.stdout
    assert "\x1b" not in done.stdout
    assert invoke_arena("replay", file, "--watch").stdout == done.stdout


def test_another_game_and_a_part_of_it(file: str) -> None:
    done = invoke_arena("replay", file, "--game", "2", "--round", "3", "--trick", "11")
    assert done.stdout.startswith("game 2 of 2, seed 1\nhat-trick with 5 seats\n")
    assert "━━ Round 3 of 5, trick 11 ━" in done.stdout
    assert "Round 4" not in done.stdout


def test_one_seat(file: str) -> None:
    done = invoke_arena("replay", file, "--from", "3", "--round", "1")
    assert ", as seat 3 sees it\n" in done.stdout
    assert "designated, face down  3 dan" in done.stdout
    assert "a good lead" not in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--game", "3"], "holds 2 games, there is no game 3"),
        (["--from", "4"], "seats are counted from 0 to 3 in this game, there is no seat 4"),
        (["--bot", "x", "--seat", "9"], "from 0 to 3 in this game, there is no seat 9"),
        (["--bot", "x", "--seat", "0"], "x does not exist"),
        (["--trick", "3"], "which round's trick 3? Say --round as well"),
        (["--seat", "3"], "--bot and --seat go together"),
        (["--json"], "--json goes with --bot"),
        (["--watch", "--events"], "choose one"),
    ],
)
def test_wrong_arguments_are_rejected(file: str, words: list[str], said: str) -> None:
    done = invoke_arena("replay", file, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("round_", "trick", "found"),
    [
        (None, None, Excerpt()),
        (1, None, Excerpt(0)),
        (5, 14, Excerpt(4, 13)),
        (6, None, "this game has 5 rounds, there is no round 6"),
        (0, 1, "this game has 5 rounds, there is no round 0"),
        (2, 15, "round 2 has 14 tricks, there is no trick 15"),
        (2, 0, "round 2 has 14 tricks, there is no trick 0"),
    ],
)
def test_rounds_and_tricks_are_found(
    round_: int | None, trick: int | None, found: Excerpt | str
) -> None:
    steps = list(replay_game(GAME))
    if isinstance(found, Excerpt):
        assert find_excerpt(steps, round_, trick) == found
    else:
        with pytest.raises(PositionNotFound, match=found):
            find_excerpt(steps, round_, trick)


def test_a_bad_record(tmp_path: Path) -> None:
    for bad, said in (
        (replace(GAME, choices=GAME.choices[:9]), "game 1: the choices of this game"),
        (replace(GAME, bots=GAME.bots[:2]), "game 1: 2 bots in 4 seats"),
    ):
        done = invoke_arena("replay", str(write_records(tmp_path / "bad.jsonl", bad)))
        assert (done.exit_code, done.stdout) == (2, "")
        assert said in done.stderr


def test_a_game_that_was_stopped(tmp_path: Path) -> None:
    fault = Fault(2, "illegal", "it is wrong", 9)
    stopped = replace(GAME, choices=GAME.choices[:9], faults=(fault,), stopped=True)
    done = invoke_arena("replay", str(write_records(tmp_path / "stopped.jsonl", stopped)))
    assert done.exit_code == 0
    assert "    2 cleo  ! illegal: it is wrong\n" in done.stdout
    assert "━━ Broken off ━" in done.stdout


def test_events(file: str) -> None:
    done = invoke_arena("replay", file, "--events")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0] == {"step": 0, "round": 0, "trick": None, "event": "round-began", "leader": 0}
    assert lines[-1]["event"] == "ended"
    assert len([line for line in lines if line["event"] == "played"]) == 4 * 14 * 5
    own = invoke_arena(
        "replay", file, "--events", "--from", "2", "--round", "2"
    ).stdout.splitlines()
    assert [json.loads(line) for line in own] == [
        line for line in lines if line["round"] == 1 and 2 in line.get("to", [2])
    ]


@pytest.mark.parametrize(
    ("bot", "status", "said"),
    [
        ("bots/first-legal", 0, "first-legal in seat 1 agrees in "),
        ("tests/misbehaving/illegal.py", 1, "of 75 decisions, 1 fault\n"),
    ],
)
def test_a_bot(file: str, bot: str, status: int, said: str) -> None:
    done = invoke_arena("replay", file, "--bot", str(ROOT / bot), "--seat", "1")
    assert done.exit_code == status, done.stderr
    assert said in done.stdout
    assert "round  trick  kind" in done.stdout


def test_a_bot_in_json(file: str) -> None:
    words = ("--bot", str(ROOT / "bots/first-legal"), "--seat", "3", "--json")
    found = json.loads(invoke_arena("replay", file, *words).stdout)
    answers = found["answers"]
    assert len(answers) == 75
    assert sum(answer["recorded"] == answer["choice"] for answer in answers) == found["agrees"]
    assert answers[0]["recorded"] == GAME.choices[3]


def test_watching_ends_cleanly(file: str) -> None:
    """On a terminal, with Ctrl-C in the middle of a trick."""
    pid, screen = pty.fork()
    if pid == 0:  # the terminal's own process
        os.environ.update(TERM="xterm", COLUMNS="80", PYTHONPATH=str(ROOT))
        words = [sys.executable, "-m", "arena", "replay", file, "--watch", "--speed", "40"]
        os.execv(sys.executable, words)  # noqa: S606 (no shell is wanted)
    seen = b""
    while seen.count(b"\r") - seen.count(b"\r\n") < 3:
        seen += os.read(screen, 65536)
    os.kill(pid, signal.SIGINT)
    try:
        while data := os.read(screen, 65536):
            seen += data
    except OSError:
        pass  # that is how the end of a terminal is read
    os.close(screen)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    assert b"Traceback" not in seen
    assert b"Aborted" not in seen
    assert seen.endswith(b"\r\n")
