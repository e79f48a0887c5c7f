"""Start our own Python processes fast and pin them to a core."""

import os
import sys
from pathlib import Path

import arena


def pin_to_core(number: int) -> None:
    """Keep this process, and all it starts from now on, on one of the cores it may use."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})


IMPORT_PATH = str(Path(arena.__file__).parent.parent)
IMPORT_PATH_CODE = "import sys; sys.path.insert(0, sys.argv.pop())\n"


def python_argv(code: str, *arguments: str) -> list[str]:
    """The command line that runs a program which imports nothing but Python's own and ours."""
    return [sys.executable, "-I", "-S", "-c", IMPORT_PATH_CODE + code, *arguments, IMPORT_PATH]
