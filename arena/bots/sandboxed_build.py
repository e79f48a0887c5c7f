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
from arena.bots.reaper import EXTERNAL_CAUSES, child_pids, process_tree, send_signal
from arena.bots.resource_usage import tree_usage, unlinked_bytes
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
from arena.errors import HarnessFailure
from arena.sanitize import printable

CHECK_INTERVAL, MAX_CHECK_INTERVAL = 0.5, 5.0
"""Seconds between two checks of the limits; longer if a check takes long."""

CHECK_TIME_DIVISOR = 5
"""At most one part in so many of the time is spent on checks."""

DISK_LIMIT = 2048
"""MiB that a build may take up on the disk."""

MIN_FREE_DISK = 256
"""MiB that have to stay free there."""

OUTPUT_LIMIT = 16
"""MiB that it may print."""

NOBODY_UID = 65534
"""The user id inside the sandbox where we are not root."""

MAX_BWRAP_MESSAGE = 1000
"""Bytes of bubblewrap's error message that are shown."""

REAPER_CODE = """
import json, os, signal
from arena.bots.reaper import die_with_parent, run_reaper
die_with_parent(int(sys.argv[1]), signal.SIGKILL)
stdin = os.open("/dev/null", os.O_RDONLY)
run_reaper(json.load(sys.stdin), [stdin, 2, os.dup(2)], 1)
"""
"""The reaper of a build reports on its stdout; the build's output goes to its stderr."""


@dataclass(frozen=True)
class BuildJob:
    """A build to be run in the sandbox."""

    workspace: Path
    """A private folder; its sub-folder `bot` is built."""
    argv: tuple[str, ...]
    timeout: float
    """Seconds that it may take."""
    has_network: bool = False


def run_sandboxed_build(job: BuildJob, output: IO[bytes], sandbox: Sandbox) -> int:
    """Build in the sandbox, and take back the folder; return the exit status."""
    support = sandbox.support
    if support is None:
        raise HarnessFailure("there is no sandbox to build in")
    if not support.is_root:
        return run_as_user(job, output, sandbox, support, NOBODY_UID)
    with closing(claim_user(FIRST_BUILD_UID, BUILD_UID_COUNT)) as user:
        return run_as_user(job, output, sandbox, support, user.uid)


def run_as_user(
    job: BuildJob, output: IO[bytes], sandbox: Sandbox, support: SandboxSupport, uid: int
) -> int:
    """Build as this user; return the exit status."""
    environment = create_environment(job, uid)
    if support.is_root:
        for folder in (environment.folder, environment.tmp):
            build_folder.give_to_user(folder, uid)
    with TemporaryFile() as request, TemporaryFile() as reports:
        request.write(json.dumps(reaper_request(environment, sandbox, support, uid)).encode())
        request.seek(0)
        reaper = subprocess.Popen(  # noqa: S603 (it is our own)
            python_argv(REAPER_CODE, str(os.getpid())),
            stdin=request,
            stdout=reports,
            stderr=output,
            start_new_session=True,
            env={},
        )
        try:
            wait_within_limits(reaper.pid, job, output, sandbox)
        finally:
            while reaper.poll() is None:  # until no process of the build is left
                send_signal(process_tree(child_pids(reaper.pid)), signal.SIGKILL)
                time.sleep(0.005)
        check_output(output)  # since the last check
        reports.seek(0)
        status = exit_status([json.loads(line) for line in reports], output)
    if status == 0:
        check_disk(job.workspace)  # since the last check
        build_folder.reclaim_folder(
            environment.folder, (*support.program_folders, *tool_paths(environment.argv, support))
        )
    return status


def create_environment(job: BuildJob, uid: int) -> BuildEnvironment:
    """Create the files beside the bot's folder that a build needs."""
    folder, tmp, passwd = (job.workspace / name for name in ("bot", "tmp", "passwd"))
    environment = BuildEnvironment(job.argv, folder, tmp, passwd, job.has_network)
    environment.tmp.mkdir()
    environment.passwd_file.write_text(f"bot:x:{uid}:{uid}::{ENVIRONMENT['HOME']}:/bin/sh\n")
    environment.passwd_file.chmod(0o644)
    return environment


