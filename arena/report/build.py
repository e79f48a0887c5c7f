"""Write a report into a folder completely, or leave the folder as it was."""

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
from arena.report.data import csv_export, game_files
from arena.report.data.survey import Survey
from arena.report.pages.base import Pages
from arena.report.site import Site
from arena.store.run import Run

SITE_MARKER = "static/site.css"
"""Tells a site of ours from other folders; with index.html."""
LINK_LOOP = "its links lead in a circle"

ProgressCallback = Callable[[int, int], None]
"""Is told how many files are written, of how many."""


class BadSite(ArenaError):
    """A folder into which no site can be written."""


class BuiltReport(NamedTuple):
    """What was written."""

    files: int
    size: int
    """Bytes."""


def build_report(
    run: Run, survey: Survey, folder: Path, on_progress: ProgressCallback = lambda *_: None
) -> BuiltReport:
    """Write the site of a run; one that stands there is replaced once the new one is whole."""
    place = resolve_target(folder)
    site = Site(Pages(survey, run.name))
    paths = list(site.paths())
    total = len(paths) + sum(game_files.list_count(games) for _, games in site.pages.game_counts())
    begun: Path | None = None
    held: int | None = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(place)
        begun = Path(mkdtemp(prefix=unfinished_prefix(place), dir=place.parent))
        held = lock_folder(begun)
        size = 0
        for number, path in enumerate(paths):
            on_progress(number, total)
            size += write_file(begun / path, site.content(path, run))
        number = len(paths)
        with (begun / "games.csv").open("wb") as sheet:
            size += sheet.write(csv_export.format_rows([csv_export.GAME_COLUMNS]).encode())
            for path, told, lines in site.game_lists(run):
                size += write_file(begun / path, told) + sheet.write(lines)
                number += 1
                on_progress(number, total)
        begun.chmod(0o777 & ~current_umask())
        replace_site(begun, place)
    except OSError as error:
        raise BadSite(f"{folder} cannot be written: {error.strerror or error}") from error
    finally:
        if begun is not None:
            shutil.rmtree(begun, ignore_errors=True)
        if held is not None:
            os.close(held)
    return BuiltReport(total + 1, size)


def resolve_target(folder: Path) -> Path:
    """Where a site stands that is written into a folder; refuse one that holds something else."""
    try:
        place = folder.resolve()  # behind a link, which stays
        if place.is_symlink():  # from Python 3.13 on a circle is left as it is
            raise BadSite(f"{folder} cannot be looked into: {LINK_LOOP}")
        if not place.exists():
            return place
        if not place.is_dir():
            raise BadSite(f"{folder} is no folder; name another with -o")
        if Path.cwd().is_relative_to(place):
            raise BadSite(f"{folder} is replaced as a whole; call this from outside of it")
        empty = not any(place.iterdir())
        ours = (place / SITE_MARKER).is_file() and (place / "index.html").is_file()
    except (OSError, RuntimeError) as error:  # the latter for links that lead in a circle
        reason = getattr(error, "strerror", None) or LINK_LOOP
        raise BadSite(f"{folder} cannot be looked into: {reason}") from error
    if not empty and not ours:
        raise BadSite(f"{folder} holds something else than a report; name another folder with -o")
    return place


def unfinished_prefix(folder: Path) -> str:
    """How the name of a site begins that is not finished yet, or was replaced."""
    return f".{folder.name}-unfinished-"


def lock_folder(folder: Path) -> int | None:
    """Show that somebody is at work in a folder; None if somebody else is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def remove_leftovers(folder: Path) -> None:
    """Remove what others who were killed have left."""
    for left in folder.parent.glob(f"{glob.escape(unfinished_prefix(folder))}*"):
        with suppress(OSError):
            held = lock_folder(left)
            if held is not None:
                shutil.rmtree(left, ignore_errors=True)
                os.close(held)


def write_file(file: Path, content: bytes) -> int:
    """Write a file and the folders above it; how many bytes that were."""
    try:
        return file.write_bytes(content)
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
        return file.write_bytes(content)


def current_umask() -> int:
    """What new files are not to be allowed, as everybody else's here."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def replace_site(unfinished: Path, target: Path) -> None:
    """Put a finished site where it belongs; the one before it goes, or comes back if that fails."""
    old = unfinished.with_name(f"{unfinished.name}-old")
    try:
        with suppress(FileNotFoundError):
            target.rename(old)
        unfinished.rename(target)
    finally:
        if not target.exists():
            with suppress(OSError):
                old.rename(target)
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
