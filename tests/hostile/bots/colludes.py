"""Looks for its twin at the same table, by names that only one of two in one place can take."""

import os
import socket

import attacker

PORT = 48_213
KEY = 0x5457494E
IPC_CREAT_EXCL = 0o3600
kept: list[object] = []
looked = False


def take(
    kind: socket.AddressFamily, how: socket.SocketKind, address: tuple[str, int] | str
) -> None:
    """Bind a name; that somebody has it already is the twin."""
    try:
        own = socket.socket(kind, how)
        own.bind(address)
    except OSError as error:
        wrong = error.errno == 98  # it is in use
        attacker.judge(wrong, f"{address!r} {attacker.named(error.errno or 0)}")
    else:
        kept.append(own)


def attack() -> None:
    global looked
    foreign = attacker.pids() - {1, os.getpid()}
    attacker.judge(bool(foreign), f"somebody else is here: {sorted(foreign)[:5]}")
    if looked:
        return
    looked = True
    for how in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        take(socket.AF_UNIX, how, f"\0stichkampf-twin-{how.name}")
        take(socket.AF_UNIX, how, f"/tmp/stichkampf-twin-{how.name}")
        take(socket.AF_UNIX, how, f"/dev/shm/stichkampf-twin-{how.name}")
        take(socket.AF_INET, how, ("127.0.0.1", PORT))
        take(socket.AF_INET6, how, ("::1", PORT))
    for name, extra in (("shmget", (4096,)), ("msgget", ()), ("semget", (1,))):
        result = attacker.call(name, KEY, *extra, IPC_CREAT_EXCL)
        attacker.judge(result == -17, f"{name} {attacker.named(-result)}")
    result = attacker.call(
        "mq_open", b"stichkampf-twin", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600, None
    )
    attacker.judge(result == -17, f"mq_open {attacker.named(-result)}")


attacker.play(attack, "every decide")
