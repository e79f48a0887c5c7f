"""Whatever is wrong with disks, files and bots: one sentence, no traceback, and the run intact."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from arena.bots.process import KEPT_STDERR_BYTES
from arena.bots.reaper import process_tree
from arena.store.block import unpack_games
from arena.store.run import Run
from tests.bots.leftover_processes import check_no_leftovers
from tests.cli.invoke import invoke_arena
from tests.conftest import MakeOnce
from tests.referee.game_helpers import MISBEHAVING
from tests.tournaments import small_runs
from tests.tournaments.small_runs import ONE_BLOCK, ONE_GAME, TIMEOUT

LONGER: dict[str, Any] = {**ONE_GAME, "deals": 12, "chunk": 2}
"""Changes that leave 12 blocks, in which something can happen.

With each of the 6 chunks the files grow by 25 to 40 kB: run.db and its index have 102 kB at first,
its log has 170 kB at last.
"""

WAIT = 1
"""When a script was last written that stops itself at its first question, until it is resumed."""

BOT = f"""
import json, os, signal, sys
print('{{"type":"ready","games":1000}}', flush=True)
waits = os.stat(__file__).st_mtime == {WAIT}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        if waits:
            os.kill(os.getpid(), signal.SIGSTOP)
            waits = False
        answer = {{"type": "choose", "id": message["id"], "choice": message["options"][-1]}}
        print(json.dumps(answer), flush=True)
"""

EXITS = BOT.replace("print(json.dumps(answer), flush=True)", "sys.exit(3)")

KILLS_ITS_WORKER = """
import os, pathlib, signal, sys
print('{"type":"ready","games":1000}', flush=True)
next(line for line in sys.stdin if "decide" in line)
pid = os.getpid()
for _ in ("reaper", "supervisor", "worker"):
    pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
os.kill(pid, signal.SIGKILL)
"""

FLOODS_AND_FAILS = """
import json, sys
print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        print("x" * 1_000_000, file=sys.stderr, flush=True)
        print('{"type":"choose","id":%d,"choice":"none of them"}' % message["id"], flush=True)
"""


def stopped(coordinator: int) -> list[int]:
    """The bots of a run that have stopped themselves."""
    return [pid for pid in process_tree([coordinator]) if state(pid) == "T"]


def state(pid: int) -> str:
    """The letter by which the kernel shows what a process does; nothing once it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


