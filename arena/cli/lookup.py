"""Which run is meant: its folder, the file in it, or its name among the runs here."""

from difflib import get_close_matches
from pathlib import Path

from arena.cli.untrusted import printable
from arena.errors import ArenaError
from arena.store.database import FILE

RUNS = Path("runs")
"""Where runs are put if nothing else is said."""


class UnknownRun(ArenaError):
    """A path or name that stands for no run."""


def find(named: Path) -> Path:
    """The folder of the run that is meant."""
    found = is_run(named)
    if found is not None:
        return found
    if named.is_absolute() or len(named.parts) > 1 or exists(named):
        raise UnknownRun(f"{printable(str(named))} is no run; {hint(named)}")
    beside = is_run(RUNS / named)
    if beside is None:
        raise UnknownRun(f"there is no run {printable(str(named))!r}; {hint(named)}")
    return beside


def meant(named: Path) -> bool:
    """Whether a run is meant, where it could be a file of another kind as well."""
    if exists(named):
        return is_run(named) is not None or named.is_dir()
    return is_run(RUNS / named) is not None


def exists(path: Path) -> bool:
    """Whether something is there, and nobody keeps us from seeing it."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_run(named: Path) -> Path | None:
    """The folder of a run, if this is one or the file in it."""
    try:
        if named.name == FILE and named.is_file():
            return named.parent
        return named if (named / FILE).is_file() else None
    except (OSError, ValueError):  # it is too long, say, or not to be looked into
        return None


def hint(named: Path) -> str:
    """What might be meant."""
    there = sorted(file.parent.name for file in RUNS.glob(f"*/{FILE}"))
    near = get_close_matches(named.name, there, n=1)
    if near:
        return f"did you mean {printable(str(RUNS / near[0]))}?"
    return f"a run is a folder with {FILE}, which arena run makes"
