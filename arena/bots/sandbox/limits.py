"""Sandbox levels, and the resource limits of a bot."""

import resource
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

MIB = 1 << 20
MAX_FILE_MIB = 16
"""MiB of the longest file that a bot may write."""

DATA_FACTOR = 4
"""How much more than its memory a process may allocate: much of that is never used."""

MAX_CPU_SECONDS = 24 * 3600
"""Seconds of CPU time after which the kernel ends a process, independently of the referee."""


class SandboxLevel(StrEnum):
    """How strongly bots are isolated."""

    STRICT = "strict"
    """As standard, with cgroups; a bot is stopped while it has no open question, and its processes
    cannot wake each other by futexes."""
    STANDARD = "standard"
    """Own namespaces, no network, a read-only system, a filter for system calls, limits."""
    NONE = "none"
    """No sandbox: bots can do whatever their user can."""


class ResourceLimits(Struct, frozen=True, kw_only=True):
    """What all processes of a bot together may use."""

    memory: Annotated[int, Meta(ge=16, le=1 << 20)] = 256
    """MiB."""
    processes: Annotated[int, Meta(ge=1, le=4096)] = 64
    """Processes and threads."""
    files: Annotated[int, Meta(ge=16, le=1 << 16)] = 256
    """Open at once, in each process."""
    tmp: Annotated[int, Meta(ge=1, le=1 << 16)] = 32
    """MiB of files in its own /tmp."""
    entries: Annotated[int, Meta(ge=16, le=1 << 22)] = 20_000
    """Files and folders in its own /tmp."""


def rlimits(limits: ResourceLimits) -> dict[int, int]:
    """The limits of the kernel for each process of a bot."""
    return {
        resource.RLIMIT_NPROC: limits.processes,
        resource.RLIMIT_NOFILE: limits.files,
        resource.RLIMIT_FSIZE: MAX_FILE_MIB * MIB,
        resource.RLIMIT_DATA: DATA_FACTOR * limits.memory * MIB,
        resource.RLIMIT_CORE: 1,  # with 0 a program that takes core dumps is still run
        resource.RLIMIT_MEMLOCK: 64 << 10,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_RTPRIO: 0,
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_CPU: MAX_CPU_SECONDS,
    }
