"""Run a build in the sandbox, within limits on time, memory, disk and output."""

import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from arena.bots import build_folder
from arena.bots.bootstrap import python_argv
from arena.bots.build_folder import BadBuild
from arena.bots.reaper import EXTERNAL_CAUSES, children, process_tree, send_signal
from arena.bots.sandbox.bwrap import ENVIRONMENT, SandboxSupport
from arena.bots.sandbox.bwrap_build import (
    BUILD_LIMITS,
    BUILD_UID_COUNT,
    FIRST_BUILD_UID,
    BuildEnvironment,
    build_command,
    tool_paths,
)
from arena.bots.sandbox.sandbox import Sandbox
from arena.bots.sandbox.users import claim_user
from arena.bots.usage import tree_usage, unlinked_bytes
from arena.errors import HarnessFailure
from arena.sanitize import printable

CHECK_INTERVAL, MAX_CHECK_INTERVAL = 0.5, 5.0
"""Seconds between looks at what a build takes up; more, where a look takes long."""

CHECK_TIME_DIVISOR = 5
"""One part in so many of the time is spent looking."""

DISK_LIMIT = 2048
"""MiB that a build may take up on the disk."""

MIN_FREE_DISK = 256
"""MiB that it leaves free there, whatever it does."""

OUTPUT_LIMIT = 16
"""MiB that it may print."""

NOBODY_UID = 65534
"""Whom a build takes itself for where we are not root."""

MAX_BWRAP_MESSAGE = 1000
"""Bytes of what bubblewrap says that are shown."""

REAPER_CODE = """
import json, os, signal
from arena.bots.reaper import die_with_parent, run_reaper
die_with_parent(int(sys.argv[1]), signal.SIGKILL)
nothing = os.open("/dev/null", os.O_RDONLY)
run_reaper(json.load(sys.stdin), [nothing, 2, os.dup(2)], 1)
"""
"""The guard of one build, which reports to its stdout; what the build prints goes to its stderr."""


@dataclass(frozen=True)
class BuildJob:
    """A build that is to be done."""

    workspace: Path
    """A folder of its own, in which `bot` is what is built."""
    argv: tuple[str, ...]
    timeout: float
    """What it may take."""
    has_network: bool = False


def run(job: BuildJob, output: IO[bytes], sandbox: Sandbox) -> int:
    """Build inside walls, and take back what was built; its exit status."""
    machine = sandbox.support
    if machine is None:
        raise HarnessFailure("there are no walls to build in")
    if not machine.is_root:
        return run_as_user(job, output, sandbox, machine, NOBODY_UID)
    with closing(claim_user(FIRST_BUILD_UID, BUILD_UID_COUNT)) as user:
        return run_as_user(job, output, sandbox, machine, user.uid)


def run_as_user(
    job: BuildJob, output: IO[bytes], sandbox: Sandbox, support: SandboxSupport, uid: int
) -> int:
    """Build as this user; the exit status."""
    site = create_environment(job, uid)
    if support.is_root:
        for folder in (site.folder, site.tmp):
            build_folder.give_to_user(folder, uid)
    with TemporaryFile() as told, TemporaryFile() as reported:
        told.write(json.dumps(reaper_request(site, sandbox, support, uid)).encode())
        told.seek(0)
        guard = subprocess.Popen(  # noqa: S603 (it is our own)
            python_argv(REAPER_CODE, str(os.getpid())),
            stdin=told,
            stdout=reported,
            stderr=output,
            start_new_session=True,
            env={},
        )
        try:
            wait_within_limits(guard.pid, job, output, sandbox)
        finally:
            while guard.poll() is None:  # until it has nothing left to guard
                send_signal(process_tree(children(guard.pid)), signal.SIGKILL)
                time.sleep(0.005)
        check_output(output)  # since the last look
        reported.seek(0)
        status = exit_status([json.loads(line) for line in reported], output)
    if status == 0:
        check_disk(job.workspace)  # since the last look
        build_folder.take_back(
            site.folder, (*support.program_folders, *tool_paths(site.argv, support))
        )
    return status


