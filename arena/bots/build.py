"""Build a bot in a copy of its folder, once for each version."""

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
from arena.bots.interpreters import build_search_path
from arena.bots.manifest import MANIFEST_FILE
from arena.bots.sandbox.bwrap import BOT_FOLDER
from arena.bots.sandbox.host import cache_folder
from arena.bots.sandbox.sandbox import NO_SANDBOX, Sandbox
from arena.errors import BadBot
from arena.file_lock import FileLock
from arena.sanitize import cut_middle, printable

BUILD_TIMEOUT = 600
"""Seconds a build may take."""

EXCERPT_LINES = 20
"""Lines of a failed build's output that are shown, half of them from its beginning."""

MAX_LINE = 1 << 16
"""Bytes after which a longer line is cut into several."""

ANSI_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""Codes that colour the text in a terminal."""


@dataclass(frozen=True)
class BuildSettings:
    """How bots are built: in which sandbox, and whether a build may use the network."""

    sandbox: Sandbox = NO_SANDBOX
    allows_network: bool = False
    """Whether builds whose manifest asks for the network may use it."""
    builds_folder: Path | None = None
    """The folder in which builds are kept; a ladder has one of its own for submitted bots."""


UNSANDBOXED_BUILDS = BuildSettings(allows_network=True)
"""Builds without a sandbox, which may do whatever the user may."""


def builds_folder() -> Path:
    """The default folder of builds."""
    try:
        return cache_folder() / "builds"
    except RuntimeError:
        raise BadBot("there is no home to keep builds in: set XDG_CACHE_HOME") from None


@dataclass(frozen=True)
class BuildOrder:
    """A bot to be built, and how."""

    folder: Path
    argv: list[str]
    ignored: Collection[str] = ()
    needs_network: bool = False
    has_own_builder: bool = False
    """Whether the program that builds it is in the bot's folder."""

    @property
    def description(self) -> str:
        """The build as the beginning of a sentence."""
        return f"{self.folder}: the build '{self.command}'"

    @property
    def command(self) -> str:
        """Its command line, fit to be printed."""
        return printable(" ".join(self.argv))


def build_location(digest: str, settings: BuildSettings) -> Path:
    """The folder of the build of a version; it exists once the build is done."""
    return (settings.builds_folder or builds_folder()) / digest


def build(order: BuildOrder, digest: str, settings: BuildSettings = UNSANDBOXED_BUILDS) -> Path:
    """Build this version of a bot, unless it is built; return the folder of the build."""
    place = build_location(digest, settings)
    if place.is_dir():
        return place
    if order.needs_network and not settings.allows_network:
        raise BadBot(
            f"{order.folder / MANIFEST_FILE}: its build wants the network ('build_network: true'); "
            "say --build-network if you trust it"
        )
    try:
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
        with FileLock(place.parent / f"{digest}.lock", create_mode=0o666, wait=True):
            if not place.is_dir():
                copy_and_build(order, place, settings.sandbox)
    except OSError as error:
        why = f"cannot be built in {place.parent}: {error.strerror}"
        raise BadBot(f"{order.folder} {why}") from error
    return place


def delete_build(builds: Path, digest: str) -> None:
    """Remove the build of a version from a folder of builds, if there is one."""
    for leftover in (builds / digest, *builds.glob(f"{digest}.*")):
        build_folder.remove_folder(leftover) if leftover.is_dir() else leftover.unlink(
            missing_ok=True
        )


def copy_and_build(order: BuildOrder, target: Path, sandbox: Sandbox) -> None:
    """Copy the sources and build them; `target` exists only if all went well."""
    for leftover in target.parent.glob(f"{target.name}.*"):
        build_folder.remove_folder(leftover)  # of a process that was killed, since we hold the lock
    workspace = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        copy_sources(order, workspace / "bot", sandbox)
        run_build(order, workspace, sandbox)
        (workspace / "bot").rename(target)
    finally:
        build_folder.remove_folder(workspace)


def copy_sources(order: BuildOrder, target: Path, sandbox: Sandbox) -> None:
    """Copy a bot's folder; for the sandbox without links that lead out of it."""
    target.mkdir(parents=True)
    for file in bot_files(order.folder, order.ignored):
        support = sandbox.support
        if support and file.is_symlink() and leads_out(file, order.folder, support.program_folders):
            continue
        copy = target / file.relative_to(order.folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy, follow_symlinks=False)
    make_folders_readable(target.parent)


def run_build(order: BuildOrder, workspace: Path, sandbox: Sandbox) -> None:
    """Run the build; if it fails, the error shows what it printed."""
    name = printable(order.folder.name)
    sys.stderr.write(f"building {name} by '{order.command}', once for this version\n")
    with TemporaryFile() as output:
        try:
            check_builder(order, workspace)
            if sandbox.support:
                job = sandboxed_build.BuildJob(
                    workspace, tuple(order.argv), BUILD_TIMEOUT, order.needs_network
                )
                status = sandboxed_build.run_sandboxed_build(job, output, sandbox)
            else:
                status = run_unsandboxed(order, workspace / "bot", output)
        except BadBuild as error:
            raise BadBot(f"{order.description} {error}") from None
        if status:
            built_in = BOT_FOLDER if sandbox.support else workspace / "bot"
            is_offline = sandbox.support and not order.needs_network
            hint = "; it had no network, which 'build_network: true' asks for" if is_offline else ""
            text = output_excerpt(output, built_in, order.folder)
            raise BadBot(f"{order.description} failed with exit status {status}{hint}:\n{text}")


def check_builder(order: BuildOrder, workspace: Path) -> None:
    """Make sure that the program that builds the bot can be run."""
    builder = workspace / "bot" / order.argv[0]
    if order.has_own_builder and leads_out(builder, workspace / "bot", ()):
        raise BadBuild(f"cannot be run: {shlex.quote(order.argv[0])} is outside the bot's folder")
    if not builder.is_file():
        raise BadBuild("cannot be run: No such file or directory")
    if not os.access(builder, os.X_OK):
        raise BadBuild(f"cannot be run: {shlex.quote(order.argv[0])} is not executable")


def run_unsandboxed(order: BuildOrder, folder: Path, output: IO[bytes]) -> int:
    """Run a build without a sandbox; return its exit status."""
    build = subprocess.Popen(  # noqa: S603 (running it is the purpose)
        order.argv,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "PATH": build_search_path()},
    )
    try:
        return build.wait(BUILD_TIMEOUT)
    except subprocess.TimeoutExpired:
        raise BadBuild(f"took more than {BUILD_TIMEOUT} s") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(build.pid, signal.SIGKILL)
        build.wait()


def output_excerpt(output: IO[bytes], place: Path, folder: Path) -> str:
    """The first and last lines of the output, with the bot's folder in place of the copy."""
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
    """A line of output, fit to be printed."""
    text = ANSI_CODES.sub("", line.decode(errors="replace")).rstrip().expandtabs()
    text = re.sub(rf"(?<![\w/.-]){re.escape(str(place))}(?![\w.-])", lambda _: str(folder), text)
    return printable(cut_middle(text))
