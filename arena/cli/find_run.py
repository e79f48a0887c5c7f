"""Find a run by its folder, its database file or its name under `runs/`."""

from difflib import get_close_matches
from pathlib import Path

from arena.errors import ArenaError
from arena.sanitize import printable
from arena.store.database import RUN_FILE

RUNS_FOLDER = Path("runs")
"""Where `arena run` creates runs by default."""


class UnknownRun(ArenaError):
    """A path or name of which there is no run."""


def find_run_folder(path: Path) -> Path:
    """The folder of a run, from its path, its file or its name under `runs/`."""
    folder = folder_at(path)
    if folder is not None:
        return folder
    if path.is_absolute() or len(path.parts) > 1 or path_exists(path):
        raise UnknownRun(f"{printable(str(path))} is not a run; {run_hint(path)}")
    named = folder_at(RUNS_FOLDER / path)
    if named is None:
        raise UnknownRun(f"there is no run {printable(str(path))!r}; {run_hint(path)}")
    return named


def refers_to_run(path: Path) -> bool:
    """Whether a path means a run, not a file of another kind."""
    if path_exists(path):
        return folder_at(path) is not None or path.is_dir()
    return folder_at(RUNS_FOLDER / path) is not None


def path_exists(path: Path) -> bool:
    """Whether a path exists and can be read."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def folder_at(path: Path) -> Path | None:
    """The folder of a run, if the path is one or the file in it."""
    try:
        if path.name == RUN_FILE and path.is_file():
            return path.parent
        return path if (path / RUN_FILE).is_file() else None
    except (OSError, ValueError):  # the path is too long, say, or its folder cannot be read
        return None


def run_hint(path: Path) -> str:
    """A hint for a path that is not a run: a similar name, or what a run is."""
    names = sorted(file.parent.name for file in RUNS_FOLDER.glob(f"*/{RUN_FILE}"))
    near = get_close_matches(path.name, names, n=1)
    if near:
        return f"did you mean {printable(str(RUNS_FOLDER / near[0]))}?"
    return f"a run is a folder with {RUN_FILE}, which arena run makes"
