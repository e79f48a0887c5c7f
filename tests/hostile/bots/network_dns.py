"""Asks for the address of a host, since a question is a message to whoever answers it."""

import errno
import select
import socket
import time
from pathlib import Path

import attacker

NAME = "example.com"
QUERY = (
    b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
    b"\x0fstichkampf-test\x07example\x03com\x00\x00\x01\x00\x01"
)
UNREACHABLE = {errno.ENETUNREACH, errno.ECONNREFUSED, errno.EAFNOSUPPORT}


def servers() -> list[str]:
    found = ["127.0.0.53", "127.0.0.1", "192.0.2.53"]
    try:
        lines = Path("/etc/resolv.conf").read_text().splitlines()
    except OSError:
        return found
    return found + [line.split()[1] for line in lines if line.startswith("nameserver")]


def by_library() -> int:
    try:
        return len(socket.getaddrinfo(NAME, 80))
    except socket.gaierror:
        return -errno.ENETUNREACH


def answered(server: str) -> bool:
    family = socket.AF_INET6 if ":" in server else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.connect((server, 53))
        asking.send(QUERY)
        time.sleep(0.05)
        asking.send(QUERY)
        return bool(select.select([asking], [], [], 0.2)[0]) and bool(asking.recv(512))


def attack() -> None:
    for server in servers():
        try:
            attacker.judge(answered(server), f"{server} is asked")
        except OSError as error:
            wrong = error.errno not in UNREACHABLE | attacker.DENIED
            attacker.judge(wrong, f"{server} {attacker.named(error.errno or 0)}")
    # Without a network the library gives up at once; where it waits, the child is ended.
    attacker.refused("getaddrinfo", attacker.in_a_child(by_library))


attacker.play(attack)
