"""A player: a process of a worker that plays chunks on a core of its own, and ends with it."""

import fcntl
import logging
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import gettempdir
from typing import IO

from arena.bots.affinity import pin
from arena.bots.bare import FIND, PACKAGES
from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.cluster.messages import Logged
from arena.match.terms import Terms
from arena.tournaments.backend import Failed, News, Task, Ticked
from arena.tournaments.local import SILENCE, ending
from arena.tournaments.worker import Pulse, Setup, deaf, perform

CHILD = "from arena.cluster.player import main; main()"

LOOK = 0.5
"""Seconds between two looks at whether a chunk is still wanted."""


@dataclass(frozen=True)
class Piece:
    """A chunk to be played, by whom, and on which terms."""

    task: Task
    bots: Sequence[Bot]
    terms: Terms


Hear = Callable[[Ticked | Logged], None]
Wanted = Callable[[], bool]


class Player:
    """A player as its worker sees it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.process = subprocess.Popen(  # noqa: S603 (it is our own)
                [sys.executable, "-P", "-c", FIND + CHILD, str(theirs.fileno()), PACKAGES],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            self.pipe = Connection(ours.detach())

    def play(self, piece: Piece, hear: Hear, wanted: Wanted) -> News:
        """Play a chunk to its end, unless nobody wants it any more or the process hangs."""
        number, heard = piece.task.number, time.monotonic()
        try:
            self.pipe.send(piece)
            while True:
                if self.pipe.poll(LOOK):
                    news: News | Logged = self.pipe.recv()
                    heard = time.monotonic()
                    if not isinstance(news, Ticked | Logged):
                        return news
                    hear(news)
                elif time.monotonic() - heard > SILENCE:
                    self.close()
                    return Failed(number, f"a player said nothing for {SILENCE:.0f} s")
                if not wanted():
                    self.close()
                    return Failed(number, "nobody wants it any more")
        except (EOFError, OSError):
            self.close()
            return Failed(number, f"a player died ({ending(self.process.returncode)})")

    @property
    def alive(self) -> bool:
        """Whether it can play again."""
        return not self.pipe.closed and self.process.poll() is None

    def close(self) -> None:
        """End it, and with it all bots that it has launched."""
        self.pipe.close()
        self.process.kill()
        self.process.wait()


def main() -> None:
    """Play what comes through the socket whose number is the argument."""
    line = int(sys.argv[1])
    deaf()
    threading.Thread(target=end_with, args=(line,), daemon=True).start()
    voice = Voice(Connection(line))
    ours = logging.getLogger("arena")
    ours.setLevel(logging.INFO)
    ours.addHandler(Teller(voice))
    with ExitStack() as stack:
        claim(stack)
        serve(voice, stack.enter_context(ExitStack()))


def end_with(line: int) -> None:
    """Wait until the other end of a socket is closed, then end at once."""
    waiting = select.poll()
    waiting.register(line, select.POLLRDHUP)
    waiting.poll()
    os._exit(1)


def claim(stack: ExitStack) -> None:
    """Keep to a core that no other player of this machine has, if there is one."""
    for number, core in enumerate(sorted(os.sched_getaffinity(0))):
        try:
            held = stack.enter_context(opened(core))
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # another player has it, or somebody has put something else there
            continue
        pin(number)
        return


def opened(core: int) -> IO[str]:
    """The file that whoever plays on a core has locked."""
    file = Path(gettempdir(), f"stichkampf-{os.geteuid()}-core-{core}")
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(file, flags, 0o600), "w")


class Voice:
    """A way to the worker that more than one thread may use."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.lock = threading.Lock()

    def send(self, news: News | Logged) -> None:
        """Say something."""
        with self.lock:
            self.pipe.send(news)


class Teller(logging.Handler):
    """Tells the worker what is logged here."""

    def __init__(self, voice: Voice) -> None:
        super().__init__()
        self.voice = voice
        self.setFormatter(logging.Formatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Tell it."""
        said = Logged(record.name, record.levelno, self.format(record), record.created)
        self.voice.send(said)


def serve(voice: Voice, stack: ExitStack) -> None:
    """Play chunks until nobody sends any; one launcher serves as long as walls stay the same."""
    launcher: Launcher | None = None
    while True:
        try:
            piece: Piece = voice.pipe.recv()
        except EOFError:
            return
        if launcher is None or launcher.sandbox != piece.terms.sandbox:
            stack.close()
            launcher = stack.enter_context(Launcher(piece.terms.sandbox))
        with Pulse(voice, piece.task.number, launcher) as pulse:
            news = perform(piece.task, Setup(0, piece.bots, piece.terms), launcher, pulse)
        if isinstance(news, Failed):
            stack.close()  # nobody knows in what state the warden is
            launcher = None
        voice.send(news)
