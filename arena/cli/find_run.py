"""Find a run by its folder, its database file or its name under `runs/`."""

from difflib import get_close_matches
from pathlib import Path

from arena.errors import ArenaError
from arena.sanitize import printable
from arena.store.database import RUN_FILE

RUNS_FOLDER = Path("runs")
"""Where runs are put if nothing else is said."""


class UnknownRun(ArenaError):
    """A path or name that stands for no run."""


def find_folder(path: Path) -> Path:
    """The folder of the run that is meant."""
    found = folder_at(path)
    if found is not None:
        return found
    if path.is_absolute() or len(path.parts) > 1 or exists(path):
        raise UnknownRun(f"{printable(str(path))} is no run; {suggestion(path)}")
    beside = folder_at(RUNS_FOLDER / path)
    if beside is None:
        raise UnknownRun(f"there is no run {printable(str(path))!r}; {suggestion(path)}")
    return beside


def refers_to_run(path: Path) -> bool:
    """Whether a run is meant, where it could be a file of another kind as well."""
    if exists(path):
        return folder_at(path) is not None or path.is_dir()
    return folder_at(RUNS_FOLDER / path) is not None


def exists(path: Path) -> bool:
    """Whether something is there, and nobody keeps us from seeing it."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def folder_at(path: Path) -> Path | None:
    """The folder of a run, if this is one or the file in it."""
    try:
        if path.name == RUN_FILE and path.is_file():
            return path.parent
        return path if (path / RUN_FILE).is_file() else None
    except (OSError, ValueError):  # it is too long, say, or not to be looked into
        return None


def suggestion(path: Path) -> str:
    """What might be meant."""
    there = sorted(file.parent.name for file in RUNS_FOLDER.glob(f"*/{RUN_FILE}"))
    near = get_close_matches(path.name, there, n=1)
    if near:
        return f"did you mean {printable(str(RUNS_FOLDER / near[0]))}?"
    return f"a run is a folder with {RUN_FILE}, which arena run makes"