@contextmanager
def during_a_game(process: subprocess.Popen[str]) -> Iterator[None]:
    """Do something while a bot of a run has stopped itself, which is then resumed."""
    small_runs.wait_for(lambda: stopped(process.pid), process)
    yield
    for pid in stopped(process.pid):
        os.kill(pid, signal.SIGCONT)


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Something is mounted on a folder, where we may do that."""
    folder.mkdir(exist_ok=True)
    tried = subprocess.run(["mount", *options, folder], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("only root may mount a file system, and not in every container")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


Same = Callable[[Path, Path], None]


@pytest.fixture
def in_order(make_once: MakeOnce) -> Same:
    """A run goes on, and ends like one that had no trouble."""

    def check(file: Path, out: Path) -> None:
        small_runs.run_tournament(file, out)
        small_runs.check_whole(file, out)
        undisturbed = (
            make_once(
                "undisturbed", lambda folder: small_runs.invoke_tournament(file, folder / "run")
            )
            / "run"
        )
        assert small_runs.run_contents(out) == small_runs.run_contents(undisturbed)
        assert small_runs.printed_standings(out) == small_runs.printed_standings(undisturbed)

    return check


@pytest.fixture
def tiny(make_once: MakeOnce, tmp_path: Path) -> tuple[Path, Path]:
    """The file of a tournament of one block, and a run of it."""

    def fill(folder: Path) -> None:
        small_runs.invoke_tournament(
            small_runs.write_tournament(folder, **ONE_GAME), folder / "run"
        )

    shutil.copytree(make_once("one block", fill) / "run", tmp_path / "run")
    return small_runs.write_tournament(tmp_path, **ONE_GAME), tmp_path / "run"


def undamaged(out: Path) -> int:
    """How many blocks are there and whole."""
    with closing(sqlite3.connect(f"file:{out / 'run.db'}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return len(small_runs.run_contents(out))


@pytest.mark.slow
def test_a_full_disk(in_order: Same, tmp_path: Path) -> None:
    """It fills up while the run goes on; with more room it goes on."""
    file = small_runs.write_tournament(tmp_path, **LONGER)
    disk = tmp_path / "disk"
    with mounted(disk, "-t", "tmpfs", "-o", "size=200k", "tmpfs"):
        out = disk / "run"
        with check_no_leftovers(TIMEOUT):
            ended = small_runs.run_command("run", file, "--out", out, "--workers", "1")
        small_runs.check_refused(
            ended, out / "run.db", "the disk is full", "nothing that was stored"
        )
        assert 0 < undamaged(out) < 12
        fill(disk / "filler")  # what may have become free when the run ended
        again = small_runs.run_command("run", file, "--out", out, "--workers", "2")
        small_runs.check_refused(again, out)
        assert "full" in again.stderr or "No space left" in again.stderr
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        assert 0 < undamaged(out) < 12
        in_order(file, out)


@pytest.mark.slow
def test_a_disk_that_is_full_from_the_beginning(tmp_path: Path) -> None:
    file = small_runs.write_tournament(tmp_path, **ONE_GAME)
    disk = tmp_path / "disk"
    with mounted(disk, "-t", "tmpfs", "-o", "size=20k", "tmpfs"):
        ended = small_runs.run_command("run", file, "--out", disk / "run")
        small_runs.check_refused(ended, disk / "run", "full")
        subprocess.run(["mount", "-o", "remount,size=1m", disk], check=True)
        small_runs.invoke_tournament(file, disk / "run")
        small_runs.check_whole(file, disk / "run")


@pytest.mark.slow
def test_a_full_disk_takes_no_log(tmp_path: Path) -> None:
    """What cannot be logged is lost; that is no reason to print it all on the screen."""
    script, disk = tmp_path / "exits.py", tmp_path / "disk"
    script.write_text(EXITS)
    os.utime(script, (WAIT, WAIT))
    bots = [script.name, *ONE_BLOCK["bots"][:2]]
    file = small_runs.write_tournament(
        tmp_path, **(ONE_GAME | {"bots": bots, "deals": 4, "chunk": 4})
    )
    with mounted(disk, "-t", "tmpfs", "-o", "size=4m", "tmpfs"):
        out = disk / "run"
        with (
            check_no_leftovers(TIMEOUT),
            small_runs.start_tournament(file, out, workers=1) as process,
        ):
            with during_a_game(process):
                fill(disk / "filler")
                fill(out / "log.txt")  # the rest of its last page
                size = (out / "log.txt").stat().st_size
                os.utime(script)
            ended = small_runs.wait_for_end(process)
        assert (out / "log.txt").stat().st_size == size
        small_runs.check_refused(ended, out / "run.db", "the disk is full")
        (disk / "filler").unlink()
        small_runs.invoke_tournament(file, out)
        small_runs.check_whole(file, out)


def fill(file: Path) -> None:
    """Write until there is no room."""
    with file.open("ab", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(bytes(1 << 12))


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """No file may grow beyond this size in processes that are started meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.soak
def test_a_file_that_cannot_grow(in_order: Same, tmp_path: Path) -> None:
    """As on a disk with a quota."""
    file, out = small_runs.write_tournament(tmp_path, **LONGER), tmp_path / "run"
    small_runs.invoke_tournament(
        small_runs.write_tournament(tmp_path, **(LONGER | {"deals": 1})), out
    )
    small_runs.write_tournament(tmp_path, **LONGER)
    with check_no_leftovers(TIMEOUT), files_up_to(120_000):
        ended = small_runs.run_command("run", file, "--out", out, "--workers", "2")
    small_runs.check_refused(ended, out / "run.db", "nothing that was stored is lost")
    assert 0 < undamaged(out) < 12
    in_order(file, out)


