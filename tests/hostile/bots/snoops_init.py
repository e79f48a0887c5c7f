"""Climbs through the first process of its cage, which knows the world outside."""

import os
from pathlib import Path

import attacker

INIT = Path("/proc/1")
HARMLESS = ("pipe:", "anon_inode:", "socket:", "/dev/null")


def same(path: Path, other: str) -> bool:
    found, expected = path.stat(), os.stat(other)
    return (found.st_dev, found.st_ino) == (expected.st_dev, expected.st_ino)


def links() -> None:
    for name, allowed in (("root", ("/",)), ("cwd", ("/", "/bot", "/tmp"))):
        try:
            wrong = not any(same(INIT / name, other) for other in allowed)
            attacker.judge(wrong, f"{name} leads to {os.readlink(INIT / name)}")
        except OSError as error:
            attacker.note(f"{name} {attacker.named(error.errno or 0)}")
    try:
        for entry in os.listdir(INIT / "fd"):
            target = os.readlink(INIT / "fd" / entry)
            attacker.judge(not target.startswith(HARMLESS), f"descriptor {entry} is {target}")
    except OSError as error:
        attacker.note(f"fd {attacker.named(error.errno or 0)}")


def attack() -> None:
    links()
    attacker.attempt("write exe", os.open, INIT / "exe", os.O_RDWR)
    wins = [
        key for key, value in attacker.rights("1").items() if value != attacker.rights("self")[key]
    ]
    try:
        os.close(os.open(INIT / "mem", os.O_RDWR))
        # Where it is of the same user its memory can be written; that gains nothing, if it may do
        # no more than whoever writes it.
        attacker.judge(bool(wins), f"writes memory of who has other {wins}")
    except OSError as error:
        attacker.note(f"mem {attacker.named(error.errno or 0)}")
    for name in ("../..", "root/..", "root/../..", "cwd/../.."):
        try:
            where = "its own root" if same(INIT / name, "/") else "elsewhere"
            attacker.judge(where == "elsewhere", f"{name} is {where}")
        except OSError as error:
            attacker.note(f"{name} {attacker.named(error.errno or 0)}")


attacker.play(attack)
