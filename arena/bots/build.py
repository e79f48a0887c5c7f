"""Builds: a bot's program made in a copy of its folder, once for each version."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from arena.bots.contents import files
from arena.bots.sandbox.sandbox import OPEN, Sandbox
from arena.errors import BadBot

SHOWN = 20
"""Lines of a failed build's output that are shown: as many from its beginning as from its end."""

CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""What colours a terminal."""

LONGEST = 600
"""Seconds a build may take."""


@dataclass(frozen=True)
class Workshop:
    """Where bots are built: inside which walls, and whether a build may use the network."""

    sandbox: Sandbox = OPEN
    network: bool = False
    """Whether builds that need the network may use it, which their manifests say of themselves."""


OUTDOORS = Workshop()
"""Without walls."""


def cache() -> Path:
    """Where builds are kept."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        base = base if base.is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        raise BadBot("there is no home to keep builds in: set XDG_CACHE_HOME") from None
    return base / "stichkampf" / "builds"


def built(
    folder: Path,
    version: str,
    argv: list[str],
    ignored: Collection[str] = (),
    workshop: Workshop = OUTDOORS,  # noqa: ARG001 (the walls come next)
) -> Path:
    """The folder in which this version of a bot is built; the bot's own is left as it is."""
    place = cache() / version
    if place.is_dir():
        return place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with (place.parent / f"{version}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not place.is_dir():
                make(folder, place, argv, ignored)
    except OSError as error:
        raise BadBot(f"{folder} cannot be built in {place.parent}: {error.strerror}") from error
    return place


def make(folder: Path, place: Path, argv: list[str], ignored: Collection[str]) -> None:
    """Copy and build; `place` is there only if all went well."""
    attempt = place.with_name(f"{place.name}.{os.getpid()}")
    shutil.rmtree(attempt, ignore_errors=True)
    try:
        for file in files(folder, ignored):
            copy = attempt / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy, follow_symlinks=False)
        run(folder, attempt, argv)
        attempt.rename(place)
    finally:
        shutil.rmtree(attempt, ignore_errors=True)


def run(folder: Path, attempt: Path, argv: list[str]) -> None:
    """Run the build; if it fails, the error shows what it printed."""
    command = " ".join(argv)
    sys.stderr.write(f"building {folder.name} by '{command}', once for this version\n")
    with TemporaryFile() as printed:
        try:
            build = subprocess.Popen(  # noqa: S603 (running it is what was asked for)
                argv,
                cwd=attempt,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise BadBot(
                f"{folder}: the build '{command}' cannot be run: {error.strerror}"
            ) from error
        try:
            status = build.wait(LONGEST)
        except subprocess.TimeoutExpired:
            raise BadBot(f"{folder}: the build '{command}' took more than {LONGEST} s") from None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(build.pid, signal.SIGKILL)
            build.wait()
        if status:
            printed.seek(0)
            said = CONTROL.sub("", printed.read().decode(errors="replace"))
            shown = shortened(said.replace(str(attempt), str(folder)).splitlines())
            raise BadBot(
                f"{folder}: the build '{command}' failed with exit status {status}:\n{shown}"
            )


def shortened(lines: list[str]) -> str:
    """The beginning and the end of what a build printed."""
    half = SHOWN // 2
    if len(lines) > SHOWN:
        lines = [*lines[:half], f"... ({len(lines) - SHOWN} lines) ...", *lines[-half:]]
    return "\n".join(lines) or "(it printed nothing)"
