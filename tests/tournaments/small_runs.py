"""Small tournaments of bots that always do the same, played by the command as a person runs it."""

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
from tests.cli.runs import asked
from tests.suite.tools import without_warning

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

TINY: dict[str, Any] = {"seats": 3, "bots": KEYS["bots"][:3], "deals": 1}
"""Changes that leave 3 games in one block."""

BRIEF: dict[str, Any] = {"seating": "random"}
"""One game in each block instead of one for each seat: a third of the bots' processes."""

SINGLE: dict[str, Any] = {**TINY, **BRIEF}
"""Changes that leave one game."""

LONG = 120.0
"""Seconds that are enough for anything that is waited for."""


def write(folder: Path, **changes: Any) -> Path:
    """A tournament's file; a key that is changed to None is left out."""
    keys = {key: value for key, value in (KEYS | changes).items() if value is not None}
    file = folder / "small.yaml"
    file.write_text(yaml.safe_dump(keys))
    return file


Ended = subprocess.CompletedProcess[str]


def arena(*words: str | Path) -> Ended:
    """Run the command to its end."""
    argv = [sys.executable, "-m", "arena", *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, cwd=ROOT)


def run_well(*words: str | Path) -> str:
    """Run the command, which has to succeed; what it prints."""
    done = arena(*words)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


@contextmanager
def begun(file: Path, out: Path, workers: int = 2) -> Iterator[subprocess.Popen[str]]:
    """A tournament that is being played, by a group of processes of its own; killed at last."""
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


def ended(process: subprocess.Popen[str]) -> Ended:
    """Wait for the end of one that was begun."""
    told, wrong = process.communicate(timeout=LONG)
    return Ended(process.args, process.returncode, told, without_warning(wrong))


def played(file: Path, out: Path, workers: int = 2) -> Ended:
    """A tournament that is played to its end, without any trouble."""
    result = arena("run", file, "--out", out, "--workers", str(workers))
    assert (result.returncode, without_warning(result.stderr)) == (0, "")
    return result


def play(file: Path, out: Path) -> None:
    """Play a tournament to its end where the command is not what is tested, which is faster."""
    done = asked("run", file, "--out", out, "--workers", 1)
    assert done.exit_code == 0, (done.stdout, done.exception)
    assert without_warning(done.stderr) == ""


def wait_for(happened: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something has happened, which it has to before the process ends."""
    until = time.monotonic() + LONG
    while not happened():
        assert time.monotonic() < until, "it does not happen"
        assert process is None or process.poll() is None, process and process.communicate()
        time.sleep(0.05)


def command_line(pid: int) -> str:
    """What a process was started with; nothing once it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def started(parents: list[int], what: str) -> list[int]:
    """The children of these processes with this in their command line."""
    return [pid for parent in parents for pid in child_pids(parent) if what in command_line(pid)]


def bots_of(workers: list[int]) -> list[int]:
    """The bots that these workers have started, through supervisors and reapers."""
    reapers = started(started(workers, "arena.bots.supervisor"), "arena.bots.supervisor")
    return started(reapers, "bot.py")


def playing(coordinator: int) -> bool:
    """Whether its workers have started bots by now."""
    return bool(bots_of(started([coordinator], "spawn_main")))


def kept(out: Path) -> int:
    """How many blocks a run has, which may just be written."""
    if not (out / "run.db").exists():
        return 0
    with Run.open(out) as run:
        return len(run.block_keys())


def contents(out: Path) -> dict[bytes, object]:
    """Everything that was played but how long it took."""
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


def printed(out: Path) -> tuple[str, str]:
    """The standings and the crosstable, as programs read them."""
    told = [asked(command, out, "--json") for command in ("standings", "crosstable")]
    assert [(one.exit_code, one.stderr) for one in told] == [(0, "")] * 2
    return told[0].stdout, told[1].stdout


def planned(file: Path) -> set[bytes]:
    """The keys of all blocks that are to be played."""
    plan = Plan(load_tournament(file), SEED)
    return {block.key for chunk in plan.stage_chunks(0, {}) for block in chunk.blocks}


def check_whole(file: Path, out: Path) -> None:
    """A run has every block of its plan once, none came out otherwise, and all can be replayed."""
    with closing(sqlite3.connect(out / "run.db")) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM block")]
        assert len(keys) == len(set(keys))
        assert set(keys) == planned(file)
        assert connection.execute("SELECT count(*) FROM conflict").fetchone() == (0,)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    verified = asked("verify", out, "--quiet", "--workers", 1)
    assert (verified.exit_code, verified.stdout, verified.stderr) == (0, "", "")


class Whole(NamedTuple):
    """A run that nobody has disturbed."""

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
        """What was written and played in a folder."""
        out = folder / "run"
        return cls(folder / "small.yaml", out, contents(out), printed(out))

    def same(self, out: Path) -> None:
        """Another one came to the same, to the last byte."""
        check_whole(self.file, out)
        assert contents(out) == self.contents
        assert printed(out) == self.printed


def check_refused(result: Ended, *parts: str | Path) -> None:
    """It ended with one sentence in which all of this stands."""
    assert "Traceback" not in result.stdout + result.stderr
    assert result.returncode == 2, (result.stdout, result.stderr)
    said = without_warning(result.stderr)
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    for part in parts:
        assert str(part) in said
