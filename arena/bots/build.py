"""Build a bot in a copy of its folder, once for each version."""

import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from arena.bots import build_folder, sandboxed_build
from arena.bots.build_folder import BadBuild, leads_out
from arena.bots.digest import bot_files, make_folders_readable
from arena.bots.interpreters import build_path
from arena.bots.manifest import MANIFEST_FILE
from arena.bots.sandbox.bwrap import BOT_FOLDER
from arena.bots.sandbox.host import cache_folder
from arena.bots.sandbox.sandbox import NO_SANDBOX, Sandbox
from arena.errors import BadBot
from arena.sanitize import cut_middle, printable

EXCERPT_LINES = 20
"""Lines of a failed build's output that are shown: as many from its beginning as from its end."""

MAX_LINE = 1 << 16
"""Bytes after which a line is taken to be one, whether it ends there or not."""

ANSI_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""What colours a terminal."""


def output_excerpt(output: IO[bytes], place: Path, folder: Path) -> str:
    """The beginning and the end of what was printed, with a bot's folder for where it was built."""
    output.seek(0)
    half = EXCERPT_LINES // 2
    first: list[bytes] = []
    last: deque[bytes] = deque(maxlen=half)
    left_out = 0
    while line := output.readline(MAX_LINE):
        if len(first) < half:
            first.append(line)
        else:
            left_out += len(last) == half
            last.append(line)
    begin, end = ([clean_line(line, place, folder) for line in part] for part in (first, last))
    gap = [f"... ({left_out} lines) ..."] if left_out else []
    return "\n".join([*begin, *gap, *end]) or "(it printed nothing)"


def clean_line(line: bytes, place: Path, folder: Path) -> str:
    """One line."""
    text = ANSI_CODES.sub("", line.decode(errors="replace")).rstrip().expandtabs()
    text = re.sub(rf"(?<![\w/.-]){re.escape(str(place))}(?![\w.-])", lambda _: str(folder), text)
    return printable(cut_middle(text))


TIMEOUT = 600
"""Seconds a build may take."""


@dataclass(frozen=True)
class BuildSettings:
    """Where bots are built: inside which walls, and whether a build may use the network."""

    sandbox: Sandbox = NO_SANDBOX
    allows_network: bool = False
    """Whether builds that need the network may use it, which their manifests say of themselves."""
    builds_folder: Path | None = None
    """The folder in which builds are kept; a ladder has one of its own for submitted bots."""


UNSANDBOXED_BUILDS = BuildSettings(allows_network=True)
"""Without walls, where nothing keeps a build from anything."""


def builds_folder() -> Path:
    """Where builds are kept."""
    try:
        return cache_folder() / "builds"
    except RuntimeError:
        raise BadBot("there is no home to keep builds in: set XDG_CACHE_HOME") from None


@dataclass(frozen=True)
class BuildOrder:
    """What is to be built, and how."""

    folder: Path
    argv: list[str]
    ignored: Collection[str] = ()
    needs_network: bool = False
    """Whether it needs the network."""
    has_own_builder: bool = False
    """Whether what builds it is a part of the bot."""

    @property
    def description(self) -> str:
        """What it is called in a sentence."""
        return f"{self.folder}: the build '{self.command}'"

    @property
    def command(self) -> str:
        """Its command line for people."""
        return printable(" ".join(self.argv))


def folder_of(digest: str, settings: BuildSettings) -> Path:
    """The folder of what is built of a version; it is there once the build is done."""
    return (settings.builds_folder or builds_folder()) / digest


def build(order: BuildOrder, digest: str, settings: BuildSettings = UNSANDBOXED_BUILDS) -> Path:
    """The folder in which this version of a bot is built; the bot's own is left as it is."""
    place = folder_of(digest, settings)
    if place.is_dir():
        return place
    if order.needs_network and not settings.allows_network:
        raise BadBot(
            f"{order.folder / MANIFEST_FILE}: its build wants the network ('build_network: true'); "
            "say --build-network if you trust it"
        )
    try:
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
        with (place.parent / f"{digest}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not place.is_dir():
                copy_and_build(order, place, settings.sandbox)
    except OSError as error:
        why = f"cannot be built in {place.parent}: {error.strerror}"
        raise BadBot(f"{order.folder} {why}") from error
    return place


def delete_build(builds: Path, digest: str) -> None:
    """Remove what was built of a version from a folder of builds, if anything was."""
    for left in (builds / digest, *builds.glob(f"{digest}.*")):
        build_folder.remove(left) if left.is_dir() else left.unlink(missing_ok=True)


def copy_and_build(order: BuildOrder, target: Path, sandbox: Sandbox) -> None:
    """Copy and build; `place` is there only if all went well."""
    for left in target.parent.glob(f"{target.name}.*"):
        build_folder.remove(left)  # by one that was killed, for we hold the lock
    yard = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        copy_sources(order, yard / "bot", sandbox)
        run_build(order, yard, sandbox)
        (yard / "bot").rename(target)
    finally:
        build_folder.remove(yard)


def copy_sources(order: BuildOrder, target: Path, sandbox: Sandbox) -> None:
    """A bot's folder once more; into the walls goes no link that leads out of it."""
    target.mkdir(parents=True)
    for file in bot_files(order.folder, order.ignored):
        walls = sandbox.support
        if walls and file.is_symlink() and leads_out(file, order.folder, walls.program_folders):
            continue
        made = target / file.relative_to(order.folder)
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, made, follow_symlinks=False)
    make_folders_readable(target.parent)


def run_build(order: BuildOrder, workspace: Path, sandbox: Sandbox) -> None:
    """Run the build; if it fails, the error shows what it printed."""
    what = printable(order.folder.name)
    sys.stderr.write(f"building {what} by '{order.command}', once for this version\n")
    with TemporaryFile() as printed:
        try:
            check_builder(order, workspace)
            if sandbox.support:
                job = sandboxed_build.BuildJob(
                    workspace, tuple(order.argv), TIMEOUT, order.needs_network
                )
                status = sandboxed_build.run(job, printed, sandbox)
            else:
                status = run_unsandboxed(order, workspace / "bot", printed)
        except BadBuild as error:
            raise BadBot(f"{order.description} {error}") from None
        if status:
            home = BOT_FOLDER if sandbox.support else workspace / "bot"
            alone = sandbox.support and not order.needs_network
            hint = "; it had no network, which 'build_network: true' asks for" if alone else ""
            said = output_excerpt(printed, home, order.folder)
            raise BadBot(f"{order.description} failed with exit status {status}{hint}:\n{said}")


def check_builder(order: BuildOrder, workspace: Path) -> None:
    """Make sure that what builds it can be run, if it is the bot's own."""
    maker = workspace / "bot" / order.argv[0]
    if order.has_own_builder and leads_out(maker, workspace / "bot", ()):
        raise BadBuild(f"cannot be run: {shlex.quote(order.argv[0])} is outside the bot's folder")
    if not maker.is_file():
        raise BadBuild("cannot be run: No such file or directory")
    if not os.access(maker, os.X_OK):
        raise BadBuild(f"cannot be run: {shlex.quote(order.argv[0])} is not executable")


def run_unsandboxed(order: BuildOrder, folder: Path, output: IO[bytes]) -> int:
    """Run a build without walls; its exit status."""
    build = subprocess.Popen(  # noqa: S603 (running it is what was asked for)
        order.argv,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "PATH": build_path()},
    )
    try:
        return build.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        raise BadBuild(f"took more than {TIMEOUT} s") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(build.pid, signal.SIGKILL)
        build.wait()
