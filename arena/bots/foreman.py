"""The foreman: has a build done inside walls, within its limits, and leaves nothing running."""

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

from arena.bots import handover
from arena.bots.bare import python
from arena.bots.guard import EXCUSES, below, children, send
from arena.bots.handover import BadBuild
from arena.bots.sandbox.sandbox import Sandbox
from arena.bots.sandbox.site import BUILDERS, FIRST_BUILDER, LIMITS, Site, around, tools
from arena.bots.sandbox.users import claim_user
from arena.bots.sandbox.walls import ENVIRONMENT, Machine
from arena.bots.usage import unlinked, usage
from arena.errors import HarnessFailure
from arena.printable import printable

TICK, LONGEST_TICK = 0.5, 5.0
"""Seconds between looks at what a build takes up; more, where a look takes long."""

SHARE = 5
"""One part in so many of the time is spent looking."""

ROOM = 2048
"""MiB that a build may take up on the disk."""

SPARED = 256
"""MiB that it leaves free there, whatever it does."""

PRINTED = 16
"""MiB that it may print."""

NOBODY = 65534
"""Whom a build takes itself for where we are not root."""

SAID = 1000
"""Bytes of what bubblewrap says that are shown."""

GUARD = """
import json, os, signal
from arena.bots.guard import die_with_parent, guard
die_with_parent(int(sys.argv[1]), signal.SIGKILL)
nothing = os.open("/dev/null", os.O_RDONLY)
guard(json.load(sys.stdin), [nothing, 2, os.dup(2)], 1)
"""
"""The guard of one build, which reports to its stdout; what the build prints goes to its stderr."""


@dataclass(frozen=True)
class Job:
    """A build that is to be done."""

    yard: Path
    """A folder of its own, in which `bot` is what is built."""
    argv: tuple[str, ...]
    seconds: float
    """What it may take."""
    network: bool = False


def work(job: Job, printed: IO[bytes], sandbox: Sandbox) -> int:
    """Build inside walls, and take back what was built; its exit status."""
    machine = sandbox.machine
    if machine is None:
        raise HarnessFailure("there are no walls to build in")
    if not machine.root:
        return walled_in(job, printed, sandbox, machine, NOBODY)
    with closing(claim_user(FIRST_BUILDER, BUILDERS)) as user:
        return walled_in(job, printed, sandbox, machine, user.number)


def walled_in(job: Job, printed: IO[bytes], sandbox: Sandbox, machine: Machine, user: int) -> int:
    """Build as this user; the exit status."""
    site = laid_out(job, user)
    if machine.root:
        for folder in (site.folder, site.tmp):
            handover.give(folder, user)
    with TemporaryFile() as told, TemporaryFile() as reported:
        told.write(json.dumps(request(site, sandbox, machine, user)).encode())
        told.seek(0)
        guard = subprocess.Popen(  # noqa: S603 (it is our own)
            python(GUARD, str(os.getpid())),
            stdin=told,
            stdout=reported,
            stderr=printed,
            start_new_session=True,
            env={},
        )
        try:
            watch(guard.pid, job, printed, sandbox)
        finally:
            while guard.poll() is None:  # until it has nothing left to guard
                send(below(children(guard.pid)), signal.SIGKILL)
                time.sleep(0.005)
        check_output(printed)  # since the last look
        reported.seek(0)
        status = outcome([json.loads(line) for line in reported], printed)
    if status == 0:
        check_disk(job.yard)  # since the last look
        handover.take(site.folder, (*machine.folders, *tools(site.argv, machine)))
    return status


def laid_out(job: Job, user: int) -> Site:
    """A yard with everything that a build needs."""
    folder, tmp, passwd = (job.yard / name for name in ("bot", "tmp", "passwd"))
    site = Site(job.argv, folder, tmp, passwd, job.network)
    site.tmp.mkdir()
    site.passwd.write_text(f"bot:x:{user}:{user}::{ENVIRONMENT['HOME']}:/bin/sh\n")
    site.passwd.chmod(0o644)
    return site


def request(site: Site, sandbox: Sandbox, machine: Machine, user: int) -> dict[str, Any]:
    """What the guard is to start."""
    name = f"{os.getpid()}-build-{secrets.token_hex(8)}"
    groups = sandbox.cgroups.groups(name, LIMITS) if sandbox.cgroups else []
    return around(site, machine, user).request(groups, {})


def watch(guard: int, job: Job, printed: IO[bytes], sandbox: Sandbox) -> None:
    """Wait until a guard is done; a build that takes too much of something is an error."""
    until = time.monotonic() + job.seconds
    pause = TICK
    ended = select.poll()
    with os.fdopen(os.pidfd_open(guard), "rb", buffering=0) as process:
        ended.register(process, select.POLLIN)
        while not ended.poll(1000 * max(0.0, min(pause, until - time.monotonic()))):
            now = time.monotonic()
            if now >= until:
                raise BadBuild(f"took more than {job.seconds} s")
            check(guard, job.yard, printed, sandbox)
            pause = min(LONGEST_TICK, max(TICK, SHARE * (time.monotonic() - now)))


def check(guard: int, yard: Path, printed: IO[bytes], sandbox: Sandbox) -> None:
    """Whether a build keeps within its limits, where the kernel does not see to it."""
    check_output(printed)
    check_disk(yard, unlinked(below(children(guard))))
    if shutil.disk_usage(yard).free < SPARED << 20:
        raise BadBuild(f"left less than {SPARED} MiB free on the disk")
    if not sandbox.cgroups and held(guard) > LIMITS.memory << 20:
        raise BadBuild(f"took more than {LIMITS.memory} MiB of memory")


def check_output(printed: IO[bytes]) -> None:
    """Whether a build prints too much."""
    if os.fstat(printed.fileno()).st_size > PRINTED << 20:
        raise BadBuild(f"printed more than {PRINTED} MiB")


def check_disk(yard: Path, hidden: int = 0) -> None:
    """Whether a build takes up too much of the disk, with what is in files without a name."""
    if handover.exceeds(yard, (ROOM << 20) - hidden):
        raise BadBuild(f"took up more than {ROOM} MiB on the disk")


def held(guard: int) -> int:
    """The memory of all that is below a guard."""
    return usage(0, guard, memory=True).memory


def outcome(reports: list[dict[str, Any]], printed: IO[bytes]) -> int:
    """How a build ended, by what its guard has reported."""
    if not reports:
        raise HarnessFailure("the process that watches over a build is gone; run it again")
    last = reports[-1]
    if "refused" in last:
        printed.seek(0)
        said = printed.read(SAID).decode(errors="replace").strip()
        raise BadBuild(f"cannot be walled in: {printable(said) or last['refused']}")
    if last["starved"]:
        raise BadBuild(f"took more than {LIMITS.memory} MiB of memory")
    if last["cause"]:
        raise HarnessFailure(f"a build {EXCUSES[last['cause']]}")
    return os.waitstatus_to_exitcode(last["status"])
