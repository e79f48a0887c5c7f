"""What all tests share: how thorough hypothesis is, and the command as a person runs it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import settings

from tests.hostile import outcomes

settings.register_profile("quick", max_examples=1, deadline=None, database=None)
settings.register_profile("thorough", max_examples=5, deadline=None, print_blob=True)
settings.load_profile("quick")


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print what came of every attack, if there were any."""
    reports = [
        report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)
    ]
    properties = [pair for report in reports for pair in report.user_properties]
    if lines := outcomes.table(properties):
        terminalreporter.section("hostile bots and what came of them")
        for line in lines:
            terminalreporter.write_line(line)


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


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that is empty when the tests begin and that all their processes share."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "builds"
