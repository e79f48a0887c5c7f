"""Killed step by step: a process that forks itself, and each child dies some calls later.

The stride is the number of calls between two kills. It runs as a program: it would not do to fork
a process that runs tests.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from arena.store.block import PlayedBlock
from arena.store.run import Run
from tests.store.blocks import make_block, make_header


def killed_at(step: int, act: Callable[[], None]) -> bool:
    """Do something in a child that is killed at its call of this number; whether it was."""
    child = os.fork()
    if not child:
        calls = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal calls
            calls += event == "c_call"
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(count)
        act()
        sys.setprofile(None)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def creating(folder: Path, stride: int) -> int:
    """Kill it while it makes a run; how often."""

    def act() -> None:
        Run.create(folder, make_header())

    step = 1
    while killed_at(step, act):
        check_created(folder)
        shutil.rmtree(folder, ignore_errors=True)
        step += stride
    return step // stride


def check_created(folder: Path) -> None:
    """There is a whole run, or none; in both cases one can go on."""
    if (folder / "run.db").exists():
        with Run.open(folder) as run:
            assert run.header == make_header()
            assert run.block_keys() == set()
            assert run.find_problems() == []
        assert (folder / "tournament.yaml").read_text() == make_header().text
        Run.open_for_writing(folder).close()
    else:
        Run.create(folder, make_header()).close()


def adding(folder: Path, stride: int) -> int:
    """Kill it while it adds two blocks and says so; how often."""
    first, second, third = (make_block(number) for number in range(3))
    with Run.create(folder, make_header()) as run:
        run.add([first])
    whole = folder.with_name("whole")
    folder.rename(whole)
    acknowledged = folder.with_name("acknowledged")

    def act() -> None:
        with Run.open_for_writing(folder) as run:
            run.add([second, third])
            acknowledged.touch()

    step = 1
    while True:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        acknowledged.unlink(missing_ok=True)
        if not killed_at(step, act):
            return step // stride
        check_added(folder, first, {second.key, third.key}, acknowledged=acknowledged.exists())
        step += stride


def check_added(folder: Path, first: PlayedBlock, added: set[bytes], *, acknowledged: bool) -> None:
    """Earlier blocks and acknowledged ones are there, and everything is consistent."""
    with Run.open(folder) as run:
        done = run.block_keys()
        assert first.key in done
        assert done - {first.key} in (set(), added)
        assert not acknowledged or added < done
        assert run.find_problems() == []
        assert len(list(run.games())) == 3 * len(done)
        assert run.block(first.key) == first
    with Run.open_for_writing(folder) as run:
        assert run.block_keys() == done


if __name__ == "__main__":
    kill_while = {"creating": creating, "adding": adding}[sys.argv[1]]
    print(kill_while(Path(sys.argv[2]), int(sys.argv[3])))
