"""Opens sockets of every family there is, since the rarest have the oldest bugs."""

import errno
import socket

import attacker

USUAL = {1: "unix", 2: "IPv4", 10: "IPv6", 16: "netlink"}
KINDS = range(1, 7)
LAST = 48


def attack() -> None:
    refused = 0
    for family in range(3, LAST):
        if family in USUAL:
            continue
        for kind in KINDS:
            result = attacker.call("socket", family, kind | socket.SOCK_CLOEXEC, 0)
            refused += result < 0
            if result >= 0:
                attacker.breach(f"family {family} kind {kind}")
            elif -result in {errno.ESOCKTNOSUPPORT, errno.EPROTONOSUPPORT, errno.EPROTOTYPE}:
                # The family is there, and looked at what it was asked for.
                attacker.breach(f"family {family} kind {kind} {attacker.named(-result)}")
    attacker.note(f"{refused} refused")


attacker.play(attack)
