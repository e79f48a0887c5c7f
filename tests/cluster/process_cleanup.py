"""The keeper: ends what a lab has left behind when its process was killed."""

import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from arena.bots.reaper import process_tree, send_signal

MARK_VARIABLE = "STICHKAMPF_LAB"
"""The variable by which all that a lab has started is known, however it detaches itself."""


def find_marked_processes(mark: str) -> list[int]:
    """Return the processes that have a mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended, or is not ours
            if f"{MARK_VARIABLE}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def kill_processes(mark: str, *more: int) -> None:
    """Kill marked and given processes with all descendants, until none is left."""
    quiet = 0
    while quiet < 2:  # a process that is just becoming another program shows no environment
        found = process_tree([*find_marked_processes(mark), *more])
        send_signal(found, signal.SIGKILL)
        more, quiet = (), 0 if found else quiet + 1
        time.sleep(0.01)


def keep(life: int, mark: str) -> None:
    """Wait until the process with the lab is gone, and sweep behind it."""
    poll = select.poll()
    poll.register(life, select.POLLIN)
    poll.poll()
    kill_processes(mark)


if __name__ == "__main__":
    keep(int(sys.argv[1]), sys.argv[2])
