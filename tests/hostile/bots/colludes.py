"""Looks for its twin at the same table, by names that only one of two in one place can take."""

import ctypes
import fcntl
import os
import socket
import struct

import attacker

PORT = 48_213
KEY = 0x5457494E
IPC_CREAT_EXCL = 0o3600
F_RDLCK, F_WRLCK, F_OFD_GETLK = 0, 1, 36
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
    locks()
    watches()
    counters()


def locks() -> None:
    """A lock that is taken by one is seen by the other, and carries 112 bits."""
    for path in ("/usr/bin/env", "/dev/null"):
        file = os.open(path, os.O_RDONLY)
        place = os.getpid() * 1000 + 7
        lock = struct.pack("hhqqi4x", F_RDLCK, 0, place, 1, 0)
        fcntl.fcntl(file, fcntl.F_SETLK, lock)  # answered with success, and not carried out
        for command in (fcntl.F_GETLK, F_OFD_GETLK):
            question = ctypes.create_string_buffer(struct.pack("hhqqi4x", F_WRLCK, 0, 0, 0, 0))
            result = attacker.call("fcntl", file, command, question)
            attacker.refused(f"locks on {path}", result)
        for what, command, value in (("lease", 1024, 0), ("lease", 1025, 0), ("notify", 1026, 32)):
            result = attacker.call("fcntl", file, command, value)
            attacker.refused(f"{what} on {path}", result)
        other = os.open(path, os.O_RDONLY)
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            attacker.breach(f"flock on {path} is carried out")
        os.close(other)
        kept.append(file)


def watches() -> None:
    """One opens files, the other is told."""
    attacker.refused("inotify_init1", attacker.call("inotify_init1", 0))
    attacker.refused("inotify_add_watch", attacker.call("inotify_add_watch", 0, b"/usr/bin", 32))


def counters() -> None:
    """What one does must not show in what the kernel tells everybody."""
    for path in ("loadavg", "stat", "meminfo", "vmstat", "interrupts", "locks", "diskstats"):
        with open(f"/proc/{path}") as file:
            before = file.read()
        hoard = [bytearray(1 << 20) for _ in range(16)]
        attacker.burn(0.01)
        with open(f"/proc/{path}") as file:
            attacker.judge(file.read() != before, f"/proc/{path} changes")
        hoard.clear()
    for path in ("sys/fs", "pressure"):
        if os.path.isdir(f"/proc/{path}"):
            attacker.judge(bool(os.listdir(f"/proc/{path}")), f"/proc/{path} can be read")


attacker.play(attack, "every decide")
