"""Leaves the control group that counts what it uses, or gives that a higher limit."""

import os
from pathlib import Path

import attacker

FILES = "cgroup.procs tasks memory.max memory.limit_in_bytes pids.max cpu.max freezer.state".split()


def places() -> list[str]:
    found = [
        "/sys/fs/cgroup",
        "/sys/fs/cgroup/unified",
        "/sys/fs/cgroup/memory",
        "/sys/fs/cgroup/pids",
    ]
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        words = line.split()
        if "cgroup" in words[words.index("-") + 1]:
            found.append(words[4])
    return found


def make_group(folder: str) -> None:
    os.mkdir(f"{folder}/stichkampf-group")
    os.rmdir(f"{folder}/stichkampf-group")


def attack() -> None:
    for folder in dict.fromkeys(places()):
        for name in FILES:
            attacker.attempt(f"{folder}/{name}", os.open, f"{folder}/{name}", os.O_WRONLY)
        attacker.attempt(f"a group in {folder}", make_group, folder)
        for below, _, names in os.walk(folder):
            for name in set(names) & {"cgroup.procs", "tasks"}:
                attacker.attempt(
                    os.path.join(below, name), os.open, os.path.join(below, name), os.O_WRONLY
                )
            if attacker.time_left() < 0.5:
                return


attacker.play(attack)
