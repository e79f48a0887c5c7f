"""What all tests share: how thorough hypothesis is, and the command as a person runs it."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import settings

from tests.hostile import outcomes

ROOT = Path(__file__).parent

settings.register_profile("quick", max_examples=1, deadline=None, database=None)
settings.register_profile("thorough", max_examples=5, deadline=None, print_blob=True)
settings.load_profile("quick")


LONGEST = (
    "test_pages",
    "reference/test_changing",
    "reference/test_kits",
    "hostile/test_hostile",
    "hostile/test_remembering",
    "tournaments/test_killing",
    "ladder/test_killing",
    "ladder/test_end_to_end",
    "cli/test_submit",
    "cli/laddering/test_night",
    "test_wheel",
    "cluster/test_trouble",
    "cluster/test_run",
    "tournaments/test_resuming",
    "tournaments/test_trouble",
    "reference/test_ladder",
    "cli/test_hostile_text",
    "match/test_stopping",
    "conformance/test_check",
    "cli/test_walls",
    "cli/test_run",
    "store/test_run",
    "ratings/test_coverage",
)
"""Where the longest tests are: they begin first, so that none of them is left for the end."""


DEAR = (
    "bots/sandbox/test_users",
    "bots/test_freezer",
    "bots/test_launcher",
    "bots/test_manifest_process",
    "bots/test_usage",
    "bots/test_warden",
    "cli/test_bombs",
    "cli/test_completion",
    "cli/test_new",
    "cli/test_plan",
    "cli/test_scope",
    "cli/test_submit",
    "cli/test_watch",
    "cluster/test_clearing",
    "cluster/test_dask_decoding",
    "cluster/test_hostile",
    "cluster/test_player",
    "cluster/test_shelf",
    "cluster/test_station",
    "conformance/test_greeting",
    "conformance/test_playing",
    "games/test_worlds",
    "hostile/test_remembering",
    "ladder/test_admission",
    "ladder/test_archives",
    "ladder/test_audit",
    "ladder/test_backup",
    "ladder/test_clerk",
    "ladder/test_limits",
    "ladder/test_quota",
    "ladder/uploads/test_unpacking",
    "match/test_killed",
    "match/test_memory",
    "match/test_stopping",
    "protocol/test_export",
    "reference/test_kits",
    "report/test_build",
    "report/test_replay",
    "report/test_survey",
    "store/test_database",
    "tournaments/test_digests",
    "tournaments/test_expected",
    "tournaments/test_forgery",
    "tournaments/test_local",
    "tournaments/test_resuming",
    "tournaments/test_voiding",
    "web/test_bombs",
    "web/test_load",
)
"""Modules that only `make test` runs: most start processes or fill disks for every test."""


def pytest_configure() -> None:
    """Let signals end what tests start, also where a shell or nohup lets us ignore them.

    What is ignored stays so in other programs that are started; what is handled does not.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, since many tests wait for a clock or for a process."""
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first; a process that has nothing left takes from the end of another's."""
    slow = {ROOT / f"{name}.py" for name in DEAR}
    for item in items:
        if item.path in slow:
            item.add_marker(pytest.mark.slow)
    ranks = {ROOT / f"{name}.py": rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


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
def common(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is empty when the tests begin and that all their processes share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def builds(common: Path) -> Path:
    """A cache for all tests."""
    return common / "builds"


Once = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def once(common: Path) -> Once:
    """Let the first process that needs a folder fill it, for which all others wait."""

    def filled(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = common / name, common / f"{name}.done"
        with (common / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # what another one has failed to fill
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return filled
