"""Error texts of SQLite, and runs on full disks, in read-only folders and with damaged files."""

import json
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from arena.store import database
from arena.store.database import WAL_SIZE_LIMIT, BadRun
from arena.store.run import Run
from tests.store.blocks import make_block, make_header
from tests.store.endless_writer import make_numbered_block
from tests.store.unwritable_folders import (
    ROOT,
    mount_small_disk,
    run_unprivileged,
    world_readable_folder,
)

pytestmark = pytest.mark.slow

READ = """
try:
    with Run.open(Path(sys.argv[1])) as run:
        print(json.dumps([run.header.name, len(run.block_keys()), len(list(run.games()))]))
except ArenaError as error:
    print(error)
"""

WRITE = """
try:
    Run.open_for_writing(Path(sys.argv[1]))
except ArenaError as error:
    print(error)
"""


def create_run(folder: Path, blocks: int = 2) -> Path:
    with Run.create(folder, make_header()) as run:
        run.add(make_numbered_block(number) for number in range(blocks))
    return folder


def left_by_a_killed_writer(folder: Path) -> None:
    """A run whose last blocks stand in the log only."""
    before = folder.with_name("before")
    with Run.create(before, make_header()) as run:
        run.add([make_numbered_block(0)])
        shutil.copytree(before, folder)
    assert (folder / "run.db-wal").stat().st_size > 0


def test_a_full_disk(tmp_path: Path) -> None:
    """Nothing of the transaction is there, all before it is, and it goes on when there is room."""
    with Run.create(tmp_path / "run", make_header()) as run:
        run.add([make_numbered_block(0)])
        (pages,) = run.connection.execute("PRAGMA page_count").fetchone()
        run.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(BadRun, match=r"run\.db: the disk is full; free some space and go on"):
            run.add(make_numbered_block(number) for number in range(500))
        assert run.block_keys() == {make_numbered_block(0).key}
        run.connection.execute("PRAGMA max_page_count = 1000000")
        assert run.add(make_numbered_block(number) for number in range(500)) == 499
        assert run.find_problems() == []


def fill(run: Run, safe: list[bytes]) -> None:
    for one in map(make_numbered_block, range(100_000)):
        run.add([one])
        safe.append(one.key)


def test_a_small_disk() -> None:
    with mount_small_disk("1m") as disk, Run.create(disk / "run", make_header()) as run:
        safe: list[bytes] = []
        with pytest.raises(BadRun, match="the disk is full") as caught:
            fill(run, safe)
        assert "\n" not in str(caught.value)
        assert run.block_keys() == set(safe)
        with Run.open(disk / "run") as reader:
            assert reader.block_keys() == run.block_keys()
            assert reader.find_problems() == []


def test_a_disk_too_small_for_a_run() -> None:
    with mount_small_disk("16k") as disk:
        with pytest.raises(BadRun, match=r"full|No space left"):
            Run.create(disk / "run", make_header())
        assert not (disk / "run" / "run.db").exists()


def test_files_that_may_not_grow(tmp_path: Path) -> None:
    folder = create_run(tmp_path / "run")
    writing = (
        "from pathlib import Path; from tests.store.endless_writer import main;"
        f" main(Path({str(folder)!r}), 10)"
    )
    largest = (folder / "run.db").stat().st_size + 200_000
    done = subprocess.run(
        [sys.executable, "-c", writing],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest)),
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("arena.store.database.BadRun: ")
    printed = int(done.stdout.split()[-1])
    with Run.open(folder) as run:
        numbers = {one.number for one in run.games()}
        assert numbers == {0, 1, *range(10, printed)}
        assert run.find_problems() == []


def test_a_read_only_folder() -> None:
    with world_readable_folder() as place:
        folder = create_run(place / "run")
        (folder / "run.lock").chmod(0o444)
        folder.chmod(0o555)
        assert json.loads(run_unprivileged(READ, str(folder))) == ["friday", 2, 6]
        refused = run_unprivileged(WRITE, str(folder))
        assert refused == f"{folder}/run.lock cannot be written: Permission denied"
        folder.chmod(0o755)
        (folder / "run.lock").unlink()
        folder.chmod(0o555)
        refused = run_unprivileged(WRITE, str(folder))
        assert refused == f"{folder}/run.lock cannot be written: Permission denied"
        folder.chmod(0o755)


