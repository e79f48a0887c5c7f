"""Dask nodes that `node_server` has forked, used as if they were processes of our own."""

import json
import os
import subprocess
import time
from typing import Any


class ForkedNode:
    """A node that the server has started, used as if it were a `Popen`."""

    def __init__(self, server: subprocess.Popen[str], **node: Any) -> None:
        self.server = server
        self.returncode: int | None = None
        self.pid: int = self.ask(node)

    def ask(self, request: dict[str, Any]) -> Any:
        """Return the answer of the server."""
        assert self.server.stdin
        assert self.server.stdout
        self.server.stdin.write(json.dumps(request) + "\n")
        self.server.stdin.flush()
        answer = self.server.stdout.readline()
        assert answer, "the node server has ended"
        return json.loads(answer)

    def poll(self) -> int | None:
        """Return its status, or None while it runs."""
        if self.returncode is None:
            self.returncode = self.ask({"pid": self.pid})
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait for its end; return its status."""
        until = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.02)
        return status

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:  # until then the server keeps its number reserved
            os.kill(self.pid, number)
