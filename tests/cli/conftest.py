"""The command as a person runs it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def arena() -> Run:
    """Run `arena` in a process of its own, on a screen so many columns wide, in a folder."""

    def run(
        *words: str, columns: int = 80, folder: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "arena", *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env={**os.environ, "COLUMNS": str(columns), **environment},
        )

    return run