def test_a_read_only_file() -> None:
    """The lock may be written, but the file may not."""
    with world_readable_folder() as place:
        folder = create_run(place / "run")
        (folder / "run.lock").chmod(0o666)
        folder.chmod(0o555)
        refused = run_unprivileged(WRITE, str(folder))
        assert refused.startswith(f"{folder}/run.db: it cannot be ")
        folder.chmod(0o755)


def test_a_read_only_folder_whose_writer_was_killed() -> None:
    with world_readable_folder() as place:
        folder = place / "run"
        left_by_a_killed_writer(folder)
        folder.chmod(0o555)
        assert json.loads(run_unprivileged(READ, str(folder))) == ["friday", 1, 3]
        folder.chmod(0o755)
        (folder / "run.db-shm").unlink()
        folder.chmod(0o555)
        refused = run_unprivileged(READ, str(folder))
        assert "its writer was killed, and the folder is read-only; copy the folder" in refused
        folder.chmod(0o755)


def test_a_killed_writer(tmp_path: Path) -> None:
    left_by_a_killed_writer(tmp_path / "run")
    for _ in range(2):
        with Run.open(tmp_path / "run") as run:
            assert run.block_keys() == {make_numbered_block(0).key}
    with Run.open_for_writing(tmp_path / "run") as run:
        assert run.add([make_numbered_block(1)]) == 1
    assert not (tmp_path / "run" / "run.db-wal").exists()


def test_a_file_that_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "LOCK_TIMEOUT", 0.05)
    folder = create_run(tmp_path / "run")
    with closing(sqlite3.connect(folder / "run.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with Run.open_for_writing(folder) as run:
            with pytest.raises(BadRun, match="another program holds it locked"):
                run.add([make_block(7)])
            other.execute("ROLLBACK")
            assert run.add([make_block(7)]) == 1


def test_a_file_that_is_not_a_database(tmp_path: Path) -> None:
    folder = create_run(tmp_path / "run")
    (folder / "run.db").write_bytes(b"this was a run once, long ago\n" * 99)
    for use in (Run.open, Run.open_for_writing):
        with pytest.raises(BadRun, match=r"run\.db: it is not the file of a run"):
            use(folder)


def test_a_damaged_file(tmp_path: Path) -> None:
    folder = create_run(tmp_path / "run", 300)
    file = folder / "run.db"
    whole = file.read_bytes()
    file.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(BadRun, match=r"run\.db: it is damaged \(database disk image is malformed"):  # noqa: SIM117
        with Run.open(folder) as run:
            list(run.games())


def test_a_reader_during_writes(tmp_path: Path) -> None:
    """It sees whole blocks, and the same ones however long it looks."""
    with Run.create(tmp_path / "run", make_header()) as writer:
        writer.add([make_numbered_block(0)])
        with Run.open(tmp_path / "run") as reader:
            writer.add([make_numbered_block(1), make_numbered_block(2)])
            assert reader.block_keys() == {make_numbered_block(0).key}
            with Run.open(tmp_path / "run") as later:
                assert len(later.block_keys()) == 3
        assert len(writer.block_keys()) == 3


def test_the_log_is_short_again_when_readers_have_left(tmp_path: Path) -> None:
    """A reader keeps it from being emptied, but it does not stay as long as it was."""
    log = tmp_path / "run" / "run.db-wal"
    with Run.create(tmp_path / "run", make_header()) as writer:
        writer.connection.execute("CREATE TABLE scratch (content BLOB)")
        with Run.open(tmp_path / "run"):
            for _ in range(5):
                writer.connection.execute("INSERT INTO scratch VALUES (zeroblob(5000000))")
            assert log.stat().st_size > 24_000_000
        for _ in range(2):  # the first empties it, the second begins it anew
            writer.add([make_numbered_block(0)])
            writer.connection.execute("INSERT INTO scratch VALUES (zeroblob(5000000))")
        assert log.stat().st_size <= WAL_SIZE_LIMIT


def test_a_writer_closes_while_a_reader_is_open(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", make_header()) as writer:
        writer.add([make_numbered_block(0)])
        reader = Run.open(tmp_path / "run")
        writer.add([make_numbered_block(1)])
    with reader:
        assert reader.block_keys() == {make_numbered_block(0).key}
    with Run.open(tmp_path / "run") as reader:
        assert reader.block_keys() == {make_numbered_block(0).key, make_numbered_block(1).key}


def test_an_unknown_sqlite_error() -> None:
    assert database.error_text(sqlite3.Error("odd")) == "SQLite says: odd"
