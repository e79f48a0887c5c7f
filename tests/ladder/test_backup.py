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
from tests.cli.invoke import invoke_arena
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
def test_a_restored_ladder_equals_the_original(
    played_ladder: Ladder, target: Path, name: str
) -> None:
    target = target.with_name(name)
    done = invoke_arena("ladder", "backup", played_ladder.folder, target)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"Wrote {target}: ")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert beside(target) == []
    restored = unpacked(target, target.parent / "restored")
    assert stat.S_IMODE((restored.folder / "run.db").stat().st_mode) == 0o600
    assert (
        factories.ladder_state(restored.folder)["versions"]
        == factories.ladder_state(played_ladder.folder)["versions"]
    )
    with Run.open(restored.folder) as one, Run.open(played_ladder.folder) as other:
        assert list(one.blocks()) == list(other.blocks())
    with Registry.open(restored.folder) as registry:
        assert [restored.load_bot(version).name for version in registry.versions()]
    shown = invoke_arena("ladder", "show", restored.folder).stdout
    assert shown == invoke_arena("ladder", "show", played_ladder.folder).stdout
    factories.add_night(restored)


def test_an_existing_backup_is_replaced_only_on_request(
    played_ladder: Ladder, target: Path
) -> None:
    target.write_text("precious")
    done = invoke_arena("ladder", "backup", played_ladder.folder, target)
    assert done.exit_code == 2
    assert "is there already; name another file, or say --replace" in done.stderr
    assert target.read_text() == "precious"
    assert (
        invoke_arena("ladder", "backup", played_ladder.folder, target, "--replace").exit_code == 0
    )
    assert tarfile.is_tarfile(target)


def test_wrong_arguments_are_rejected(played_ladder: Ladder, target: Path, tmp_path: Path) -> None:
    missing = invoke_arena("ladder", "backup", played_ladder.folder, tmp_path / "none" / "x.tar")
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert "is not a folder; make it first" in missing.stderr
    assert "is not a ladder" in invoke_arena("ladder", "backup", tmp_path, target).stderr
    file = played_ladder.folder / "run.db"
    with file.open("r+b") as stream:
        stream.seek(8192)
        stream.write(os.urandom(4 * 4096))
    damaged = invoke_arena("ladder", "backup", played_ladder.folder, target)
    assert damaged.exit_code == 2
    assert "damaged" in damaged.stderr
    assert beside(target) == []
    assert not target.exists()


def test_a_disk_that_is_full(
    played_ladder: Ladder, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "SPARE_BYTES", 1 << 60)
    with pytest.raises(ArenaError, match=r"only [0-9]+ MiB are free on its disk; it needs"):
        back_up(played_ladder.folder, target)
    assert beside(target) == []


def test_a_version_with_missing_files_is_named(played_ladder: Ladder, target: Path) -> None:
    with Registry.open(played_ladder.folder) as registry:
        digest = registry.versions()[0].digest
    shutil.rmtree(played_ladder.folder / BOTS_FOLDER / digest)
    done = invoke_arena("ladder", "backup", played_ladder.folder, target)
    assert done.exit_code == 0
    assert done.stderr == "Not in it: ann v1, whose files are gone.\n"
    assert unpacked(target, target.parent / "restored").folder.is_dir()


def test_two_backups_into_one_file_at_once(played_ladder: Ladder, target: Path) -> None:
    begun = target.with_name(f"{target.name}.new")
    with (
        FileLock(begun, create_mode=0o600),
        pytest.raises(ArenaError, match="is being written by another process"),
    ):
        back_up(played_ladder.folder, target)
    back_up(played_ladder.folder, target)  # what somebody left who was killed is no obstacle
    assert beside(target) == []


@pytest.mark.slow
def test_while_a_night_goes_on(empty_ladder: Ladder, target: Path) -> None:
    """Every backup verifies; the last one goes on with the night as it was when it was made."""
    for name in ("ann", "bob", "cleo"):
        factories.add_version(empty_ladder, name, owner=name)
    words = [
        "ladder",
        "night",
        str(empty_ladder.folder),
        "--games",
        "1000000",
        "--workers",
        "1",
        "-q",
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "arena", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            sizes = [0]
            for number in range(2):
                wait_for(lambda: size(empty_ladder.folder) > sizes[-1])
                copy = target.with_name(f"{number}.tar")
                back_up(empty_ladder.folder, copy)
                restored = unpacked(copy, target.parent / str(number))
                found = verify_ladder(restored.folder, workers=1)
                assert found.is_correct
                sizes.append(size(restored.folder))
            assert process.poll() is None
        finally:
            process.send_signal(signal.SIGKILL)
    assert sizes == sorted(set(sizes))
    games = sizes[-1] + 6
    ended = invoke_arena("ladder", "night", restored.folder, "--games", games, "--workers", 1)
    assert ended.exit_code == 0, ended.output
    assert "Night 1 of small goes on" in ended.stdout
    assert size(restored.folder) == games


def size(folder: Path) -> int:
    with Run.open(folder) as run:
        return run.game_count()
