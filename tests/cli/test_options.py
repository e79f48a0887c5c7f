"""`--sandbox` and `--build-network`: warnings, errors, and the commands that are printed."""

import json
import sys
from itertools import cycle
from pathlib import Path

import pytest

from tests.cli.invoke import complete, invoke_arena
from tests.cli.records import random_record, write_records
from tests.conftest import RunArena
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow

sandboxed = pytest.mark.needs("sandbox")

TABLE = ("random", "lowest", "highest")
MISSING = "the sandbox needs bubblewrap: run 'apt install bubblewrap' as root\n"
OFF = "The sandbox is off: bots can do whatever you can"

PEEPS = """
import os
import sys

sys.stderr.write(f"is in {os.getcwd()}\\n")
"""

TOURNAMENT = """
name: small
variants: stick-em
seats: 3
bots: [random, lowest, highest]
deals: 1
seating: rotations
"""


def without_bubblewrap(folder: Path) -> dict[str, str]:
    """An environment without bubblewrap."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "python3").symlink_to(sys.executable)
    return {"PATH": str(programs)}


def commands(folder: Path) -> dict[str, list[str]]:
    """The commands that run bots; `replay` needs the file that `play` writes."""
    file = folder / "small.yaml"
    file.write_text(TOURNAMENT)
    run = ["run", str(file), "--out", str(folder / "run"), "--workers", "1", "--json", "--quiet"]
    replay = ["replay", str(folder / "game.jsonl"), "--bot", "random", "--seat", "0", "--json"]
    compare = ["compare", "lowest", "highest", "--seats", "3", "--games", "6", "--workers", "1"]
    return {
        "play": ["play", "sticheln", *TABLE, "--record", str(folder / "game.jsonl"), "--json"],
        "check": ["check", "random", "--variant", "stick-em", "--json"],
        "run": run,
        "compare": [*compare, "--json", "--quiet"],
        "replay": replay,
    }


@pytest.mark.parametrize("names", [("play", "run", "replay"), soak_only((("check", "compare"),))])
def test_missing_bubblewrap_is_reported_once(
    run_arena: RunArena, tmp_path: Path, names: tuple[str, ...]
) -> None:
    environment = without_bubblewrap(tmp_path)
    for name in names:
        done = run_arena(*commands(tmp_path)[name], **environment)
        assert json.loads(done.stdout)
        first, *more = done.stderr.splitlines(keepends=True)
        assert first == f"Bots run without a sandbox: {MISSING}"
        assert not any("sandbox" in line for line in more)


def test_a_sandbox_that_is_not_available(run_arena: RunArena, tmp_path: Path) -> None:
    environment = without_bubblewrap(tmp_path)
    write_records(tmp_path / "game.jsonl", random_record("sticheln", 3))
    levels = cycle(("standard", "strict"))
    for words, level in zip(commands(tmp_path).values(), levels, strict=False):
        done = run_arena(*words, "--sandbox", level, **environment)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"Error: {MISSING}")


@pytest.mark.soak
def test_level_none_is_reported_once(run_arena: RunArena, tmp_path: Path) -> None:
    """By every command; a game and a run are enough for `make test`."""
    environment = without_bubblewrap(tmp_path)
    for words in commands(tmp_path).values():
        done = run_arena(*words, "--sandbox", "none", **environment)
        assert json.loads(done.stdout)
        assert done.stderr.startswith(OFF)
        assert done.stderr.count("sandbox") == 1


def test_a_game_without_sandbox(run_arena: RunArena, tmp_path: Path) -> None:
    done = run_arena("play", "sticheln", *TABLE, "--sandbox", "none", columns=60)
    assert done.returncode == 0
    assert done.stderr.startswith(OFF)
    assert "sandbox" not in done.stdout.partition("Again")[0]
    refused = run_arena("play", "sticheln", *TABLE, "--sandbox", "strict", PATH=str(tmp_path))
    assert (refused.returncode, refused.stdout) == (2, "")


@sandboxed
def test_a_game_in_the_sandbox_prints_no_warning(run_arena: RunArena) -> None:
    done = run_arena("play", "sticheln", *TABLE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--sandbox" not in done.stdout


@sandboxed
@pytest.mark.parametrize("level", ["standard", "none"])
def test_the_bot_runs_inside_the_sandbox(run_arena: RunArena, tmp_path: Path, level: str) -> None:
    (tmp_path / "peeps.py").write_text(PEEPS)
    logs = tmp_path / "logs"
    words = ["play", "sticheln", str(tmp_path / "peeps.py"), *TABLE[1:], "--logs", str(logs)]
    done = run_arena(*words, "--sandbox", level)
    assert done.returncode == 1
    said = (logs / "seat0-peeps.stderr").read_text()
    assert f"is in {'/bot' if level == 'standard' else tmp_path}\n" in said


@sandboxed
@pytest.mark.parametrize(
    ("options", "carried"),
    [
        ([], ""),
        (["--sandbox", "standard"], " --sandbox standard"),
        (["--sandbox", "NONE", "--build-network"], " --sandbox none --build-network"),
        (["--build-network"], " --build-network"),
    ],
)
def test_the_printed_command_has_the_sandbox_options(
    run_arena: RunArena, options: list[str], carried: str
) -> None:
    done = run_arena("play", "sticheln", *TABLE, "--seed", "7", *options)
    assert done.stdout.endswith(f"Again: arena play sticheln {' '.join(TABLE)} --seed 7{carried}\n")


@sandboxed
def test_a_run_records_its_sandbox(run_arena: RunArena, tmp_path: Path) -> None:
    file, out = tmp_path / "small.yaml", str(tmp_path / "run")
    file.write_text(TOURNAMENT)
    words = ["run", str(file), "--out", out, "--workers", "1"]
    done = run_arena(*words, columns=200)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"on 1 core, sandbox standard, into {out}\n" in done.stdout
    game = invoke_arena("games", out, "--limit", "1").stdout.split()[0]
    shown = " ".join(invoke_arena("show", out, game).stdout.split())
    assert "sandbox standard." in shown
    assert "--sandbox" not in shown
    file.write_text(TOURNAMENT.replace("deals: 1", "deals: 2"))
    again = run_arena(*words, "--sandbox", "none", columns=200)
    assert again.returncode == 0
    assert "Since the last time: the sandbox was 'standard' and is now 'none'\n" in again.stdout
    assert again.stderr.startswith(OFF)
    log = (tmp_path / "run" / "log.txt").read_text()
    assert "INFO MainProcess: sandbox standard: 256 MiB and 64 processes for a bot, held by" in log
    assert "INFO MainProcess: sandbox none\n" in log
    every = [invoke_arena("show", out, game).stdout for game in games(out)]
    assert sum(one.rstrip().endswith("--sandbox none") for one in every) == 3
    other = run_arena(*words, "--sandbox", "strict")
    assert other.returncode == 2
    file.write_text(f"{TOURNAMENT}sandbox: {{memory: 128}}\n")
    assert (
        "the limits of 'sandbox' were as usual and are now {memory: 128}"
        in run_arena(*words).stderr
    )


def games(out: str) -> list[str]:
    return [line.split()[0] for line in invoke_arena("games", out).stdout.splitlines()]


def test_a_bot_that_does_not_start_is_checked_the_same_way(
    run_arena: RunArena, tmp_path: Path
) -> None:
    (tmp_path / "dead.py").write_text("raise SystemExit\n")
    file = tmp_path / "small.yaml"
    file.write_text(TOURNAMENT.replace("highest", "dead.py") + "sandbox: none\n")
    done = run_arena("run", str(file), "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert f"'arena check {tmp_path}/dead.py --sandbox none' says more" in done.stderr


def test_replay_without_a_bot_needs_no_sandbox(tmp_path: Path) -> None:
    done = invoke_arena("replay", str(tmp_path / "none.jsonl"), "--sandbox", "strict")
    assert done.exit_code == 2
    assert "--sandbox goes with --bot; else no bot is run." in done.stderr


@pytest.mark.parametrize("command", ["play", "check", "run", "compare", "replay"])
def test_help_and_completion(command: str) -> None:
    told = invoke_arena(command, "--help").stdout
    assert "--sandbox [strict|standard|none]" in told
    assert "--build-network" in told
    words = complete("bash", f"{command} --sandbox s").split()
    assert words == ["plain,strict", "plain,standard"]
    assert "plain,--build-network" in complete("bash", f"{command} --b").split()
