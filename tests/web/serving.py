"""`arena watch` as a person starts it: a process that serves a run until it is ended."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path

LONG = 60.0
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


@dataclass
class Served:
    """A run that is served."""

    process: "subprocess.Popen[str]"
    line: str
    port: int

    def ask(self, path: str, method: str = "GET", **headers: str) -> Answer:
        """Ask for a path, exactly as it is given."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers=named)
            found = connection.getresponse()
            return Answer(found.status, found.headers, found.read())
        finally:
            connection.close()

    @contextmanager
    def events(self) -> Iterator[Iterator[str]]:
        """The lines of the stream of events that are not empty."""
        with socket.create_connection(("127.0.0.1", self.port), LONG) as listening:
            listening.sendall(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            with listening.makefile("r", encoding="utf-8", newline="\n") as lines:
                yield (line.strip() for line in lines if line.startswith(("data", ":")))

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """End it by a signal; its status, and what it wrote to stderr."""
        self.process.send_signal(number)
        _, wrong = self.process.communicate(timeout=LONG)
        return self.process.returncode, wrong


def command(*words: object, before: str = "") -> list[str]:
    """The command line, with something done before."""
    return [sys.executable, "-c", before + PROGRAM, "watch", *map(str, words)]


@contextmanager
def served(folder: Path, *words: str) -> Iterator[Served]:
    """A run on any port that is free; killed at last."""
    with subprocess.Popen(
        command(folder, "--port", "0", *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout
            line = process.stdout.readline()
            found = re.match(r"http://\S+?:(\d+)/ ", line)
            assert found, process.communicate()
            yield Served(process, line, int(found[1]))
        finally:
            process.kill()
