"""`arena watch` and `arena serve` as a person starts them: a process that serves until it ends."""

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

LONG = 120.0
"""Seconds that are enough for anything that is waited for."""

PROGRAM = """
import signal
from arena.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
main()
"""
ROOT = Path(__file__).parents[2]


@dataclass
class Answer:
    """What came back."""

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
class Served:
    """Something that is served."""

    process: "subprocess.Popen[str]"
    line: str
    port: int

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> Answer:
        """Ask for a path, exactly as it is given."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body=body, headers=named)
            found = connection.getresponse()
            return Answer(found.status, found.headers, found.read())
        finally:
            connection.close()

    def connect(self) -> socket.socket:
        """A connection for somebody who does not keep to what is usual."""
        return socket.create_connection(("127.0.0.1", self.port), LONG)

    @contextmanager
    def events(self, path: str = "/events", more: str = "") -> Iterator[Iterator[str]]:
        """The lines of a stream of events that are not empty."""
        with self.connect() as listening:
            listening.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{more}\r\n".encode())
            with listening.makefile("r", encoding="utf-8", newline="\n") as lines:
                yield (
                    line.strip() for line in lines if line.startswith(("data", "event", "id", ":"))
                )

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """End it by a signal; its status, and what it wrote to stderr."""
        self.process.send_signal(number)
        _, wrong = self.process.communicate(timeout=LONG)
        return self.process.returncode, wrong


def command(*words: object, before: str = "", name: str = "watch") -> list[str]:
    """The command line, with something done before."""
    return [sys.executable, "-c", before + PROGRAM, name, *map(str, words)]


@contextmanager
def served(
    folder: Path, *words: str, before: str = "", name: str = "watch", log: Path | None = None
) -> Iterator[Served]:
    """A folder on any port that is free; killed at last. Its log is read at its end, or a file."""
    with (
        (log or Path(os.devnull)).open("w") as file,
        subprocess.Popen(
            command(folder, "--port", "0", *words, before=before, name=name),
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
            yield Served(process, line, int(found[1]))
        finally:
            process.kill()


async def take(told: AsyncIterator[str]) -> str:
    """The next thing that is told."""
    return await asyncio.wait_for(anext(told), LONG)
