"""Looks for privileges that were left to it, and takes back those that were not."""

import ctypes
from pathlib import Path

import attacker

PR_CAPBSET_READ, PR_SET_KEEPCAPS, PR_SET_SECUREBITS = 23, 8, 28
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, RAISE = 38, 47, 2
PR_SET_SECCOMP = 22
VERSION = 0x20080522
NONE = "0" * 16


class Header(ctypes.Structure):
    """Whose capabilities are meant."""

    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def attack() -> None:
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines)
    for key in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        attacker.judge(status[key] != NONE, f"{key} {status[key]}")
    attacker.judge(status["NoNewPrivs"] != "1", f"NoNewPrivs {status['NoNewPrivs']}")
    attacker.judge(status["Seccomp"] != "2", f"Seccomp {status['Seccomp']}")
    header = Header(VERSION, 0)
    everything = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    attacker.refused("capset", attacker.call("capset", header, everything))
    kept = [
        number
        for number in range(41)
        if attacker.call("prctl", PR_CAPBSET_READ, number, 0, 0, 0) > 0
    ]
    attacker.judge(bool(kept), f"bounding set {kept}")
    raised = attacker.call("prctl", PR_CAP_AMBIENT, RAISE, 21, 0, 0)
    attacker.refused("ambient", raised)
    attacker.refused("privileges again", attacker.call("prctl", PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0))
    attacker.refused("no filter", attacker.call("prctl", PR_SET_SECCOMP, 0, 0, 0, 0))
    attacker.refused("securebits", attacker.call("prctl", PR_SET_SECUREBITS, 0x2F, 0, 0, 0))


attacker.play(attack)
