"""Tools that tests need. A tool counts only if it runs, and with CI=true none may be missing."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final, NoReturn

import pytest
from _pytest.terminal import TerminalReporter

from arena.bots.bot import builtin_bots
from arena.bots.interpreters import build_search_path
from arena.bots.manifest import MANIFEST_FILE, load_manifest
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""The names of Chromium."""

INCLUDE = "echo '#include <{}>' | c++ -fsyntax-only -x c++ -"

TRIALS: Final[dict[str, tuple[str, str]]] = {
    "bwrap": ("bwrap --version", "bubblewrap"),
    "bzip2": ("bzip2 --version", "bzip2"),
    "c++": ("c++ --version", "g++"),
    "cJSON": (INCLUDE.format("cjson/cJSON.h"), "libcjson-dev"),
    "cargo": ("cargo --version && rustc --version", "cargo"),
    "cc": ("cc --version", "gcc"),
    **{name: (f"{name} --version", "chromium") for name in BROWSERS},
    "cmake": ("cmake --version", "cmake"),
    "go": ("go version", "golang-go"),
    "gzip": ("gzip --version", "gzip"),
    "ip": ("ip -Version", "iproute2"),
    "javac": ("javac -version", "default-jdk-headless"),
    "jq": ("jq --version", "jq"),
    "make": ("make --version", "make"),
    "mvn": ("mvn --version", "maven"),
    "nlohmann-json": (INCLUDE.format("nlohmann/json.hpp"), "nlohmann-json3-dev"),
    "node": ("node --version", "nodejs"),
    "npm": ("npm --version", "npm"),
    "openssl": ("openssl version", "openssl"),
    "perl": ("perl -MTest::More -MJSON::PP -e1", "perl"),
    "pkg-config": ("pkg-config --version", "pkg-config"),
    "systemd-analyze": ("systemd-analyze --version", "systemd"),
    "tar": ("tar --version", "tar"),
    "xz": ("xz --version", "xz-utils"),
    "zip": ("zip -v", "zip"),
}
"""A shell command that shows that a tool runs, and the Debian package that has it.

`.ci/tools` installs them by the same commands.
"""

KITS: Final[dict[str, tuple[str, ...]]] = {
    "c": ("make", "cc", "cJSON"),
    "champion": ("make", "c++"),
    "cpp": ("cmake", "make", "c++", "nlohmann-json"),
    "go": ("go",),
    "java": ("mvn", "javac"),
    "javascript": ("node",),
    "perl": ("perl",),
    "rust": ("cargo", "cc"),
    "shell": ("jq",),
    "typescript": ("npm", "node"),
}
"""What bots that come with the program are built and run by."""

CI = os.environ.get("CI") == "true"
LONGEST_TRIAL = 60

UNREACHABLE: Final = re.compile(
    r"resolve host|name resolution|Unknown ?Host|EAI_AGAIN|ENOTFOUND"
    r"|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT"
    r"|(Could not|Failed to|Couldn't) connect|Connection (refused|reset|timed out)"
    r"|Network is unreachable|Timeout was reached|Operation timed out",
    re.IGNORECASE,
)
"""What cargo, npm, Maven and pip print where they cannot fetch packages."""


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", "needs(tool, ...): skipped where a tool is missing")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose tools are missing."""
    for marker in item.iter_markers("needs"):
        for tool in marker.args:
            require(tool)


def require(tool: str) -> None:
    """Skip the test unless a tool runs; `sandbox` is bubblewrap that can sandbox bots here."""
    if tool == "sandbox":
        try:
            select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
        except SandboxUnavailable as why:
            skip_or_fail(str(why))
    elif not tool_runs(tool):
        skip_or_fail(f"{tool} does not run here: apt install {TRIALS[tool][1]}")


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test because the machine lacks something; with CI=true fail it instead."""
    if CI:
        pytest.fail(f"with CI=true nothing may be missing: {reason}", pytrace=False)
    pytest.skip(reason)


def skip_without_sandbox(why: SandboxUnavailable) -> NoReturn:
    """Skip the test because there is no sandbox; only a strict one may be missing."""
    require("sandbox")
    pytest.skip(str(why))


def strip_sandbox_warning(stderr: str) -> str:
    """Remove the warning that there is no sandbox from stderr."""
    try:
        select_sandbox(SandboxLevel.STANDARD, ResourceLimits())
    except SandboxUnavailable as why:
        return stderr.replace(f"Bots run without a sandbox: {why}\n", "")
    return stderr


def require_chromium() -> str:
    """Return the path of a Chromium that runs; skip the test without one."""
    name = next(filter(tool_runs, BROWSERS), "chromium")
    require(name)
    return shutil.which(name) or name


def require_kit(name: str) -> None:
    """Skip the test unless everything is here that a bot of ours is built and run by."""
    for tool in KITS.get(name, ()):
        require(tool)
    if load_manifest(builtin_bots()[name] / MANIFEST_FILE).build_network:
        require_network(name)


def require_network(name: str) -> None:
    """Skip the test without a network."""
    if not is_connected():
        skip_or_fail(f"there is no network here, from which {name} gets packages")


def is_connected() -> bool:
    """Whether packets leave this machine: something but loopback has a default route."""
    routes = (
        (ends[1], ends[-1] if version else ends[0])
        for version, file in enumerate(("route", "ipv6_route"))
        if (table := Path("/proc/net") / file).exists()
        for ends in map(str.split, table.read_text().splitlines())
    )
    return any(not goal.strip("0") and device != "lo" for goal, device in routes)


@cache
def tool_runs(tool: str) -> bool:
    """Whether a tool runs; one that does not is skipped on the PATH, as it is in builds."""
    command, _ = TRIALS[tool]
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=LONGEST_TRIAL,
            env={**os.environ, "PATH": build_search_path()},
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print what was skipped and why."""
    counts: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", ()):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = reason.removeprefix("Skipped: ")
        counts[reason] = counts.get(reason, 0) + 1
    if counts:
        terminalreporter.section("skipped tests, and why")
        for reason, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
            terminalreporter.write_line(f"{count:5}  {reason}")
