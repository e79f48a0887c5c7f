"""A backup of a ladder is whole, also if games are written meanwhile, and can be restored."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.file_lock import FileLock
from arena.ladder import backup
from arena.ladder.backup import back_up
from arena.ladder.folder import BOTS_FOLDER, Ladder, open_ladder
from arena.ladder.registry import Registry
from arena.ladder.verify import verify_ladder
from arena.store.run import Run
from tests.cli.runs import asked
from tests.ladder import factories
from tests.tournaments.small_runs import wait_for

pytestmark = pytest.mark.slow


def unpacked(file: Path, folder: Path) -> Ladder:
    """A backup restored as its help says."""
    folder.mkdir()
    subprocess.run(["tar", "-xf", str(file), "-C", str(folder)], check=True)
    return open_ladder(folder)


def beside(file: Path) -> list[str]:
    """What else is in the folder of a backup."""
    return sorted(path.name for path in file.parent.iterdir() if path != file)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "backups"
    folder.mkdir()
    return folder / "monday.tar.gz"


@pytest.mark.parametrize("name", ["monday.tar", "monday.tar.gz", "a b.tgz"])
def test_what_is_restored_is_what_was_there(seasoned: Ladder, target: Path, name: str) -> None:
    target = target.with_name(name)
    done = asked("ladder", "backup", seasoned.folder, target)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"Wrote {target}: ")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert beside(target) == []
    restored = unpacked(target, target.parent / "restored")
    assert stat.S_IMODE((restored.folder / "run.db").stat().st_mode) == 0o600
    assert (
        factories.left(restored.folder)["versions"] == factories.left(seasoned.folder)["versions"]
    )
    with Run.open(restored.folder) as one, Run.open(seasoned.folder) as other:
        assert list(one.blocks()) == list(other.blocks())
    with Registry.open(restored.folder) as registry:
        assert [restored.load_bot(version).name for version in registry.versions()]
    shown = asked("ladder", "show", restored.folder).stdout
    assert shown == asked("ladder", "show", seasoned.folder).stdout
    factories.night(restored)


def test_one_that_is_there_is_replaced_only_if_asked(seasoned: Ladder, target: Path) -> None:
    target.write_text("precious")
    done = asked("ladder", "backup", seasoned.folder, target)
    assert done.exit_code == 2
    assert "is there already; name another file, or say --replace" in done.stderr
    assert target.read_text() == "precious"
    assert asked("ladder", "backup", seasoned.folder, target, "--replace").exit_code == 0
    assert tarfile.is_tarfile(target)


def test_what_is_wrong(seasoned: Ladder, target: Path, tmp_path: Path) -> None:
    missing = asked("ladder", "backup", seasoned.folder, tmp_path / "none" / "x.tar")
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert "is not a folder; make it first" in missing.stderr
    assert "is not a ladder" in asked("ladder", "backup", tmp_path, target).stderr
    file = seasoned.folder / "run.db"
    with file.open("r+b") as stream:
        stream.seek(8192)
        stream.write(os.urandom(4 * 4096))
    damaged = asked("ladder", "backup", seasoned.folder, target)
    assert damaged.exit_code == 2
    assert "damaged" in damaged.stderr
    assert beside(target) == []
    assert not target.exists()


def test_a_disk_that_is_full(
    seasoned: Ladder, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "SPARE_BYTES", 1 << 60)
    with pytest.raises(ArenaError, match=r"only [0-9]+ MiB are free on its disk; it needs"):
        back_up(seasoned.folder, target)
    assert beside(target) == []


def test_a_version_whose_files_are_gone_is_named(seasoned: Ladder, target: Path) -> None:
    with Registry.open(seasoned.folder) as registry:
        digest = registry.versions()[0].digest
    shutil.rmtree(seasoned.folder / BOTS_FOLDER / digest)
    done = asked("ladder", "backup", seasoned.folder, target)
    assert done.exit_code == 0
    assert done.stderr == "Not in it: ann v1, whose files are gone.\n"
    assert unpacked(target, target.parent / "restored").folder.is_dir()


def test_two_that_write_the_same_file(seasoned: Ladder, target: Path) -> None:
    begun = target.with_name(f"{target.name}.new")
    with (
        FileLock(begun, create_mode=0o600),
        pytest.raises(ArenaError, match="is being written by another process"),
    ):
        back_up(seasoned.folder, target)
    back_up(seasoned.folder, target)  # what somebody left who was killed is no obstacle
    assert beside(target) == []


@pytest.mark.slow
def test_while_a_night_goes_on(bare: Ladder, target: Path) -> None:
    """Every backup verifies; the last one goes on with the night as it was when it was made."""
    for name in ("ann", "bob", "cleo"):
        factories.join(bare, name, owner=name)
    words = ["ladder", "night", str(bare.folder), "--games", "1000000", "--workers", "1", "-q"]
    with subprocess.Popen(
        [sys.executable, "-m", "arena", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            sizes = [0]
            for number in range(2):
                wait_for(lambda: size(bare.folder) > sizes[-1])
                copy = target.with_name(f"{number}.tar")
                back_up(bare.folder, copy)
                restored = unpacked(copy, target.parent / str(number))
                found = verify_ladder(restored.folder, workers=1)
                assert found.is_correct
                sizes.append(size(restored.folder))
            assert process.poll() is None
        finally:
            process.send_signal(signal.SIGKILL)
    assert sizes == sorted(set(sizes))
    games = sizes[-1] + 6
    ended = asked("ladder", "night", restored.folder, "--games", games, "--workers", 1)
    assert ended.exit_code == 0, ended.output
    assert "Night 1 of small goes on" in ended.stdout
    assert size(restored.folder) == games


def size(folder: Path) -> int:
    with Run.open(folder) as run:
        return run.game_count()
