"""Starts processes by vfork, clone and clone3, in case that somebody only counts forks."""

import ctypes
import errno
import os
import signal

import attacker

CLONE_PARENT = 0x8000


class Arguments(ctypes.Structure):
    """What clone3 takes."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            "flags pidfd child_tid parent_tid exit_signal stack stack_size tls set_tid set_tid_size"
        ).split()
    ]


def by_clone(flags: int = 0) -> int:
    result = attacker.call("clone", int(signal.SIGCHLD) | flags, 0, 0, 0, 0)
    return live_on(result)


def by_clone_for_its_parent() -> int:
    return by_clone(CLONE_PARENT)


def by_clone3() -> int:
    arguments = Arguments(exit_signal=int(signal.SIGCHLD))
    result = attacker.call("clone3", arguments, ctypes.sizeof(arguments))
    return live_on(result)


def by_vfork() -> int:
    try:
        return os.posix_spawn("/usr/bin/sleep", ["sleep", str(attacker.LIFETIME)], {})
    except OSError as error:
        return -(error.errno or errno.EIO)


def live_on(result: int) -> int:
    if result == 0:
        attacker.become_a_child()
        attacker.wait_for_the_end()
    return result


def attack() -> None:
    routes = [by_clone, by_clone_for_its_parent, by_clone3, by_vfork]
    started = 0
    while routes and started < attacker.MOST_PROCESSES and attacker.time_left() > 0:
        for route in list(routes):
            result = route()
            started += result > 0
            if result < 0:
                attacker.note(f"{route.__name__} {attacker.named(-result)}")
                routes.remove(route)
    count = attacker.population()
    attacker.judge(count > attacker.PROCESSES, f"{count} processes at once")


attacker.play(attack)
