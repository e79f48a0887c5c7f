"""Builds: a bot's program made in a copy of its folder, once for each version."""

import fcntl
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from arena.bots import foreman, handover
from arena.bots.contents import admit, files
from arena.bots.handover import BadBuild, leads_out
from arena.bots.interpreters import build_path
from arena.bots.manifest import FILE
from arena.bots.printout import shown
from arena.bots.sandbox.sandbox import OPEN, Sandbox
from arena.bots.sandbox.sight import kept
from arena.bots.sandbox.walls import HOME
from arena.errors import BadBot
from arena.printable import printable

LONGEST = 600
"""Seconds a build may take."""


@dataclass(frozen=True)
class Workshop:
    """Where bots are built: inside which walls, and whether a build may use the network."""

    sandbox: Sandbox = OPEN
    network: bool = False
    """Whether builds that need the network may use it, which their manifests say of themselves."""
    place: Path | None = None
    """The folder in which builds are kept; a ladder has one of its own for submitted bots."""


OUTDOORS = Workshop(network=True)
"""Without walls, where nothing keeps a build from anything."""


def cache() -> Path:
    """Where builds are kept."""
    try:
        return kept() / "builds"
    except RuntimeError:
        raise BadBot("there is no home to keep builds in: set XDG_CACHE_HOME") from None


@dataclass(frozen=True)
class Order:
    """What is to be built, and how."""

    folder: Path
    argv: list[str]
    ignored: Collection[str] = ()
    network: bool = False
    """Whether it needs the network."""
    own: bool = False
    """Whether what builds it is a part of the bot."""

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return f"{self.folder}: the build '{self.command}'"

    @property
    def command(self) -> str:
        """Its command line for people."""
        return printable(" ".join(self.argv))


def place_of(digest: str, workshop: Workshop) -> Path:
    """The folder of what is built of a version; it is there once the build is done."""
    return (workshop.place or cache()) / digest


def built(order: Order, digest: str, workshop: Workshop = OUTDOORS) -> Path:
    """The folder in which this version of a bot is built; the bot's own is left as it is."""
    place = place_of(digest, workshop)
    if place.is_dir():
        return place
    if order.network and not workshop.network:
        raise BadBot(
            f"{order.folder / FILE}: its build wants the network ('build_network: true'); "
            "say --build-network if you trust it"
        )
    try:
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
        with (place.parent / f"{digest}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not place.is_dir():
                make(order, place, workshop.sandbox)
    except OSError as error:
        why = f"cannot be built in {place.parent}: {error.strerror}"
        raise BadBot(f"{order.folder} {why}") from error
    return place


def forget(builds: Path, digest: str) -> None:
    """Remove what was built of a version from a folder of builds, if anything was."""
    for left in (builds / digest, *builds.glob(f"{digest}.*")):
        handover.remove(left) if left.is_dir() else left.unlink(missing_ok=True)


def make(order: Order, place: Path, sandbox: Sandbox) -> None:
    """Copy and build; `place` is there only if all went well."""
    for left in place.parent.glob(f"{place.name}.*"):
        handover.remove(left)  # by one that was killed, for we hold the lock
    yard = place.with_name(f"{place.name}.{os.getpid()}")
    try:
        copy(order, yard / "bot", sandbox)
        run(order, yard, sandbox)
        (yard / "bot").rename(place)
    finally:
        handover.remove(yard)


def copy(order: Order, to: Path, sandbox: Sandbox) -> None:
    """A bot's folder once more; into the walls goes no link that leads out of it."""
    to.mkdir(parents=True)
    for file in files(order.folder, order.ignored):
        walls = sandbox.machine
        if walls and file.is_symlink() and leads_out(file, order.folder, walls.folders):
            continue
        made = to / file.relative_to(order.folder)
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, made, follow_symlinks=False)
    admit(to.parent)


def run(order: Order, yard: Path, sandbox: Sandbox) -> None:
    """Run the build; if it fails, the error shows what it printed."""
    what = printable(order.folder.name)
    sys.stderr.write(f"building {what} by '{order.command}', once for this version\n")
    with TemporaryFile() as printed:
        try:
            runnable(order, yard)
            if sandbox.machine:
                job = foreman.Job(yard, tuple(order.argv), LONGEST, order.network)
                status = foreman.work(job, printed, sandbox)
            else:
                status = outdoors(order, yard / "bot", printed)
        except BadBuild as error:
            raise BadBot(f"{order.name} {error}") from None
        if status:
            home = HOME if sandbox.machine else yard / "bot"
            alone = sandbox.machine and not order.network
            hint = "; it had no network, which 'build_network: true' asks for" if alone else ""
            said = shown(printed, home, order.folder)
            raise BadBot(f"{order.name} failed with exit status {status}{hint}:\n{said}")


def runnable(order: Order, yard: Path) -> None:
    """Make sure that what builds it can be run, if it is the bot's own."""
    maker = yard / "bot" / order.argv[0]
    if order.own and leads_out(maker, yard / "bot", ()):
        raise BadBuild(f"cannot be run: {shlex.quote(order.argv[0])} is outside the bot's folder")
    if not maker.is_file():
        raise BadBuild("cannot be run: No such file or directory")
    if not os.access(maker, os.X_OK):
        raise BadBuild(f"cannot be run: {shlex.quote(order.argv[0])} is not executable")


def outdoors(order: Order, folder: Path, printed: IO[bytes]) -> int:
    """Run a build without walls; its exit status."""
    build = subprocess.Popen(  # noqa: S603 (running it is what was asked for)
        order.argv,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=printed,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "PATH": build_path()},
    )
    try:
        return build.wait(LONGEST)
    except subprocess.TimeoutExpired:
        raise BadBuild(f"took more than {LONGEST} s") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(build.pid, signal.SIGKILL)
        build.wait()
