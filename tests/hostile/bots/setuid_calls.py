"""Asks the kernel to be root, or anybody else."""

import ctypes
import os

import attacker


def attack() -> None:
    if os.geteuid() == 0:
        attacker.breach("it is root already")
        return
    group = ctypes.c_uint(0)
    for name, arguments in {
        "setresuid": (0, 0, 0),
        "setresgid": (0, 0, 0),
        "setgroups": (1, group),
    }.items():
        attacker.refused(name, attacker.in_a_child(attacker.call, name, *arguments))
    for way in (os.setuid, os.seteuid, os.setgid, os.setegid):
        for somebody in (0, os.getuid() + 1):
            result = attacker.in_a_child(way, somebody)
            attacker.refused(f"{way.__name__} {somebody}", result)
    attacker.call("setfsuid", 0)
    # It returns who one was before, so a second call tells whether the first one worked.
    judged = attacker.call("setfsuid", os.getuid())
    attacker.judge(judged == 0, f"setfsuid leaves {judged}")


attacker.play(attack)
