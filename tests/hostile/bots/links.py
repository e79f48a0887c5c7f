"""Lays links to files of others, and writes and reads through them."""

import os

import attacker

TARGETS = [
    "/etc/passwd",
    "/usr/bin/env",
    "/bot/links.py",
    "/proc/1/environ",
    "/proc/sys/kernel/hostname",
]


def overwrite(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY))


def again(path: str) -> None:
    """Set the mode that a file has already, which takes the same right as any other."""
    os.chmod(path, os.stat(path).st_mode & 0o7777)


def append(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_APPEND))


def attack() -> None:
    for number, target in enumerate(TARGETS):
        symbolic, hard = f"/tmp/symbolic-{number}", f"/tmp/hard-{number}"
        os.symlink(target, symbolic)
        # That they can be opened for writing is enough: nothing is really cut off.
        attacker.attempt(f"write to {target}", overwrite, symbolic)
        attacker.attempt(f"append to {target}", append, symbolic)
        attacker.attempt(f"hard link to {target}", os.link, target, hard)
        attacker.attempt(f"mode of {target}", again, symbolic)
    os.symlink("/", "/tmp/root")
    for folder in ("/tmp/root", "/tmp/root/usr", "/tmp/root/etc", "/tmp/root/bot"):
        attacker.attempt(f"a file in {folder}", attacker.make_file, folder)


attacker.play(attack)
