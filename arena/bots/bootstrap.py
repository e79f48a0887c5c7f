"""Start our own Python processes fast, pin them to a core and limit their resources."""

import os
import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import arena

IMPORT_PATH = str(Path(arena.__file__).parent.parent)
"""The last argument of a child process, which finds `arena` by it."""
IMPORT_PATH_CODE = "import sys; sys.path.insert(0, sys.argv.pop())\n"
FAST_START = ("-I", "-S")
"""Options with which Python starts fast, since it does not look for installed packages."""


def pin_to_core(number: int) -> None:
    """Keep this process, and all that it starts from now on, on one of its allowed cores."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})


def lower_rlimits(limits: Mapping[int, int]) -> None:
    """Lower limits of the kernel for this process; for CPU time only the soft one.

    The kernel sends SIGXCPU at the soft limit and SIGKILL at the hard one.
    """
    for kind, wanted in limits.items():
        _, hard = resource.getrlimit(kind)
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (limit, hard if kind == resource.RLIMIT_CPU else limit))


def python_argv(code: str, *arguments: str, options: Sequence[str] = FAST_START) -> list[str]:
    """The command line that runs Python code; by default it cannot import installed packages."""
    return [sys.executable, *options, "-c", IMPORT_PATH_CODE + code, *arguments, IMPORT_PATH]
