"""Checks that the suite leaves nothing behind: no processes, control groups, mounts or files.

Temporary files, builds and copies of the system in memory go below pytest's own folder or are
removed at the end. Everything else that is new when the suite ends is reported and fails it.
"""

import fcntl
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import resource_tracker
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter

from arena.bots.sandbox import sandbox, system_image
from arena.bots.sandbox.bwrap import BOT_UID_COUNT, FIRST_BOT_UID
from arena.bots.sandbox.bwrap_build import BUILD_UID_COUNT
from arena.bots.sandbox.cgroups import CGROUP_ROOT, NAME_PREFIX

MARK = "STICHKAMPF_TESTS"
"""The variable by which processes that the suite has started are recognised."""

CORE_LOCKS = f"{NAME_PREFIX}-*-core-*"
"""Lock files of cluster workers, which stay where they are."""

TOOLS = frozenset(
    {".cache", ".cargo", ".config", ".gradle", ".java", ".local", ".m2", ".npm", "go"}
)
"""What compilers and package managers keep in a home; `.cache` and the others hold ours too."""

FOLDERS: tuple[Path, ...] = (Path("/tmp"), Path("/var/tmp"), system_image.SHM)  # noqa: S108 (read only)
"""Folders that tests share with other programs."""

NAMES = (f"{NAME_PREFIX}*", "sem.*", "psm_*")
"""What is looked for there: our own, and semaphores and memory of multiprocessing."""

IMAGES = system_image.SHM / f"{NAME_PREFIX}-{os.geteuid()}"
"""Where copies of the system in memory are kept."""

END_TIMEOUT = 20.0
"""Seconds that processes have to end in after the last test."""


def pytest_configure(config: pytest.Config) -> None:
    """Choose the folder for all files of the tests, which no other run has to do with."""
    if not config.option.basetemp:  # with xdist the other processes get one from the first
        config.option.basetemp = tempfile.mkdtemp(prefix="pytest-stichkampf-")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Take note of what is there, before the processes that run the tests are started."""
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Leftovers(session.config), "leftovers")


class Leftovers:
    """Compares the machine after the suite with what it was before."""

    def __init__(self, config: pytest.Config) -> None:
        self.base: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined] # private in pytest
        self.tmp = self.base / "tmp"
        self.tmp.mkdir(exist_ok=True)
        self.mark = secrets.token_hex(8)
        os.environ[MARK] = self.mark
        os.environ["TMPDIR"] = str(self.tmp)
        os.environ["XDG_CACHE_HOME"] = str(self.base / "builds")
        tempfile.tempdir = None  # so that it looks at TMPDIR again
        self.looks: dict[str, Callable[[], set[str]]] = {
            "process": self.processes,
            "control group": self.groups,
            "mount": self.mounts,
            "file": self.files,
        }
        self.before = {kind: look() for kind, look in self.looks.items()}
        self.images = set(IMAGES.glob("*-*"))
        self.found: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Clean up what is meant to stay for a while, and look for the rest."""
        clean_up(self.images)
        self.found = self.new()
        until = time.monotonic() + END_TIMEOUT
        while self.found and time.monotonic() < until:
            time.sleep(0.1)
            clean_up(self.images)
            self.found = self.new()
        if self.found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if session.exitstatus == pytest.ExitCode.OK:
            shutil.rmtree(self.base, ignore_errors=True)

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Print what was left behind."""
        if self.found:
            terminalreporter.section("left behind by the tests", red=True)
            for line in self.found:
                terminalreporter.write_line(line)
        if self.base.exists():
            terminalreporter.write_line(f"The files of the tests are kept in {self.base}.")

    def new(self) -> list[str]:
        """What is there now and was not at the start."""
        return [
            f"{kind}: {each}"
            for kind, look in self.looks.items()
            for each in sorted(look() - self.before[kind])
        ]

    def processes(self) -> set[str]:
        """Processes that carry our mark, and bots whose referee is gone."""
        return {
            f"{pid} {command(pid)}"
            for pid in (int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit())
            if pid not in (os.getpid(), resource_tracker_pid())
            and (self.is_marked(pid) or self.is_abandoned(pid))
        }

    def is_marked(self, pid: int) -> bool:
        """Whether a process was started by the suite and has kept its environment."""
        return f"{MARK}={self.mark}".encode() in read(pid, "environ").split(b"\0")

    def is_abandoned(self, pid: int) -> bool:
        """Whether a process without a parent is a bot: by its user or by its files."""
        status = dict(
            line.split(b":", 1) for line in read(pid, "status").splitlines() if b":" in line
        )
        if not status or int(status[b"PPid"]) != 1:
            return False
        user = int(status[b"Uid"].split()[0])
        is_bot = FIRST_BOT_UID <= user < FIRST_BOT_UID + BOT_UID_COUNT + BUILD_UID_COUNT
        return is_bot or str(self.base).encode() in read(pid, "cmdline")

    def groups(self) -> set[str]:
        """Control groups of bots, but for those of referees that others have started."""
        return {
            group
            for group, _, _ in os.walk(CGROUP_ROOT)
            if Path(group).name.startswith(f"{NAME_PREFIX}-")
            and not self.is_others(Path(group).name)
        }

    def is_others(self, group: str) -> bool:
        """Whether the referee that made a group runs and was not started by the suite."""
        owner = group.split("-")[1]
        return owner.isdigit() and Path("/proc", owner).exists() and not self.is_marked(int(owner))

    def mounts(self) -> set[str]:
        """Mounts below the folders that tests work in."""
        lines = Path("/proc/self/mounts").read_text().splitlines()
        return {place for line in lines if (place := line.split()[1]).startswith(str(self.base))}

    def files(self) -> set[str]:
        """Files in folders that tests share with others."""
        return {str(path) for path in self.shared_files()}

    def shared_files(self) -> Iterator[Path]:
        """All files below folders of ours, and what is new at the top of a home."""
        yield from set(self.tmp.glob("*")) - set(self.tmp.glob(CORE_LOCKS))
        for folder in FOLDERS:
            for name in NAMES:
                yield from (path for path in folder.glob(name) if path != IMAGES and is_mine(path))
        with suppress(RuntimeError, OSError):  # there is no home, or it cannot be read
            home = Path.home()
            yield from (each for each in home.iterdir() if each.name not in TOOLS)
            for inner in (".cache", ".config", ".local/share", ".local/state"):
                yield from home.glob(f"{inner}/{NAME_PREFIX}/**/*")


def clean_up(before: set[Path]) -> None:
    """Remove what the next referee would remove, and copies in memory that the suite has made."""
    if groups := sandbox.usable_cgroups():
        groups.remove_stale_groups()
    for copy in set(IMAGES.glob("*-*")) - before:
        with suppress(OSError), (copy / "in-use").open() as mark:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if another process uses it
            shutil.rmtree(copy)
    if not any(IMAGES.glob("*-*")):
        shutil.rmtree(IMAGES, ignore_errors=True)


def is_mine(path: Path) -> bool:
    """Whether a file belongs to the user who runs the suite."""
    try:
        return path.lstat().st_uid == os.geteuid()
    except OSError:  # it has just been removed
        return False


def read(pid: int, name: str) -> bytes:
    """A file of a process; nothing if it has ended or is somebody else's."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def resource_tracker_pid() -> int | None:
    """The process id of multiprocessing's resource tracker, if it runs; it ends after the suite."""
    return getattr(resource_tracker._resource_tracker, "_pid", None)


def command(pid: int) -> str:
    """The command line of a process in one line."""
    return read(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace")[:200]