def reaper_request(
    environment: BuildEnvironment, sandbox: Sandbox, support: SandboxSupport, uid: int
) -> dict[str, Any]:
    """The request that tells the reaper what to start."""
    name = f"{os.getpid()}-build-{secrets.token_hex(8)}"
    groups = sandbox.cgroups.bot_cgroups(name, BUILD_LIMITS) if sandbox.cgroups else []
    return build_command(environment, support, uid).reaper_request(groups, {})


def wait_within_limits(reaper_pid: int, job: BuildJob, output: IO[bytes], sandbox: Sandbox) -> None:
    """Wait until a reaper is done; a build that exceeds a limit is an error."""
    deadline = time.monotonic() + job.timeout
    pause = CHECK_INTERVAL
    ended = select.poll()
    with os.fdopen(os.pidfd_open(reaper_pid), "rb", buffering=0) as process:
        ended.register(process, select.POLLIN)
        while not ended.poll(1000 * max(0.0, min(pause, deadline - time.monotonic()))):
            now = time.monotonic()
            if now >= deadline:
                raise BadBuild(f"took more than {job.timeout} s")
            check_limits(reaper_pid, job.workspace, output, sandbox)
            pause = min(
                MAX_CHECK_INTERVAL,
                max(CHECK_INTERVAL, CHECK_TIME_DIVISOR * (time.monotonic() - now)),
            )


def check_limits(reaper_pid: int, workspace: Path, output: IO[bytes], sandbox: Sandbox) -> None:
    """Raise an error if a build exceeds a limit that the kernel does not enforce."""
    check_output(output)
    check_disk(workspace, unlinked_bytes(process_tree(child_pids(reaper_pid))))
    if shutil.disk_usage(workspace).free < MIN_FREE_DISK << 20:
        raise BadBuild(f"left less than {MIN_FREE_DISK} MiB free on the disk")
    if not sandbox.cgroups and memory_held(reaper_pid) > BUILD_LIMITS.memory << 20:
        raise BadBuild(f"took more than {BUILD_LIMITS.memory} MiB of memory")


def check_output(output: IO[bytes]) -> None:
    """Raise an error if a build prints too much."""
    if os.fstat(output.fileno()).st_size > OUTPUT_LIMIT << 20:
        raise BadBuild(f"printed more than {OUTPUT_LIMIT} MiB")


def check_disk(workspace: Path, hidden: int = 0) -> None:
    """Raise an error if a build, with `hidden` bytes of deleted files, fills the disk too much."""
    if build_folder.exceeds_size(workspace, (DISK_LIMIT << 20) - hidden):
        raise BadBuild(f"took up more than {DISK_LIMIT} MiB on the disk")


def memory_held(reaper_pid: int) -> int:
    """The memory of all processes below a reaper."""
    return tree_usage(0, reaper_pid, memory=True).memory


def exit_status(reports: list[dict[str, Any]], output: IO[bytes]) -> int:
    """The exit status of a build, from the reports of its reaper."""
    if not reports:
        raise HarnessFailure("the reaper process of a build is gone; run it again")
    last = reports[-1]
    if "error" in last:
        output.seek(0)
        message = output.read(MAX_BWRAP_MESSAGE).decode(errors="replace").strip()
        raise BadBuild(f"cannot be run in the sandbox: {printable(message) or last['error']}")
    if last["out_of_memory"]:
        raise BadBuild(f"took more than {BUILD_LIMITS.memory} MiB of memory")
    if last["cause"]:
        raise HarnessFailure(f"a build {EXTERNAL_CAUSES[last['cause']]}")
    return os.waitstatus_to_exitcode(last["status"])
