"""Small tournaments of deterministic bots, played by the command."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

import yaml

from arena.bots.reaper import child_pids
from arena.store.block import unpack_games
from arena.store.run import Run
from arena.tournaments.config.tournament import load_tournament
from arena.tournaments.plan.plan import Plan
from tests.cli.invoke import invoke_arena
from tests.suite.tools import strip_sandbox_warning

ROOT = Path(__file__).parents[2]

SEED = "a secret of the tests"
KEYS: dict[str, Any] = {
    "name": "small",
    "seed": SEED,
    "variants": "stick-em",
    "seats": [3, 4],
    "bots": ["ladder:ducker", "ladder:first-legal", "ladder:lowest", "ladder:random"],
    "deals": 4,
    "seating": "rotations",
    "chunk": 2,
    "clock": {"start": 60, "move": 60, "bank": 60, "wall": 600},
}
"""64 games in 20 blocks, some seconds of play; no clock runs out on a busy machine."""

ONE_BLOCK: dict[str, Any] = {"seats": 3, "bots": KEYS["bots"][:3], "deals": 1}
"""Changes that leave 3 games in one block."""

ONE_GAME_A_BLOCK: dict[str, Any] = {"seating": "random"}
"""One game in each block instead of one for each seat: a third of the bots' processes."""

ONE_GAME: dict[str, Any] = {**ONE_BLOCK, **ONE_GAME_A_BLOCK}
"""Changes that leave one game."""

TIMEOUT = 120.0
"""Seconds that are enough for anything that is waited for."""


def write_tournament(folder: Path, **changes: Any) -> Path:
    """Write a tournament's file; a key that is changed to None is left out."""
    keys = {key: value for key, value in (KEYS | changes).items() if value is not None}
    file = folder / "small.yaml"
    file.write_text(yaml.safe_dump(keys))
    return file


CompletedCommand = subprocess.CompletedProcess[str]


def run_command(*words: str | Path) -> CompletedCommand:
    """Run `arena` in a subprocess to its end."""
    argv = [sys.executable, "-m", "arena", *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, cwd=ROOT)


def check_command(*words: str | Path) -> str:
    """Run `arena` in a subprocess, check that it succeeds, and return its output."""
    done = run_command(*words)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


@contextmanager
def start_tournament(file: Path, out: Path, workers: int = 2) -> Iterator[subprocess.Popen[str]]:
    """Start `arena run` in a process group of its own, and kill it at the end."""
    words = "run", str(file), "--out", str(out), "--workers", str(workers)
    with subprocess.Popen(
        [sys.executable, "-m", "arena", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_end(process: subprocess.Popen[str]) -> CompletedCommand:
    """Wait for the end of a started tournament."""
    told, wrong = process.communicate(timeout=TIMEOUT)
    return CompletedCommand(process.args, process.returncode, told, strip_sandbox_warning(wrong))


def run_tournament(file: Path, out: Path, workers: int = 2) -> CompletedCommand:
    """Play a tournament in a subprocess, and check that it succeeds."""
    result = run_command("run", file, "--out", out, "--workers", str(workers))
    assert (result.returncode, strip_sandbox_warning(result.stderr)) == (0, "")
    return result


def invoke_tournament(file: Path, out: Path) -> None:
    """Play a tournament in this process, which is faster, and check that it succeeds."""
    done = invoke_arena("run", file, "--out", out, "--workers", 1)
    assert done.exit_code == 0, (done.stdout, done.exception)
    assert strip_sandbox_warning(done.stderr) == ""


def wait_for(happened: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Wait until a condition holds; the process must not end before."""
    until = time.monotonic() + TIMEOUT
    while not happened():
        assert time.monotonic() < until, "it does not happen"
        assert process is None or process.poll() is None, process and process.communicate()
        time.sleep(0.05)


def command_line(pid: int) -> str:
    """Return the command line of a process; empty after its end."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def find_children(parents: list[int], what: str) -> list[int]:
    """Return the children of these processes whose command line contains this text."""
    return [pid for parent in parents for pid in child_pids(parent) if what in command_line(pid)]


def bots_of(workers: list[int]) -> list[int]:
    """Return the bot processes of these workers."""
    reapers = find_children(
        find_children(workers, "arena.bots.supervisor"), "arena.bots.supervisor"
    )
    return find_children(reapers, "bot.py")


def is_playing(coordinator: int) -> bool:
    """Whether the workers of a coordinator have started bots."""
    return bool(bots_of(find_children([coordinator], "spawn_main")))


def count_blocks(out: Path) -> int:
    """Return the number of blocks of a run; 0 before it is created."""
    if not (out / "run.db").exists():
        return 0
    with Run.open(out) as run:
        return len(run.block_keys())


def run_contents(out: Path) -> dict[bytes, object]:
    """Return everything that was played, without times."""
    with Run.open(out) as run:
        return {
            block.key: (
                (block.variant, block.seats, block.number, block.seed, block.bots),
                [
                    (one.seating, one.scores, one.ranks, one.points, one.faults, one.decisions)
                    for one in block.results
                ],
                [
                    (game.record.seed, game.record.choices)
                    for game in unpack_games(block.packed_games)
                ],
            )
            for block in run.blocks()
        }


def printed_standings(out: Path) -> tuple[str, str]:
    """Return the standings and the crosstable as JSON."""
    told = [invoke_arena(command, out, "--json") for command in ("standings", "crosstable")]
    assert [(one.exit_code, one.stderr) for one in told] == [(0, "")] * 2
    return told[0].stdout, told[1].stdout


def planned_keys(file: Path) -> set[bytes]:
    """Return the keys of all planned blocks."""
    plan = Plan(load_tournament(file), SEED)
    return {block.key for chunk in plan.stage_chunks(0, {}) for block in chunk.blocks}


def check_whole(file: Path, out: Path) -> None:
    """Check that a run has every planned block once, without conflicts, and can be verified."""
    with closing(sqlite3.connect(out / "run.db")) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM block")]
        assert len(keys) == len(set(keys))
        assert set(keys) == planned_keys(file)
        assert connection.execute("SELECT count(*) FROM conflict").fetchone() == (0,)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    verified = invoke_arena("verify", out, "--quiet", "--workers", 1)
    assert (verified.exit_code, verified.stdout, verified.stderr) == (0, "", "")


class UndisturbedRun(NamedTuple):
    """An uninterrupted run to compare others with."""

    file: Path
    out: Path
    contents: dict[bytes, object]
    printed: tuple[str, str]

    @property
    def seating(self) -> str:
        """How its blocks are seated."""
        return load_tournament(self.file).seating

    @property
    def games(self) -> int:
        """How many games it has."""
        with Run.open(self.out) as run:
            return len(list(run.games()))

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Read the run in a folder."""
        out = folder / "run"
        return cls(folder / "small.yaml", out, run_contents(out), printed_standings(out))

    def check_same(self, out: Path) -> None:
        """Check that another run has the same results, to the last byte."""
        check_whole(self.file, out)
        assert run_contents(out) == self.contents
        assert printed_standings(out) == self.printed


def check_refused(result: CompletedCommand, *parts: str | Path) -> None:
    """Check that a command failed with one sentence that contains these texts."""
    assert "Traceback" not in result.stdout + result.stderr
    assert result.returncode == 2, (result.stdout, result.stderr)
    said = strip_sandbox_warning(result.stderr)
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    for part in parts:
        assert str(part) in said
