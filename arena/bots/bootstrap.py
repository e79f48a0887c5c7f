"""Start our own Python processes fast and pin them to a core."""

import os
import sys
from pathlib import Path

import arena

IMPORT_PATH = str(Path(arena.__file__).parent.parent)
"""The last argument of a child process, which finds `arena` by it."""
IMPORT_PATH_CODE = "import sys; sys.path.insert(0, sys.argv.pop())\n"


def pin_to_core(number: int) -> None:
    """Keep this process, and all that it starts from now on, on one of its allowed cores."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})


def python_argv(code: str, *arguments: str) -> list[str]:
    """The command line that runs Python code which imports only the standard library and arena."""
    return [sys.executable, "-I", "-S", "-c", IMPORT_PATH_CODE + code, *arguments, IMPORT_PATH]