@pytest.mark.slow
def test_a_folder_that_can_only_be_read(tiny: tuple[Path, Path], tmp_path: Path) -> None:
    _, out = tiny
    before = small_runs.printed_standings(out)
    with mounted(out, "--bind", str(out)):
        subprocess.run(["mount", "-o", "remount,ro,bind", out], check=True)
        more = small_runs.write_tournament(tmp_path, **(ONE_GAME | {"deals": 2}))
        small_runs.check_refused(
            in_process("run", more, "--out", out), out, "Read-only file system"
        )
        new = in_process("run", more, "--out", out / "new")
        small_runs.check_refused(new, out / "new", "Read-only file system")
        assert small_runs.printed_standings(out) == before
    small_runs.invoke_tournament(more, out)
    small_runs.check_whole(more, out)


def in_process(*words: str | Path) -> small_runs.CompletedCommand:
    """Run a command that plays nothing, for which no process of its own has to be started."""
    done = invoke_arena(*words, columns=10_000)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return small_runs.CompletedCommand(words, done.exit_code, done.stdout, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("out", ["/proc/nobody/run", "/dev/null/run"])
def test_a_folder_that_cannot_be_made(out: str, tmp_path: Path) -> None:
    ended = in_process("run", small_runs.write_tournament(tmp_path, **ONE_BLOCK), "--out", out)
    small_runs.check_refused(ended, f"{out} cannot be made")


def other_tables(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE something (else_ TEXT)")


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "noise": (lambda file: file.write_bytes(os.urandom(9000)), "not the file of a run"),
    "text": (lambda file: file.write_text("hello\n"), "not the file of a run"),
    "another program's": (other_tables, "not the file of a run"),
    "nothing": (lambda file: file.touch(), "not the file of a run"),
    "a folder": (lambda file: file.mkdir(), "run.db"),
}
"""What stands where a run's file should, and what is said of it."""


@pytest.mark.parametrize(
    "what",
    [
        "noise",
        "a folder",
        pytest.param("text", marks=pytest.mark.slow),
        "nothing",
        "another program's",
    ],
)
def test_a_file_that_is_not_a_database(what: str, tmp_path: Path) -> None:
    file, out = small_runs.write_tournament(tmp_path, **ONE_BLOCK), tmp_path / "run"
    out.mkdir()
    spoil, said = SPOILT[what]
    spoil(out / "run.db")
    before = contents_of(out / "run.db")
    small_runs.check_refused(in_process("run", file, "--out", out), out, said)
    assert contents_of(out / "run.db") == before, "what is there is not ours to change"


def contents_of(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


@pytest.mark.slow
@pytest.mark.parametrize("where", ["beginning", "middle", "end"])
def test_a_damaged_file(where: str, tiny: tuple[Path, Path]) -> None:
    """It is said as soon as it shows."""
    file, out = tiny
    database = out / "run.db"
    stored = database.read_bytes()
    start = {"beginning": 100, "middle": len(stored) // 2, "end": len(stored) - 4096}[where]
    noise = bytes(byte ^ 0x5A for byte in stored[start : start + 4096])
    database.write_bytes(stored[:start] + noise + stored[start + 4096 :])
    ended = in_process("run", file, "--out", out)
    if ended.returncode == 0:  # nothing that had to be read
        ended = in_process("verify", out)
    small_runs.check_refused(ended, database, "damaged")


@pytest.mark.slow
def test_a_folder_with_another_run(tiny: tuple[Path, Path], tmp_path: Path) -> None:
    _, out = tiny
    before = small_runs.run_contents(out)
    other = small_runs.write_tournament(
        tmp_path, **(ONE_GAME | {"variants": "was-sticht", "seed": "other"})
    )
    small_runs.check_refused(in_process("run", other, "--out", out), out, "holds another run")
    assert small_runs.run_contents(out) == before


@pytest.mark.slow
def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    file, out = small_runs.write_tournament(tmp_path, **ONE_GAME), tmp_path / "run"
    (out / "log.txt").mkdir(parents=True)
    small_runs.check_refused(in_process("run", file, "--out", out), out / "log.txt", "directory")
    (out / "log.txt").rmdir()
    small_runs.invoke_tournament(file, out)
    small_runs.check_whole(file, out)


FILES = {
    "name: [": "it is not YAML",
    "": "it has to hold keys",
    "variants: sticheln\nseats: 3\n": "$.bots: the key is missing",
    "variants: stichlen\nseats: 3\nbots: [random]\n": "stichlen",
    "variants: sticheln\nseats: 3\nbots: [random, lowest]\n": "seats",
    "variants: sticheln\nseats: 3\nbots: [random, lowest, nowhere]\n": "nowhere",
    "variants: sticheln\nseats: 3\nbots: [random, lowest, highest]\ndeal: 3\n": "'deals'",
    "variants: sticheln\nseats: 3\nbots: [random, lowest, highest]\ndeals: many\n": "$.deals",
    "variants: sticheln\nseats: 3\nbots: [random, lowest, highest]\nsandbox: bwrap\n": "$.sandbox",
}
"""What is said of each of these files."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, marks=pytest.mark.slow if number > 1 else ())
        for number, text in enumerate(FILES)
    ],
)
def test_a_file_that_is_not_a_tournament(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    small_runs.check_refused(in_process("run", file, "--out", tmp_path / "run"), file, FILES[text])
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nowhere.yaml", "."])
def test_no_file_at_all(name: str, tmp_path: Path) -> None:
    ended = in_process("run", tmp_path / name, "--out", tmp_path / "run")
    assert ended.returncode == 2
    assert str(tmp_path / name) in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_a_bot_that_no_program_runs(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "bot.yaml").write_text("name: broken\nrun: [no-such-program, bot]\n")
    file = small_runs.write_tournament(
        tmp_path, **(ONE_BLOCK | {"bots": ["broken", *ONE_BLOCK["bots"][:2]]})
    )
    ended = small_runs.run_command("run", file, "--out", tmp_path / "run")
    small_runs.check_refused(ended, file, "broken", "no-such-program")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_bot_that_never_starts(tmp_path: Path) -> None:
    """It is found out before anything is played."""
    bots = [str(MISBEHAVING / "exits_at_once.py"), *ONE_BLOCK["bots"][:2]]
    file = small_runs.write_tournament(tmp_path, **(ONE_BLOCK | {"bots": bots}))
    ended = small_runs.run_command("run", file, "--out", tmp_path / "run")
    small_runs.check_refused(ended, "exits_at_once does not start", "exit status 1")


@pytest.mark.slow
def test_a_bot_that_never_gets_through(tmp_path: Path) -> None:
    """It is at fault in all its games, and last; the others play."""
    bots = [str(MISBEHAVING / "exits_again_and_again.py"), *ONE_BLOCK["bots"][:2]]
    file, out = (
        small_runs.write_tournament(tmp_path, **(ONE_BLOCK | {"bots": bots})),
        tmp_path / "run",
    )
    ended = small_runs.run_tournament(file, out)
    assert "exits_again_and_again was at fault" in ended.stdout
    small_runs.check_whole(file, out)
    with Run.open(out) as run:
        (block,) = run.blocks()
    bad = block.bots.index("exits_again_and_again")
    for one in block.results:
        seat = one.seating.index(bad)
        assert one.ranks[seat] == 3
        assert [bool(number) for number in one.faults] == [other == seat for other in range(3)]


@pytest.mark.slow
def test_a_bot_that_is_another_one_all_at_once(tmp_path: Path) -> None:
    """What it plays from then on is not what this version of it plays, so it is not kept."""
    script, out = tmp_path / "bot.py", tmp_path / "run"
    keys = LONGER | {"bots": ["bot.py", *ONE_BLOCK["bots"][:2]]}
    script.write_text(BOT)
    small_runs.invoke_tournament(
        small_runs.write_tournament(tmp_path, **(keys | {"deals": 2})), out
    )
    before = small_runs.run_contents(out)
    file = small_runs.write_tournament(tmp_path, **(keys | {"deals": 4}))
    for change in (Path.unlink, lambda it: it.write_text(BOT.replace("[-1]", "[0]"))):
        os.utime(script, (WAIT, WAIT))
        with check_no_leftovers(TIMEOUT), small_runs.start_tournament(file, out) as process:
            with during_a_game(process):
                change(script)
            ended = small_runs.wait_for_end(process)
        small_runs.check_refused(ended, "bot has changed while it was being played")
        assert small_runs.run_contents(out) == before
        script.write_text(BOT)
    small_runs.run_tournament(file, out)
    small_runs.check_whole(file, out)
    small_runs.invoke_tournament(file, tmp_path / "undisturbed")
    assert small_runs.run_contents(out) == small_runs.run_contents(tmp_path / "undisturbed")
    assert small_runs.printed_standings(out) == small_runs.printed_standings(
        tmp_path / "undisturbed"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tables", "given_up"),
    [
        pytest.param({"tables": {"sample": 2}}, 1, id="two tables"),
        pytest.param({}, 3, id="all tables", marks=pytest.mark.soak),
    ],
)
def test_a_chunk_that_kills_its_worker(
    tables: dict[str, Any], given_up: int, tmp_path: Path
) -> None:
    """It is given up after some tries, and all others are played; without a sandbox a bot can."""
    (tmp_path / "killer.py").write_text(KILLS_ITS_WORKER)
    bots = ["killer.py", *ONE_BLOCK["bots"]]
    changes = ONE_GAME | {"bots": bots, "sandbox": "none", **tables}
    file, out = small_runs.write_tournament(tmp_path, **changes), tmp_path / "run"
    with check_no_leftovers(TIMEOUT):
        ended = small_runs.run_command("run", file, "--out", out, "--workers", "2")
    assert ended.returncode == 1
    assert ended.stderr.startswith("The sandbox is off: ")
    assert ended.stderr.count("\n") == 1
    assert ended.stdout.count("Not played: a chunk of stick-em, 3 seats: worker ") == given_up
    assert "To go on: arena run " in ended.stdout
    (played,) = small_runs.run_contents(out).values()
    assert "killer" not in str(played)


@pytest.mark.slow
@pytest.mark.parametrize("guilty", [False, True])
def test_a_flood_does_not_bloat_the_run(guilty: bool, tmp_path: Path) -> None:
    """Of megabytes on stderr nothing is kept of the innocent, and little of who is at fault."""
    shutil.copy(MISBEHAVING / "floods_stderr.py", tmp_path / "flood.py")
    if guilty:
        (tmp_path / "flood.py").write_text(FLOODS_AND_FAILS)
    bots = ["flood.py", *ONE_BLOCK["bots"][:2]]
    file, out = (
        small_runs.write_tournament(tmp_path, **(ONE_BLOCK | {"bots": bots})),
        tmp_path / "run",
    )
    small_runs.run_tournament(file, out)
    small_runs.check_whole(file, out)
    with Run.open(out) as run:
        (block,) = run.blocks()
    for game in unpack_games(block.packed_games):
        assert bool(game.record.faults) == guilty
        assert bool(game.stderr) == guilty
        assert all(len(said) < 2 * KEPT_STDERR_BYTES + 100 for said in game.stderr)
    assert sum(file.stat().st_size for file in out.iterdir()) < 500_000
