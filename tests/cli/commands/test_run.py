"""`arena run` plays a tournament and says what came of it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.bots.reaper import process_tree
from tests.bots.leftover_processes import check_no_leftovers, describe_process
from tests.cli.invoke import invoke_arena
from tests.conftest import RunArena
from tests.suite.stages import soak_only
from tests.suite.tools import strip_sandbox_warning
from tests.tournaments.small_runs import TIMEOUT, wait_for

pytestmark = pytest.mark.slow

ILLEGAL = str(Path(__file__).parents[2] / "misbehaving" / "illegal.py")
TOURNAMENT = """
name: small
seed: {seed}
variants: sticheln
seats: 3
bots: [lowest, highest, {bots}]
seating: rotations
deals: {deals}
clock: {{wall: {wall}}}
"""


def file(
    folder: Path,
    *,
    seed: str = "a seed that is long enough",
    bots: str = "random",
    deals: int = 1,
    wall: int = 30,
) -> Path:
    written = folder / "small.yaml"
    written.write_text(TOURNAMENT.format(seed=seed, bots=bots, deals=deals, wall=wall))
    return written


def test_from_a_file_to_standings(run_arena: RunArena, tmp_path: Path) -> None:
    out, small = tmp_path / "run", str(file(tmp_path, bots="ducker, random"))
    done = run_arena("run", small, "--out", str(out), "--workers", "2")
    assert (done.returncode, strip_sandbox_warning(done.stderr)) == (0, "")
    assert "small: 4 bots, 4 tables, 4 blocks, 12 games, on 2 cores" in done.stdout
    assert re.search(r"^12 games in \d+:\d\d", done.stdout, re.MULTILINE)
    for bot in ("ducker", "lowest", "highest", "random"):
        assert bot in done.stdout
    assert sorted(path.name for path in out.iterdir() if "db-" not in path.name) == [
        "log.txt",
        "run.db",
        "run.lock",
        "tournament.yaml",
    ]
    assert "3 games in" in (out / "log.txt").read_text()
    again = run_arena("run", small, "--out", str(out), "--json", "--quiet")
    assert again.returncode == 0
    assert json.loads(again.stdout)["overall"]["games"] == 12
    assert "Nothing was left to play: 4 blocks, 12 games are kept." in again.stderr


@pytest.mark.slow
def test_the_default_folder_and_faults(run_arena: RunArena, tmp_path: Path) -> None:
    done = run_arena("run", str(file(tmp_path, bots=ILLEGAL)), folder=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "runs" / "small" / "run.db").is_file()
    assert "illegal was at fault: see arena games runs/small --fault" in done.stdout
    assert "faults" in done.stdout


@pytest.mark.slow
def test_a_seed_that_can_be_guessed_is_warned_of(run_arena: RunArena, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    done = run_arena("run", str(file(tmp_path, seed="7")), "--out", out)
    assert "short enough to be guessed" in done.stdout


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"deals": "many"}, "small.yaml: $.deals: expected int, got str"),
        ({"dealz": "3"}, "there is no key 'dealz'; did you mean 'deals'?"),
        ({"bots": "[random, lowest]"}, "seats"),
        ({"bots": "[random, lowest, ./none.py]"}, "none.py"),
    ],
)
def test_errors_are_reported_before_the_first_game(
    tmp_path: Path, change: dict[str, str], said: str
) -> None:
    written = file(tmp_path)
    text = written.read_text()
    for key, value in change.items():
        text = "\n".join(line for line in text.splitlines() if not line.startswith(f"{key}:"))
        text += f"\n{key}: {value}\n"
    written.write_text(text)
    done = invoke_arena("run", str(written), "--out", str(tmp_path / "run"))
    assert done.exit_code == 2
    assert said in done.stderr.replace("\n", " ")
    assert not (tmp_path / "run").exists()


def test_a_bot_that_does_not_start_is_reported_before_the_first_game(
    run_arena: RunArena, tmp_path: Path
) -> None:
    (tmp_path / "dead.py").write_text("import nothing_of_that_name\n")
    done = run_arena("run", str(file(tmp_path, bots="dead.py")), "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert strip_sandbox_warning(done.stderr).startswith("Error: dead does not start: ")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_variant_that_a_bot_does_not_play_is_reported(
    run_arena: RunArena, tmp_path: Path
) -> None:
    (tmp_path / "picky.py").write_text(
        'print(\'{"type":"ready","variants":["hat-trick"]}\', flush=True)\ninput()\n'
    )
    done = run_arena("run", str(file(tmp_path, bots="picky.py")), "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    said = strip_sandbox_warning(done.stderr)
    assert said.startswith("Error: picky says that it does not play sticheln; 'arena check")


@pytest.mark.slow
def test_strict_stops_at_the_first_fault(run_arena: RunArena, tmp_path: Path) -> None:
    written = file(tmp_path, bots=ILLEGAL)
    written.write_text(written.read_text() + "faults: strict\n")
    done = run_arena("run", str(written), "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "illegal is at fault (illegal: 'Z99' is none of the options)" in said
    command = said.partition("see it with: arena ")[2].split()
    assert command[-1] == "--strict"
    assert "fault illegal  illegal" in run_arena(*command, columns=200).stdout


@pytest.mark.slow
def test_two_parts_become_one_run(run_arena: RunArena, tmp_path: Path) -> None:
    whole, merged = str(tmp_path / "whole"), str(tmp_path / "merged")
    small = str(file(tmp_path, deals=2))
    assert run_arena("run", small, "--out", whole, "--quiet").returncode == 0
    parts = [str(tmp_path / part) for part in ("one", "two")]
    for number, part in enumerate(parts, 1):
        assert run_arena("run", small, "--out", part, "--part", f"{number}/2").returncode == 0
    assert invoke_arena("merge", *parts, "-o", merged).exit_code == 0
    assert (
        invoke_arena("standings", merged, "--json").stdout
        == invoke_arena("standings", whole, "--json").stdout
    )


@pytest.mark.slow
@pytest.mark.parametrize("part", ["0/2", "3/2", "1", "x/y"])
def test_invalid_parts(tmp_path: Path, part: str) -> None:
    done = invoke_arena("run", str(file(tmp_path)), "--part", part)
    assert done.exit_code == 2
    assert "is no part; say 1/2 for the first of two" in done.stderr


@contextmanager
def start_run(folder: Path, **keys: Any) -> Iterator[subprocess.Popen[str]]:
    """A run that goes on, in a session of its own; nothing may be left of it."""
    command = [sys.executable, "-m", "arena", "run", str(file(folder, **keys)), "--out", "run"]
    with (
        check_no_leftovers(TIMEOUT),
        subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        yield process


def interrupt(process: subprocess.Popen[str]) -> int:
    """Send what Ctrl-C sends to all processes of a terminal; the status that comes of it."""
    os.killpg(process.pid, signal.SIGINT)
    _, wrong = process.communicate(timeout=TIMEOUT)
    assert "Traceback" not in wrong
    assert "Fatal" not in wrong
    return process.returncode


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.4, *map(soak_only, (0.1, 0.2, 0.8, 1.6))])
def test_ctrl_c_while_processes_start(tmp_path: Path, seconds: float) -> None:
    """Also the processes that are just starting get the signal."""
    with start_run(tmp_path, deals=2) as process:
        assert process.stdout
        assert process.stdout.readline().startswith("small: ")  # after which it starts workers
        time.sleep(seconds)
        assert interrupt(process) in {0, 130}


@pytest.mark.slow
def test_ctrl_c_before_the_first_game(tmp_path: Path) -> None:
    """While it waits for a bot that has an hour for the first message and does not answer it."""
    (tmp_path / "silent.py").write_text("input()\nimport time\ntime.sleep(600)\n")
    with start_run(tmp_path, bots="silent.py", wall=3600) as process:
        wait_for(
            lambda: any(
                "silent.py" in describe_process(pid) for pid in process_tree([process.pid])
            ),
            process,
        )
        assert interrupt(process) == 130
    assert not (tmp_path / "run").exists()
