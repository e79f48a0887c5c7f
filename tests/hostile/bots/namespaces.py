"""Makes itself a world of its own in which it is root, or enters that of others."""

import ctypes
import os
import signal
import subprocess

import attacker

KINDS = {
    "user": 0x10000000,
    "mount": 0x00020000,
    "pid": 0x20000000,
    "net": 0x40000000,
    "ipc": 0x08000000,
    "uts": 0x04000000,
    "cgroup": 0x02000000,
    "time": 0x00000080,
}
TOOLS = ("unshare -Ur id", "unshare -m id", "nsenter -t 1 -a id", "bwrap --dev-bind / / id")


def by_clone(flags: int) -> int:
    result = attacker.call("clone", flags | int(signal.SIGCHLD), 0, 0, 0, 0)
    if result == 0:
        os._exit(0)
    return result


def by_clone3(flags: int) -> int:
    arguments = (ctypes.c_uint64 * 11)(flags, 0, 0, 0, int(signal.SIGCHLD))
    result = attacker.call("clone3", arguments, ctypes.sizeof(arguments))
    if result == 0:
        os._exit(0)
    return result


def by_unshare(flags: int) -> int:
    return attacker.call("unshare", flags)


def enter(path: str) -> int:
    return attacker.call("setns", os.open(path, os.O_RDONLY), 0)


def attack() -> None:
    everything = {**KINDS, "user and mount": KINDS["user"] | KINDS["mount"]}
    for name, flags in everything.items():
        for way in (by_unshare, by_clone, by_clone3):
            attacker.refused(name, attacker.in_a_child(way, flags))
    for pid in ("self", "1"):
        for name in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"):
            path = f"/proc/{pid}/ns/{name}"
            attacker.refused(path, attacker.in_a_child(enter, path))
    pidfd = attacker.call("pidfd_open", 1, 0)
    if pidfd >= 0:
        result = attacker.in_a_child(attacker.call, "setns", pidfd, KINDS["mount"])
        attacker.refused("setns by pidfd", result)
        os.close(pidfd)
    for command in TOOLS:
        try:
            done = subprocess.run(command.split(), capture_output=True, timeout=0.3, check=False)
            attacker.judge(done.returncode == 0, f"{command}: {done.returncode}")
        except (OSError, subprocess.TimeoutExpired) as error:
            attacker.note(f"{command.split()[0]} {type(error).__name__}")


attacker.play(attack)
