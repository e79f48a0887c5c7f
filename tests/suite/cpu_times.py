"""CPU time of each module with all its processes, also of those that were killed.

The sums that the kernel keeps for a process leave out children that nobody waited for, such as
killed clusters and browsers. So each test process gets a control group of its own.
"""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter

from tests.suite.order import module_path

GROUPS = Path("/sys/fs/cgroup/cpuacct")
PROPERTY = "CPU seconds"
SHOWN = 40


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--cpu-times`."""
    parser.addoption(
        "--cpu-times",
        action="store_true",
        help="Print the CPU time of the most expensive modules (root, control groups version 1).",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Put each process that runs tests into a group of its own."""
    workers = getattr(config.option, "numprocesses", None)
    if config.option.cpu_times and (hasattr(config, "workerinput") or not workers):
        config.pluginmanager.register(Meter(GROUPS / f"tests-{os.getpid()}"))


class Meter:
    """Measures each test of this process."""

    def __init__(self, group: Path) -> None:
        self.group = group
        group.mkdir()
        (group / "cgroup.procs").write_text(str(os.getpid()))
        self.last = self.seconds()

    def pytest_collection_finish(self) -> None:
        """Leave the collection of all tests out."""
        self.last = self.seconds()

    def seconds(self) -> float:
        """CPU time used so far."""
        return int((self.group / "cpuacct.usage").read_text()) / 1e9

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach to each report what was used since the one before."""
        report = yield
        now = self.seconds()
        report.user_properties.append((PROPERTY, now - self.last))
        self.last = now
        return report

    def pytest_unconfigure(self) -> None:
        """Leave the group, which is removed once its last process has ended."""
        (GROUPS / "cgroup.procs").write_text(str(os.getpid()))
        for pid in (self.group / "cgroup.procs").read_text().split():
            (GROUPS / "cgroup.procs").write_text(pid)
        self.group.rmdir()


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Print the most expensive modules."""
    if not config.option.cpu_times:
        return
    used: dict[str, float] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == PROPERTY:
                    place = module_path(report.nodeid)
                    used[place] = used.get(place, 0) + float(value)
    terminalreporter.section(f"CPU time: {sum(used.values()):.0f} s")
    for name, seconds in sorted(used.items(), key=lambda pair: -pair[1])[:SHOWN]:
        terminalreporter.write_line(f"{seconds:8.1f} s  {name}")
