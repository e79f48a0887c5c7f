"""Locks on files and folders between processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.file_lock import FileLock, LockHeld

ROOT = Path(__file__).parents[1]
IMPORTS = "import os, pathlib, sys, time; from arena.file_lock import FileLock\n"
READY = "\nprint(1, flush=True); input()"


@contextmanager
def holder(text: str, file: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that locks a file; in the end it is killed with those that it has started."""
    with subprocess.Popen(
        [sys.executable, "-c", f"{IMPORTS}{text}", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "1\n"
            yield process
        finally:
            with suppress(ProcessLookupError):  # all of them have ended
                os.killpg(process.pid, signal.SIGKILL)


def locking(words: str, after: str = READY) -> str:
    """A program that locks the file of its argument."""
    return f"lock = FileLock(pathlib.Path(sys.argv[1]){words}){after}"


def lock_soon(file: Path) -> None:
    """Lock a file as soon as it is free, without queuing for it."""
    until = time.monotonic() + 60
    while True:
        try:
            FileLock(file).close()
        except LockHeld:
            assert time.monotonic() < until
            time.sleep(0.02)
        else:
            return


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "some.lock"


def test_the_holder_is_named(file: Path) -> None:
    with holder(locking(", create_mode=0o600"), file) as first:
        with pytest.raises(LockHeld, match=f"locked by process {first.pid}") as held:
            FileLock(file, create_mode=0o600)
        assert held.value.holder == str(first.pid)
    with FileLock(file, create_mode=0o600):
        assert file.read_text() == f"{os.getpid()}\n"


def test_a_process_that_is_killed_holds_nothing(file: Path) -> None:
    with holder(locking(", create_mode=0o600"), file) as first:
        first.kill()
        first.wait()
        FileLock(file, create_mode=0o600).close()


def test_twice_in_one_process(file: Path) -> None:
    with FileLock(file, create_mode=0o600) as lock:
        with pytest.raises(LockHeld, match=f"process {os.getpid()}"):
            FileLock(file, create_mode=0o600)
        lock.close()
        with FileLock(file, create_mode=0o600):
            lock.close()
            with pytest.raises(LockHeld):
                FileLock(file, create_mode=0o600)


def test_a_file_that_names_no_holder(file: Path) -> None:
    with FileLock(file, create_mode=0o600):
        file.write_text("")
        with pytest.raises(LockHeld, match="process unknown"):
            FileLock(file, create_mode=0o600)


def test_a_folder(tmp_path: Path) -> None:
    with holder(locking(""), tmp_path), pytest.raises(LockHeld, match="process unknown"):
        FileLock(tmp_path)
    FileLock(tmp_path).close()


def test_a_file_with_content_is_left_as_it_is(file: Path) -> None:
    file.write_text("content")
    with FileLock(file), pytest.raises(LockHeld):
        FileLock(file)
    assert file.read_text() == "content"


def test_readers_share_a_lock(file: Path) -> None:
    with holder(locking(", create_mode=0o600, shared=True"), file):
        FileLock(file, shared=True).close()
        assert file.read_text() == ""
        with pytest.raises(LockHeld):
            FileLock(file)
    with holder(locking(", create_mode=0o600"), file), pytest.raises(LockHeld):
        FileLock(file, shared=True)


def test_waiting(file: Path) -> None:
    with FileLock(file, create_mode=0o600) as lock:
        waiting = locking(", create_mode=0o600, wait=True", "")
        with holder(f"print(1, flush=True); {waiting}; print(2, flush=True)", file) as second:
            with pytest.raises(subprocess.TimeoutExpired):
                second.wait(1)
            lock.close()
            assert second.communicate(timeout=60)[0] == "2\n"


@pytest.mark.parametrize(
    "words", [", create_mode=0o600", ", create_mode=0o600, wait=True", ", create_mode=0o644"]
)
def test_a_child_does_not_hold_an_exclusive_lock(file: Path, words: str) -> None:
    forks = (
        "\nif not os.fork(): time.sleep(600); os._exit(0)"
        "\nprint(1, flush=True); os.kill(os.getpid(), 9)"
    )
    with holder(locking(words, forks), file) as first:
        first.wait()
        lock_soon(file)  # the child has to come so far as to close it


def test_a_child_holds_a_shared_lock(file: Path) -> None:
    forks = "\nif not os.fork(): print(1, flush=True); time.sleep(600)\nos.kill(os.getpid(), 9)"
    with holder(locking(", create_mode=0o600, shared=True", forks), file) as first:
        first.wait()
        with pytest.raises(LockHeld):
            FileLock(file)


def test_a_program_inherits_nothing(file: Path) -> None:
    starts = (
        "\nimport subprocess; subprocess.Popen(['sleep', '600'], close_fds=False)"
        "\nprint(1, flush=True); os.kill(os.getpid(), 9)"
    )
    with holder(locking(", create_mode=0o600, shared=True", starts), file) as first:
        first.wait()
        lock_soon(file)


def test_a_link_is_not_followed(tmp_path: Path, file: Path) -> None:
    target = tmp_path / "target"
    target.write_text("content")
    file.symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"):
        FileLock(file, create_mode=0o600)
    assert target.read_text() == "content"


def test_missing_files(file: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileLock(file)
    with pytest.raises(FileNotFoundError):
        FileLock(file / "some.lock", create_mode=0o600)
