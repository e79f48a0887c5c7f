"""Finds out who and where it is: whether it is root, whose machine this is."""

import os
import socket
from pathlib import Path

import attacker


def attack() -> None:
    attacker.judge(0 in os.getresuid(), f"users {os.getresuid()}")
    attacker.judge(0 in os.getresgid(), f"groups {os.getresgid()}")
    others = set(os.getgroups()) - {os.getgid(), 65534}
    attacker.judge(bool(others), f"further groups {sorted(others)}")
    attacker.judge(socket.gethostname() != "bot", f"host {socket.gethostname()}")
    for path in ("/etc/hostname", "/etc/machine-id", "/sys/class/dmi/id/product_uuid"):
        attacker.attempt(path, os.open, path, os.O_RDONLY)
    # In a namespace of its own a user may be nobody and still be root outside.
    rows = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    mapped = [row for row in rows if row[1] == "0" and int(row[2]) < 2**31]
    attacker.judge(bool(mapped), f"its users are {rows}")
    attacker.attempt("a file of root's", os.open, "/proc/1/environ", os.O_RDWR)


attacker.play(attack)
