"""Sends signals by ways that are seldom watched: to threads, by descriptors, as owner of files."""

import ctypes
import errno
import fcntl
import os
import signal

import attacker

KILL = int(signal.SIGKILL)
SI_QUEUE = -1


class Information(ctypes.Structure):
    """What goes with a queued signal."""

    _fields_ = [
        ("number", ctypes.c_int),
        ("error", ctypes.c_int),
        ("code", ctypes.c_int),
        ("rest", ctypes.c_char * 116),
    ]


def attack() -> None:
    information = Information(number=KILL, code=SI_QUEUE)
    own = os.getpid()
    reached = 0
    for pid in (*range(2, 300), 1000, 32_000):
        if pid == own:
            continue
        results = [
            attacker.call("tkill", pid, 0),
            attacker.call("tgkill", pid, pid, 0),
            attacker.call("rt_sigqueueinfo", pid, 0, information),
            attacker.call("rt_tgsigqueueinfo", pid, pid, 0, information),
            attacker.call("pidfd_open", pid, 0),
        ]
        reached += any(result >= 0 for result in results) or results[0] == -errno.EPERM
    attacker.judge(bool(reached), f"{reached} processes reached")
    for name, arguments in (
        ("tkill", (1, KILL)),
        ("tgkill", (1, 1, KILL)),
        ("rt_sigqueueinfo", (1, KILL, information)),
    ):
        # That it was sent is no harm: the first process is deaf to it, as is seen by living on.
        attacker.note(f"{name} to init {attacker.named(-attacker.call(name, *arguments))}")
    reader, writer = os.pipe()
    try:
        fcntl.fcntl(reader, fcntl.F_SETOWN, os.getppid())
        fcntl.fcntl(reader, 10, KILL)  # F_SETSIG
        fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(writer, b"x")
    except OSError as error:
        attacker.note(f"F_SETOWN {attacker.named(error.errno or 0)}")
    attacker.judge(not os.path.exists("/proc/1/stat"), "the first process lives")


attacker.play(attack)
