"""What a bot may read beside its own folder: the program that runs it, and what that needs."""

import sys
from pathlib import Path

import arena

PROGRAMS = ("bin", "sbin")


def seen(argv: tuple[str, ...], folders: tuple[str, ...]) -> tuple[str, ...]:
    """The paths that the program of a command line needs, beyond the system's folders."""
    started = Path(argv[0])
    needed = own_python() if argv[0] == sys.executable else {place_of(started.resolve())}
    outside = {path for path in needed if not any(path.is_relative_to(top) for top in folders)}
    return tuple(sorted(str(path) for path in outside if not outside & set(path.parents)))


def own_python() -> set[Path]:
    """The Python we run on, with what is installed in it, and this program."""
    package = Path(arena.__file__).parent
    linked = {(package / name).resolve() for name in ("reference", "specification")}
    return {Path(sys.prefix), Path(sys.base_prefix), package, package.resolve(), *linked}


def place_of(program: Path) -> Path:
    """Where a program is installed, with its libraries; itself, if it lies in somebody's home."""
    prefix = program.parent.parent
    homes = {Path.home(), Path("/"), Path("/home"), Path("/root"), Path("/opt"), Path("/srv")}
    hidden = prefix.parent == Path.home() and prefix.name.startswith(".")  # such as ~/.local
    if program.parent.name not in PROGRAMS or prefix in {*homes, *Path.home().parents} or hidden:
        return program
    return prefix
