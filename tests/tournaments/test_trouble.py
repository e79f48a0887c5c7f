"""Whatever is wrong with disks, files and bots: one sentence, no traceback, and the run intact."""

import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.bots.stderr import KEPT
from arena.store.block import unpack
from arena.store.run import Run
from tests.bots.survivors import nothing_left
from tests.cli.runs import asked
from tests.conftest import Once
from tests.match.seatings import MISBEHAVING
from tests.tournaments import small
from tests.tournaments.small import LONG, TINY

LONGER: dict[str, Any] = {**TINY, "deals": 16, "chunk": 2}
"""Changes that leave 16 blocks, in which something can happen."""

WAIT = 1
"""When a script was last written that waits for some seconds before its first answer."""

BOT = f"""
import json, os, sys, time
print('{{"type":"ready","games":1000}}', flush=True)
until = time.monotonic() + (5 if os.stat(__file__).st_mtime == {WAIT} else 0)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        time.sleep(max(0, until - time.monotonic()))
        answer = {{"type": "choose", "id": message["id"], "choice": message["options"][-1]}}
        print(json.dumps(answer), flush=True)
"""

KILLS_ITS_WORKER = """
import os, pathlib, signal, sys
print('{"type":"ready","games":1000}', flush=True)
next(line for line in sys.stdin if "decide" in line)
pid = os.getpid()
for _ in ("guard", "warden", "worker"):
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


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Something is mounted on a folder, where we may do that."""
    folder.mkdir(exist_ok=True)
    tried = subprocess.run(["mount", *options, folder], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"nothing can be mounted here: {tried.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


Same = Callable[[Path, Path], None]


@pytest.fixture
def in_order(once: Once) -> Same:
    """A run goes on, and ends like one that had no trouble."""

    def check(file: Path, out: Path) -> None:
        small.played(file, out)
        small.check_whole(file, out)
        undisturbed = once("undisturbed", lambda folder: play(file, folder)) / "run"
        assert small.contents(out) == small.contents(undisturbed)
        assert small.printed(out) == small.printed(undisturbed)

    return check


def play(file: Path, folder: Path) -> None:
    """Play a tournament without any trouble."""
    small.played(file, folder / "run")


@pytest.fixture
def tiny(once: Once, tmp_path: Path) -> tuple[Path, Path]:
    """The file of a tournament of one block, and a run of it."""
    made = once("one block", lambda folder: play(small.write(folder, **TINY), folder))
    shutil.copytree(made / "run", tmp_path / "run")
    return small.write(tmp_path, **TINY), tmp_path / "run"


def undamaged(out: Path) -> int:
    """How many blocks are there and whole."""
    with closing(sqlite3.connect(f"file:{out / 'run.db'}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return len(small.contents(out))


@pytest.mark.slow
def test_a_full_disk(in_order: Same, tmp_path: Path) -> None:
    """It fills up while the run goes on; with more room it goes on."""
    file = small.write(tmp_path, **LONGER)
    disk = tmp_path / "disk"
    with mounted(disk, "-t", "tmpfs", "-o", "size=300k", "tmpfs"):
        out = disk / "run"
        with nothing_left(LONG):
            ended = small.arena("run", file, "--out", out, "--workers", "2")
        small.check_refused(ended, out / "run.db", "the disk is full", "nothing that was stored")
        assert 0 < undamaged(out) < 16
        again = small.arena("run", file, "--out", out, "--workers", "2")
        small.check_refused(again, out)
        assert "full" in again.stderr or "No space left" in again.stderr
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        in_order(file, out)


@pytest.mark.slow
def test_a_disk_that_is_full_from_the_beginning(tmp_path: Path) -> None:
    file = small.write(tmp_path, **TINY)
    disk = tmp_path / "disk"
    with mounted(disk, "-t", "tmpfs", "-o", "size=20k", "tmpfs"):
        ended = small.arena("run", file, "--out", disk / "run")
        small.check_refused(ended, disk / "run", "full")
        subprocess.run(["mount", "-o", "remount,size=1m", disk], check=True)
        small.played(file, disk / "run")
        small.check_whole(file, disk / "run")


@pytest.mark.slow
def test_a_full_disk_takes_no_log(tmp_path: Path) -> None:
    """What cannot be logged is lost; that is no reason to print it all on the screen."""
    bots = [str(MISBEHAVING / "exits_again_and_again.py"), *TINY["bots"][:2]]
    file = small.write(tmp_path, **(TINY | {"bots": bots, "deals": 48, "chunk": 24}))
    disk = tmp_path / "disk"
    with mounted(disk, "-t", "tmpfs", "-o", "size=4m", "tmpfs"):
        out = disk / "run"
        with small.begun(file, out) as process:
            small.wait_for(lambda: size(out / "log.txt") > 200, process)
            fill(disk / "filler")
            ended = small.ended(process)
        small.check_refused(ended, out / "run.db", "the disk is full")
        (disk / "filler").unlink()
        small.played(file, out)
        small.check_whole(file, out)


def size(file: Path) -> int:
    """How long a file is, which may not be there yet."""
    return file.stat().st_size if file.exists() else 0


def fill(file: Path) -> None:
    """Write until there is no room."""
    with file.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(bytes(1 << 12))


@pytest.mark.slow
def test_a_file_that_cannot_grow(in_order: Same, tmp_path: Path) -> None:
    """As on a disk with a quota."""
    file, out = small.write(tmp_path, **LONGER), tmp_path / "run"
    small.played(small.write(tmp_path, **(LONGER | {"deals": 1})), out)
    small.write(tmp_path, **LONGER)

    with nothing_left(LONG), small.begun(file, out) as process:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (200_000, 200_000))
        ended = small.ended(process)
    small.check_refused(ended, out / "run.db", "nothing that was stored is lost")
    assert 0 < undamaged(out) < 16
    in_order(file, out)


@pytest.mark.slow
def test_a_folder_that_can_only_be_read(tiny: tuple[Path, Path], tmp_path: Path) -> None:
    _, out = tiny
    before = small.printed(out)
    with mounted(out, "--bind", str(out)):
        subprocess.run(["mount", "-o", "remount,ro,bind", out], check=True)
        more = small.write(tmp_path, **(TINY | {"deals": 2}))
        small.check_refused(small.arena("run", more, "--out", out), out, "Read-only file system")
        new = small.arena("run", more, "--out", out / "new")
        small.check_refused(new, out / "new", "Read-only file system")
        assert small.printed(out) == before
    small.played(more, out)
    small.check_whole(more, out)


def refused(*words: str | Path) -> small.Ended:
    """Run a command that comes to nothing, for which no process of its own has to be started."""
    done = asked(*words, columns=10_000)
    assert isinstance(done.exception, SystemExit), done.exception
    return small.Ended(words, done.exit_code, done.stdout, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("out", ["/proc/nobody/run", "/dev/null/run"])
def test_a_folder_that_cannot_be_made(out: str, tmp_path: Path) -> None:
    ended = refused("run", small.write(tmp_path, **TINY), "--out", out)
    small.check_refused(ended, f"{out} cannot be made")


def other_tables(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE something (else_ TEXT)")


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "noise": (lambda file: file.write_bytes(os.urandom(9000)), "no run's file"),
    "text": (lambda file: file.write_text("hello\n"), "no run's file"),
    "another program's": (other_tables, "no run's file"),
    "nothing": (lambda file: file.touch(), "no run's file"),
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
def test_a_file_that_is_none(what: str, tmp_path: Path) -> None:
    file, out = small.write(tmp_path, **TINY), tmp_path / "run"
    out.mkdir()
    spoil, said = SPOILT[what]
    spoil(out / "run.db")
    before = contents_of(out / "run.db")
    small.check_refused(refused("run", file, "--out", out), out, said)
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
    ended = small.arena("run", file, "--out", out)
    if ended.returncode == 0:  # nothing that had to be read
        ended = small.arena("verify", out)
    small.check_refused(ended, database, "damaged")


@pytest.mark.slow
def test_a_folder_with_another_run(tiny: tuple[Path, Path], tmp_path: Path) -> None:
    _, out = tiny
    before = small.contents(out)
    other = small.write(tmp_path, **(TINY | {"variants": "was-sticht", "seed": "other"}))
    small.check_refused(small.arena("run", other, "--out", out), out, "holds another run")
    assert small.contents(out) == before


@pytest.mark.slow
def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    file, out = small.write(tmp_path, **TINY), tmp_path / "run"
    (out / "log.txt").mkdir(parents=True)
    small.check_refused(small.arena("run", file, "--out", out), out / "log.txt", "directory")
    (out / "log.txt").rmdir()
    small.played(file, out)
    small.check_whole(file, out)


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
def test_a_file_that_says_no_tournament(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    small.check_refused(refused("run", file, "--out", tmp_path / "run"), file, FILES[text])
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nowhere.yaml", "."])
def test_no_file_at_all(name: str, tmp_path: Path) -> None:
    ended = refused("run", tmp_path / name, "--out", tmp_path / "run")
    assert ended.returncode == 2
    assert str(tmp_path / name) in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_bot_that_no_program_runs(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "bot.yaml").write_text("name: broken\nrun: [no-such-program, bot]\n")
    file = small.write(tmp_path, **(TINY | {"bots": ["broken", *TINY["bots"][:2]]}))
    ended = small.arena("run", file, "--out", tmp_path / "run")
    small.check_refused(ended, file, "broken", "no-such-program")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_bot_that_never_starts(tmp_path: Path) -> None:
    """It is found out before anything is played."""
    bots = [str(MISBEHAVING / "exits_at_once.py"), *TINY["bots"][:2]]
    file = small.write(tmp_path, **(TINY | {"bots": bots}))
    ended = small.arena("run", file, "--out", tmp_path / "run")
    small.check_refused(ended, "exits_at_once does not start", "exit status 1")


@pytest.mark.slow
def test_a_bot_that_never_gets_through(tmp_path: Path) -> None:
    """It is at fault in all its games, and last; the others play."""
    bots = [str(MISBEHAVING / "exits_again_and_again.py"), *TINY["bots"][:2]]
    file, out = small.write(tmp_path, **(TINY | {"bots": bots})), tmp_path / "run"
    ended = small.played(file, out)
    assert "exits_again_and_again was at fault" in ended.stdout
    small.check_whole(file, out)
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
    keys = LONGER | {"bots": ["bot.py", *TINY["bots"][:2]]}
    script.write_text(BOT)
    small.played(small.write(tmp_path, **(keys | {"deals": 2})), out)
    before = small.contents(out)
    file = small.write(tmp_path, **(keys | {"deals": 4}))
    for change in (Path.unlink, lambda it: it.write_text(BOT.replace("[-1]", "[0]"))):
        os.utime(script, (WAIT, WAIT))
        with nothing_left(LONG), small.begun(file, out) as process:
            small.wait_for(partial(small.playing, process.pid), process)
            change(script)
            ended = small.ended(process)
        small.check_refused(ended, "bot has changed while it was being played")
        assert small.contents(out) == before
        script.write_text(BOT)
    small.played(file, out)
    small.check_whole(file, out)
    small.played(file, tmp_path / "undisturbed")
    assert small.contents(out) == small.contents(tmp_path / "undisturbed")
    assert small.printed(out) == small.printed(tmp_path / "undisturbed")


@pytest.mark.slow
def test_a_chunk_that_kills_its_worker(tmp_path: Path) -> None:
    """It is given up after some tries, and all others are played; without a sandbox a bot can."""
    (tmp_path / "killer.py").write_text(KILLS_ITS_WORKER)
    bots = ["killer.py", *TINY["bots"]]
    changes = TINY | {"bots": bots, "sandbox": "none"}
    file, out = small.write(tmp_path, **changes), tmp_path / "run"
    with nothing_left(LONG):
        ended = small.arena("run", file, "--out", out, "--workers", "2")
    assert ended.returncode == 1
    assert ended.stderr.startswith("The sandbox is off: ")
    assert ended.stderr.count("\n") == 1
    assert ended.stdout.count("Not played: a chunk of stick-em, 3 seats: worker ") == 3
    assert "To go on: arena run " in ended.stdout
    (played,) = small.contents(out).values()
    assert "killer" not in str(played)


@pytest.mark.slow
@pytest.mark.parametrize("guilty", [False, True])
def test_a_flood_does_not_bloat_the_run(guilty: bool, tmp_path: Path) -> None:
    """Of megabytes on stderr nothing is kept of the innocent, and little of who is at fault."""
    shutil.copy(MISBEHAVING / "floods_stderr.py", tmp_path / "flood.py")
    if guilty:
        (tmp_path / "flood.py").write_text(FLOODS_AND_FAILS)
    bots = ["flood.py", *TINY["bots"][:2]]
    file, out = small.write(tmp_path, **(TINY | {"bots": bots})), tmp_path / "run"
    small.played(file, out)
    small.check_whole(file, out)
    with Run.open(out) as run:
        (block,) = run.blocks()
    for game in unpack(block.kept):
        assert bool(game.record.faults) == guilty
        assert bool(game.stderr) == guilty
        assert all(len(said) < 2 * KEPT + 100 for said in game.stderr)
    assert sum(file.stat().st_size for file in out.iterdir()) < 500_000
