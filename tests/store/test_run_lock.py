"""Only one process at a time writes a run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.store.database import BadRun
from arena.store.run import Run
from tests.store.blocks import make_header
from tests.store.unwritable_folders import ROOT

HOLDS = "import sys, pathlib; from arena.store.run import Run; {}; print(1, flush=True); input()"
WRITES = "run = Run.open_for_writing(pathlib.Path(sys.argv[1]))"
FORKS = (
    f"{WRITES}\nimport os, time\n"
    "if not os.fork(): time.sleep(600); os._exit(0)\n"
    "print(1, flush=True); os.kill(os.getpid(), 9)"
)


@contextmanager
def running(program: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that writes a run; in the end kill it with the processes it has started."""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(folder)],
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


def test_a_second_writer_is_told_the_process_of_the_first(tmp_path: Path) -> None:
    Run.create(tmp_path, make_header()).close()
    with running(HOLDS.format(WRITES), tmp_path) as first:
        text = f"this run is being played by process {first.pid}; wait or stop it"
        with pytest.raises(BadRun, match=text):
            Run.open_for_writing(tmp_path)
        with Run.open(tmp_path) as run:
            assert run.block_keys() == set()
    Run.open_for_writing(tmp_path).close()


def test_a_second_writer_in_one_process(tmp_path: Path) -> None:
    with Run.create(tmp_path, make_header()):
        for use in (Run.open_for_writing, lambda folder: Run.create(folder, make_header())):
            with pytest.raises(BadRun, match=f"played by process {os.getpid()};"):
                use(tmp_path)
    Run.open_for_writing(tmp_path).close()


def test_a_child_does_not_hold_it(tmp_path: Path) -> None:
    """Otherwise a run could not be resumed while a process that it started is still there."""
    Run.create(tmp_path, make_header()).close()
    program = f"import sys, pathlib; from arena.store.run import Run; {FORKS}"
    with running(program, tmp_path) as killed:
        killed.wait()
        until = time.monotonic() + 60
        while True:  # until the child has closed the lock
            try:
                Run.open_for_writing(tmp_path).close()
                break
            except BadRun:
                assert time.monotonic() < until
                time.sleep(0.02)


def test_a_lock_file_that_names_no_process(tmp_path: Path) -> None:
    with Run.create(tmp_path, make_header()):
        (tmp_path / "run.lock").write_text("")
        with pytest.raises(BadRun, match="played by process unknown"):
            Run.open_for_writing(tmp_path)
