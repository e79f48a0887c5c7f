"""Places where a run cannot be written: a read-only folder, a small disk."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534
ROOT = Path(__file__).parents[2]


@contextmanager
def world_readable_folder() -> Iterator[Path]:
    """Create a temporary folder that all users can read."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


IMPORTS = """
import json, os, sys
from pathlib import Path
from arena.errors import ArenaError
from arena.store.run import Run
"""
"""Everything is imported while that is allowed."""

DROP = f"""
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid({NOBODY})
    os.setuid({NOBODY})
"""


def run_unprivileged(program: str, *words: str, first: str = "") -> str:
    """Run a Python program as an unprivileged user and return its output.

    `first` is run before, as whoever runs the tests.
    """
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS + first + DROP + program, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return done.stdout.rstrip("\n")


@contextmanager
def mount_small_disk(size: str) -> Iterator[Path]:
    """Mount a file system of this size, or skip the test."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("only root may make a small disk, and not in every container")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
