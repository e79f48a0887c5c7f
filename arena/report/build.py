"""A site written into a folder: whole, or not at all."""

import fcntl
import glob
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from arena.errors import ArenaError
from arena.report import lists, sheets
from arena.report.pages import Pages
from arena.report.site import Site
from arena.report.survey import Survey
from arena.store.run import Run

MARK = "static/site.css"
"""Tells a site of ours from other folders; with index.html."""
CIRCLE = "its links lead in a circle"

Tick = Callable[[int, int], None]
"""Is told how many files are written, of how many."""


class BadSite(ArenaError):
    """A folder into which no site can be written."""


class Built(NamedTuple):
    """What was written."""

    files: int
    size: int
    """Bytes."""


def build(run: Run, survey: Survey, folder: Path, tick: Tick = lambda *_: None) -> Built:
    """Write the site of a run; one that stands there is replaced once the new one is whole."""
    place = replaceable(folder)
    site = Site(Pages(survey, run.name))
    paths = list(site.paths())
    total = len(paths) + sum(lists.files(games) for _, games in site.pages.counts())
    begun: Path | None = None
    held: int | None = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        sweep(place)
        begun = Path(mkdtemp(prefix=beginning(place), dir=place.parent))
        held = hold(begun)
        size = 0
        for number, path in enumerate(paths):
            tick(number, total)
            size += write(begun / path, site.content(path, run))
        number = len(paths)
        with (begun / "games.csv").open("wb") as sheet:
            size += sheet.write(sheets.write([sheets.GAME]).encode())
            for path, told, lines in site.listed(run):
                size += write(begun / path, told) + sheet.write(lines)
                number += 1
                tick(number, total)
        begun.chmod(0o777 & ~umask())
        put(begun, place)
    except OSError as error:
        raise BadSite(f"{folder} cannot be written: {error.strerror or error}") from error
    finally:
        if begun is not None:
            shutil.rmtree(begun, ignore_errors=True)
        if held is not None:
            os.close(held)
    return Built(total + 1, size)


def replaceable(folder: Path) -> Path:
    """Where a site stands that is written into a folder; refuse one that holds something else."""
    try:
        place = folder.resolve()  # behind a link, which stays
        if place.is_symlink():  # from Python 3.13 on a circle is left as it is
            raise BadSite(f"{folder} cannot be looked into: {CIRCLE}")
        if not place.exists():
            return place
        if not place.is_dir():
            raise BadSite(f"{folder} is no folder; name another with -o")
        if Path.cwd().is_relative_to(place):
            raise BadSite(f"{folder} is replaced as a whole; call this from outside of it")
        empty = not any(place.iterdir())
        ours = (place / MARK).is_file() and (place / "index.html").is_file()
    except (OSError, RuntimeError) as error:  # the latter for links that lead in a circle
        reason = getattr(error, "strerror", None) or CIRCLE
        raise BadSite(f"{folder} cannot be looked into: {reason}") from error
    if not empty and not ours:
        raise BadSite(f"{folder} holds something else than a report; name another folder with -o")
    return place


def beginning(folder: Path) -> str:
    """How the name of a site begins that is not finished yet, or was replaced."""
    return f".{folder.name}-unfinished-"


def hold(begun: Path) -> int | None:
    """Show that somebody is at work in a folder; None if somebody else is."""
    descriptor = os.open(begun, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def sweep(folder: Path) -> None:
    """Remove what others who were killed have left."""
    for left in folder.parent.glob(f"{glob.escape(beginning(folder))}*"):
        with suppress(OSError):
            held = hold(left)
            if held is not None:
                shutil.rmtree(left, ignore_errors=True)
                os.close(held)


def write(file: Path, content: bytes) -> int:
    """Write a file and the folders above it; how many bytes that were."""
    try:
        return file.write_bytes(content)
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
        return file.write_bytes(content)


def umask() -> int:
    """What new files are not to be allowed, as everybody else's here."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def put(begun: Path, place: Path) -> None:
    """Put a finished site where it belongs; the one before it goes, or comes back if that fails."""
    old = begun.with_name(f"{begun.name}-old")
    try:
        with suppress(FileNotFoundError):
            place.rename(old)
        begun.rename(place)
    finally:
        if not place.exists():
            with suppress(OSError):
                old.rename(place)
        if place.exists():
            shutil.rmtree(old, ignore_errors=True)
