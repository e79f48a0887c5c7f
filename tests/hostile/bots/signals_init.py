"""Stops and kills its parent and the first process of its cage, to get out when they are gone."""

import os
import signal
import time
from pathlib import Path

import attacker

SIGNALS = (
    signal.SIGSTOP,
    signal.SIGTSTP,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGSEGV,
    signal.SIGABRT,
    signal.SIGUSR1,
    signal.SIGCHLD,
    signal.SIGKILL,
)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def attack() -> None:
    targets = {1, os.getppid()}
    for pid in targets:
        for how in SIGNALS:
            try:
                os.kill(pid, how)
                # Inside of its own cage the first process is deaf to all that it has no ear for.
                attacker.note(f"{how.name} is sent")
            except OSError as error:
                attacker.note(f"{how.name} {attacker.named(error.errno or 0)}")
    time.sleep(0.1)
    for pid in targets:
        attacker.judge(state(pid) not in "SRD", f"process {pid} is in state {state(pid)}")


attacker.play(attack)