def create_environment(job: BuildJob, uid: int) -> BuildEnvironment:
    """A yard with everything that a build needs."""
    folder, tmp, passwd = (job.workspace / name for name in ("bot", "tmp", "passwd"))
    site = BuildEnvironment(job.argv, folder, tmp, passwd, job.has_network)
    site.tmp.mkdir()
    site.passwd_file.write_text(f"bot:x:{uid}:{uid}::{ENVIRONMENT['HOME']}:/bin/sh\n")
    site.passwd_file.chmod(0o644)
    return site


def reaper_request(
    environment: BuildEnvironment, sandbox: Sandbox, support: SandboxSupport, uid: int
) -> dict[str, Any]:
    """What the guard is to start."""
    name = f"{os.getpid()}-build-{secrets.token_hex(8)}"
    groups = sandbox.cgroups.bot_cgroups(name, BUILD_LIMITS) if sandbox.cgroups else []
    return build_command(environment, support, uid).reaper_request(groups, {})


def wait_within_limits(reaper_pid: int, job: BuildJob, output: IO[bytes], sandbox: Sandbox) -> None:
    """Wait until a guard is done; a build that takes too much of something is an error."""
    until = time.monotonic() + job.timeout
    pause = CHECK_INTERVAL
    ended = select.poll()
    with os.fdopen(os.pidfd_open(reaper_pid), "rb", buffering=0) as process:
        ended.register(process, select.POLLIN)
        while not ended.poll(1000 * max(0.0, min(pause, until - time.monotonic()))):
            now = time.monotonic()
            if now >= until:
                raise BadBuild(f"took more than {job.timeout} s")
            check_limits(reaper_pid, job.workspace, output, sandbox)
            pause = min(
                MAX_CHECK_INTERVAL,
                max(CHECK_INTERVAL, CHECK_TIME_DIVISOR * (time.monotonic() - now)),
            )


def check_limits(reaper_pid: int, workspace: Path, output: IO[bytes], sandbox: Sandbox) -> None:
    """Whether a build keeps within its limits, where the kernel does not see to it."""
    check_output(output)
    check_disk(workspace, unlinked_bytes(process_tree(children(reaper_pid))))
    if shutil.disk_usage(workspace).free < MIN_FREE_DISK << 20:
        raise BadBuild(f"left less than {MIN_FREE_DISK} MiB free on the disk")
    if not sandbox.cgroups and memory_held(reaper_pid) > BUILD_LIMITS.memory << 20:
        raise BadBuild(f"took more than {BUILD_LIMITS.memory} MiB of memory")


def check_output(output: IO[bytes]) -> None:
    """Whether a build prints too much."""
    if os.fstat(output.fileno()).st_size > OUTPUT_LIMIT << 20:
        raise BadBuild(f"printed more than {OUTPUT_LIMIT} MiB")


def check_disk(workspace: Path, hidden: int = 0) -> None:
    """Whether a build takes up too much of the disk, with what is in files without a name."""
    if build_folder.exceeds_size(workspace, (DISK_LIMIT << 20) - hidden):
        raise BadBuild(f"took up more than {DISK_LIMIT} MiB on the disk")


def memory_held(reaper_pid: int) -> int:
    """The memory of all that is below a guard."""
    return tree_usage(0, reaper_pid, memory=True).memory


def exit_status(reports: list[dict[str, Any]], output: IO[bytes]) -> int:
    """How a build ended, by what its guard has reported."""
    if not reports:
        raise HarnessFailure("the process that watches over a build is gone; run it again")
    last = reports[-1]
    if "refused" in last:
        output.seek(0)
        said = output.read(MAX_BWRAP_MESSAGE).decode(errors="replace").strip()
        raise BadBuild(f"cannot be walled in: {printable(said) or last['refused']}")
    if last["starved"]:
        raise BadBuild(f"took more than {BUILD_LIMITS.memory} MiB of memory")
    if last["cause"]:
        raise HarnessFailure(f"a build {EXTERNAL_CAUSES[last['cause']]}")
    return os.waitstatus_to_exitcode(last["status"])
