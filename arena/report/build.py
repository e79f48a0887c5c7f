"""Build the report about a run: survey it, then write its site completely or not at all."""

import glob
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from arena.errors import ArenaError
from arena.file_lock import FileLock
from arena.report.data.csv_export import GAME_COLUMNS, format_rows
from arena.report.data.game_files import game_list_count
from arena.report.data.ladder_info import LadderInfo
from arena.report.data.survey import survey_run
from arena.report.pages.base import Pages
from arena.report.site import Site
from arena.store.run import Run

SITE_MARKER = "static/site.css"
"""With index.html this file identifies a folder as a site of ours."""
LINK_LOOP = "its symbolic links form a loop"

ProgressCallback = Callable[[str, int, int], None]
"""Receives the current step, and how many files are written of how many; 0 of 0 while reading."""


class BadSite(ArenaError):
    """A folder into which no site can be written."""


class BuiltReport(NamedTuple):
    """The result of `build_report`."""

    files: int
    size: int
    """Bytes."""


def build_report(
    run: Run,
    folder: Path,
    *,
    ladder: LadderInfo | None = None,
    on_progress: ProgressCallback = lambda *_: None,
) -> BuiltReport:
    """Write a site about a run into a folder; a site that is already there is replaced.

    `ladder` has what the pages show about the versions and nights, if the run is a ladder.
    """
    resolve_target(folder)  # before the survey, which may take minutes
    survey = survey_run(run, lambda step: on_progress(step, 0, 0), ladder)
    return write_site(Site(Pages(survey, run.name)), run, folder, on_progress)


def write_site(
    site: Site, run: Run, folder: Path, on_progress: ProgressCallback = lambda *_: None
) -> BuiltReport:
    """Write a site beside its folder, then put it in place once all of its files are there."""
    target = resolve_target(folder)
    paths = list(site.paths())
    total = len(paths) + sum(game_list_count(games) for _, games in site.pages.game_counts())
    unfinished: Path | None = None
    lock: FileLock | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(target)
        unfinished = Path(mkdtemp(prefix=unfinished_prefix(target), dir=target.parent))
        lock = FileLock(unfinished)
        size = 0
        for number, path in enumerate(paths):
            on_progress("writing", number, total)
            size += write_file(unfinished / path, site.content(path, run))
        number = len(paths)
        with (unfinished / "games.csv").open("wb") as games_csv:
            size += games_csv.write(format_rows([GAME_COLUMNS]).encode())
            for path, content, rows in site.game_lists(run):
                size += write_file(unfinished / path, content) + games_csv.write(rows)
                number += 1
                on_progress("writing", number, total)
        unfinished.chmod(0o777 & ~current_umask())
        replace_site(unfinished, target)
    except OSError as error:
        raise BadSite(f"{folder} cannot be written: {error.strerror or error}") from error
    finally:
        if unfinished is not None:
            shutil.rmtree(unfinished, ignore_errors=True)
        if lock is not None:
            lock.close()
    return BuiltReport(total + 1, size)


def resolve_target(folder: Path) -> Path:
    """Return where a site for this folder is written; reject a folder with other contents."""
    try:
        target = folder.resolve()  # a link stays, and what it leads to is replaced
        if target.is_symlink():  # Python 3.13 and later return a link of a circle as it is
            raise BadSite(f"{folder} cannot be read: {LINK_LOOP}")
        if not target.exists():
            return target
        if not target.is_dir():
            raise BadSite(f"{folder} is not a folder; name another with -o")
        if Path.cwd().is_relative_to(target):
            raise BadSite(f"{folder} is replaced as a whole; run the command outside of it")
        is_empty = not any(target.iterdir())
        is_site = (target / SITE_MARKER).is_file() and (target / "index.html").is_file()
    except (OSError, RuntimeError) as error:  # the latter for links that lead in a circle
        reason = getattr(error, "strerror", None) or LINK_LOOP
        raise BadSite(f"{folder} cannot be read: {reason}") from error
    if not is_empty and not is_site:
        raise BadSite(f"{folder} contains files that are not a report; name another folder with -o")
    return target


def unfinished_prefix(folder: Path) -> str:
    """The prefix of the names of unfinished and replaced sites for a folder."""
    return f".{folder.name}-unfinished-"


def remove_leftovers(folder: Path) -> None:
    """Remove the unfinished sites of processes that were killed."""
    for leftover in folder.parent.glob(f"{glob.escape(unfinished_prefix(folder))}*"):
        with suppress(OSError), FileLock(leftover):
            shutil.rmtree(leftover, ignore_errors=True)


def write_file(file: Path, content: bytes) -> int:
    """Write a file and create the folders above it; return the number of bytes."""
    try:
        return file.write_bytes(content)
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
        return file.write_bytes(content)


def current_umask() -> int:
    """The permissions that this process withholds from new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def replace_site(unfinished: Path, target: Path) -> None:
    """Move a finished site to its place; the old site is removed, or moved back on failure."""
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
