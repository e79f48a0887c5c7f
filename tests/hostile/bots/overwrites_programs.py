"""Overwrites the programs that run it: Python, the shell, and the one that made its cage."""

import os
import sys

import attacker

PROGRAMS = [
    "/proc/self/exe",
    "/proc/1/exe",
    sys.executable,
    "/usr/bin/env",
    "/bin/sh",
    "/usr/bin/bwrap",
]


def through_a_path_handle(path: str) -> None:
    handle = os.open(path, os.O_PATH)
    os.close(os.open(f"/proc/self/fd/{handle}", os.O_WRONLY))


def attack() -> None:
    for path in PROGRAMS:
        # Opened for writing they could be overwritten; nothing is.
        attacker.attempt(f"write {path}", os.open, path, os.O_WRONLY)
        attacker.attempt(f"reopen {path}", through_a_path_handle, path)
    for folder in ("/usr/bin", "/usr/lib", "/usr/local/bin", "/etc", "/", "/usr/lib/python3"):
        attacker.attempt(f"a file in {folder}", attacker.make_file, folder)


attacker.play(attack)
