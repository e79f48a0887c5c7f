"""What is left of processes that should be gone: the kernel hands it over to the test."""

import ctypes
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.bots.reaper import PR_SET_CHILD_SUBREAPER, child_pids, process_tree

prctl = ctypes.CDLL(None).prctl


@contextmanager
def check_no_leftovers(seconds: float = 0) -> Iterator[None]:
    """Check that all processes started inside, and their children, are gone at the end.

    What loses its parent becomes a child of ours, in whatever session it hides. It may take so many
    seconds to end, and not even a zombie may be left that its parent should have waited for.
    """
    before = set(child_pids(os.getpid()))
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
        until = time.monotonic() + seconds
        while (left := survivors(before)) and time.monotonic() < until:
            reap(left)
            time.sleep(0.01)
        assert not left, f"still there: {[describe_process(pid) for pid in left]}"
    finally:
        for pid in survivors(before):
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
            reap([pid], 0)
        prctl(PR_SET_CHILD_SUBREAPER, 0)


def survivors(before: set[int]) -> list[int]:
    """Return all descendants of this process that were not there before."""
    return process_tree([pid for pid in child_pids(os.getpid()) if pid not in before])


def reap(pids: list[int], how: int = os.WNOHANG) -> None:
    """Wait for those that were handed to us."""
    for pid in pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, how)


def describe_process(pid: int) -> str:
    """Return the id, state and command line of a process."""
    with suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        argv = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        return f"{pid} {state} {argv}"
    return f"{pid}"
