"""What all tests share: the plugins of the suite, and the command as a person runs it."""

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter

from tests.hostile import outcomes

pytest_plugins = (
    "tests.suite.order",
    "tests.suite.cpu_times",
    "tests.suite.leftovers",
    "tests.suite.reports",
    "tests.suite.stages",
    "tests.suite.tools",
)


def pytest_configure() -> None:
    """Let signals end what tests start, also where a shell or nohup lets us ignore them.

    What is ignored stays so in other programs that are started; what is handled does not.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, as they live to the end anyway."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The number of cores; two more where slow tests run, which often wait for a process."""
    cores = len(os.sched_getaffinity(0))
    return cores if config.option.stage == "check" else cores + 2


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print the outcome of every attack, if there were any."""
    reports = [
        report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)
    ]
    properties = [pair for report in reports for pair in report.user_properties]
    if lines := outcomes.outcome_table(properties):
        terminalreporter.section("hostile bots and what came of them")
        for line in lines:
            terminalreporter.write_line(line)


RunArena = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_arena() -> RunArena:
    """Run `arena` in a subprocess, on a terminal of this width, in a folder."""

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
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all test processes share; it is empty when the tests begin."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def shared_build_cache(shared_folder: Path) -> Path:
    """A build cache that all tests share."""
    return shared_folder / "builds"


MakeOnce = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def make_once(shared_folder: Path) -> MakeOnce:
    """Return a folder that the first process fills, while the others wait for it."""

    def filled(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = shared_folder / name, shared_folder / f"{name}.done"
        with (shared_folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # what another one has failed to fill
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return filled
