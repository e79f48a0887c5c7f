"""Asks the kernel for its network cards, wants to change them, and listens to its news."""

import fcntl
import os
import socket
import struct
from pathlib import Path

import attacker

SIOCSIFFLAGS, SIOCSIFADDR, SIOCBRADDBR = 0x8914, 0x8916, 0x89A0
AUDIT, CONNECTOR = 9, 11
RTM_NEWLINK, NLM_F_REQUEST_ACK_CREATE = 16, 0x405
TELL_ME = struct.pack("=IHHIIIIIIHHI", 40, 3, 0, 0, 0, 1, 1, 0, 0, 4, 0, 1)
"""Asks for news about all processes that begin and end."""


def cards() -> set[str]:
    found: set[str] = set()
    try:
        found |= {name for _, name in socket.if_nameindex()}
    except OSError as error:
        attacker.note(f"if_nameindex {attacker.named(error.errno or 0)}")
    for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
        found.add(line.split(":")[0].strip())
    if os.path.isdir("/sys/class/net"):
        found |= set(os.listdir("/sys/class/net"))
    return found


def new_link() -> None:
    """Ask for a network card out of nothing, and raise what the kernel says to it."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        kind = struct.pack("HH8s", 9, 1, b"dummy")
        link = struct.pack("HH", 4 + len(kind), 18) + kind
        body = struct.pack("BxHiII", 0, 0, 0, 1, 1) + link
        header = struct.pack("IHHII", 16 + len(body), RTM_NEWLINK, NLM_F_REQUEST_ACK_CREATE, 1, 0)
        kernel.settimeout(0.2)
        kernel.send(header + body)
        answer = kernel.recv(4096)
        (code,) = struct.unpack("i", answer[16:20])
        if code:
            raise OSError(-code, "netlink")


def listen(protocol: int, request: bytes = b"") -> None:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, protocol) as kernel:
        kernel.bind((0, 1))
        if request:
            kernel.send(request)


def change(request: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, request, struct.pack("16sH22x", b"lo", 0))


def attack() -> None:
    found = cards() - {"lo"}
    attacker.judge(bool(found), f"network cards {sorted(found)}")
    attacker.attempt("a new card", new_link)
    attacker.attempt("audit", listen, AUDIT)
    attacker.attempt("process events", listen, CONNECTOR, TELL_ME)
    for name, request in (
        ("flags", SIOCSIFFLAGS),
        ("address", SIOCSIFADDR),
        ("bridge", SIOCBRADDBR),
    ):
        attacker.attempt(f"{name} of lo", change, request)


attacker.play(attack)
