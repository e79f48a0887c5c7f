"""A process that starts Dask nodes by forking: importing Dask takes most of a node's start.

Each line of its input is a request in JSON, and it answers each by a line of JSON.
"""

import json
import os
import sys
from typing import IO

import dask
from distributed.cli import dask_scheduler, dask_worker

from arena.cluster import dask as cluster_dask  # noqa: F401 (a worker imports it for its first order)
from tests.cluster.network import NETWORK, check_result, libc

COMMANDS = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}


def serve(requests: IO[str]) -> None:
    """Start nodes and return their status, until there are no more requests."""
    for line in requests:
        request = json.loads(line)
        if "pid" in request:
            answer = status(request["pid"])
        elif not (answer := os.fork()):
            become(**request)
        print(json.dumps(answer), flush=True)


def status(pid: int) -> int | None:
    """Return the status of a node, or None while it runs."""
    ended, code = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(code) if ended else None


def become(words: list[str], env: dict[str, str], cwd: str, log: str, space: str) -> None:
    """Let this process be a node: in its own session and network, with its own environment."""
    os.setsid()
    if space:
        opened = os.open(space, os.O_RDONLY)
        check_result(libc.setns(opened, NETWORK))
        os.close(opened)
    for place, flags, number in ((os.devnull, os.O_RDONLY, 0), (log, os.O_WRONLY | os.O_APPEND, 1)):
        opened = os.open(place, flags)
        os.dup2(opened, number)
        os.close(opened)
    os.dup2(1, 2)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    # Dask has read its configuration when it was imported, from another environment.
    dask.config.refresh(paths=[env["DASK_CONFIG"]])
    sys.argv = ["dask", *words]
    COMMANDS[words[0]](words[1:])  # raises SystemExit
    raise SystemExit


if __name__ == "__main__":
    serve(sys.stdin)
