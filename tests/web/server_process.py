"""`arena watch` and `arena serve` as server processes."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

TIMEOUT = 120.0
"""Seconds that are enough for everything that tests wait for."""

PROGRAM = """
import signal
from arena.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
main()
"""
ROOT = Path(__file__).parents[2]


@dataclass
class Response:
    """The response to a request."""

    status: int
    headers: Message
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.content)


@dataclass
class ServerProcess:
    """A server process with its port."""

    process: "subprocess.Popen[str]"
    line: str
    port: int

    def request(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> Response:
        """Request a path exactly as it is given."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body=body, headers=named)
            found = connection.getresponse()
            return Response(found.status, found.headers, found.read())
        finally:
            connection.close()

    def connect(self) -> socket.socket:
        """Open a raw connection, for requests that no HTTP client would send."""
        return socket.create_connection(("127.0.0.1", self.port), TIMEOUT)

    @contextmanager
    def events(self, path: str = "/events", more: str = "") -> Iterator[Iterator[str]]:
        """Yield the lines of an event stream that are not empty."""
        with self.connect() as listening:
            listening.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{more}\r\n".encode())
            with listening.makefile("r", encoding="utf-8", newline="\n") as lines:
                yield (
                    line.strip() for line in lines if line.startswith(("data", "event", "id", ":"))
                )

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """End it by a signal; return its exit status and stderr."""
        self.process.send_signal(number)
        _, wrong = self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode, wrong


def server_command(*words: object, before: str = "", name: str = "watch") -> list[str]:
    """Return the command line, with Python statements to run before."""
    return [sys.executable, "-c", before + PROGRAM, name, *map(str, words)]


@contextmanager
def start_server(
    folder: Path, *words: str, before: str = "", name: str = "watch", log: Path | None = None
) -> Iterator[ServerProcess]:
    """Serve a folder on a free port; kill the server at the end. Its log may go to a file."""
    with (
        (log or Path(os.devnull)).open("w") as file,
        subprocess.Popen(
            server_command(folder, "--port", "0", *words, before=before, name=name),
            stdout=subprocess.PIPE,
            stderr=file if log else subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=True,
        ) as process,
    ):
        try:
            assert process.stdout
            line = process.stdout.readline()
            found = re.match(r"http://\S+?:(\d+)(/\S*)?/ ", line)
            assert found, process.communicate()
            yield ServerProcess(process, line, int(found[1]))
        finally:
            process.kill()


async def next_event(told: AsyncIterator[str]) -> str:
    """Wait for the next event."""
    return await asyncio.wait_for(anext(told), TIMEOUT)
