"""Crashes children that hold much memory, so that their cores fill the disk."""

import mmap
import os
import re
import resource
import signal
from pathlib import Path

import attacker


def crash(how: signal.Signals) -> None:
    os.chdir("/tmp")
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    attacker.libc.prctl(4, 1, 0, 0, 0)  # it may be dumped
    block = mmap.mmap(-1, 32 * attacker.MIB, flags=mmap.MAP_PRIVATE)
    attacker.touch(block)
    signal.signal(how, signal.SIG_DFL)
    os.kill(os.getpid(), how)


def attack() -> None:
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
        attacker.breach("RLIMIT_CORE lifted")
    except (OSError, ValueError):
        attacker.note(f"RLIMIT_CORE stays {resource.getrlimit(resource.RLIMIT_CORE)}")
    piped = Path("/proc/sys/kernel/core_pattern").read_bytes().startswith(b"|")
    for how in (signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT):
        pid = attacker.away(crash, how, lifetime=3)
        _, status = os.waitpid(pid, 0)
        # Where cores go to a program of the host's, the kernel says that it dumped what it piped.
        attacker.judge(os.WCOREDUMP(status) and not piped, f"{how.name} status {status:#x}")
    for folder in ("/tmp", "/bot", "/", "/dev/shm"):
        for entry in os.listdir(folder) if os.path.isdir(folder) else []:
            if re.fullmatch(r"core([._-]?\d.*)?", entry):
                attacker.breach(f"{folder}/{entry}")


attacker.play(attack)
