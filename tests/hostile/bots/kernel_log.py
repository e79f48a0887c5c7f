"""Reads the log of the kernel and of the system, and writes into them what never happened."""

import ctypes
import os
import socket

import attacker

READ_ALL, SIZE_UNREAD, SIZE_BUFFER = 3, 9, 10
LOGS = (
    "/dev/kmsg /proc/kmsg /var/log/syslog /var/log/kern.log /var/log/dmesg /var/log/journal".split()
)
SOCKETS = "/dev/log /run/systemd/journal/dev-log /run/systemd/journal/socket".split()


def attack() -> None:
    buffer = ctypes.create_string_buffer(4096)
    attacker.refused("read", attacker.call("syslog", READ_ALL, buffer, 4096))
    for name, what in (("unread", SIZE_UNREAD), ("size", SIZE_BUFFER)):
        attacker.refused(name, attacker.call("syslog", what, None, 0))
    for path in LOGS:
        attacker.attempt(path, os.open, path, os.O_RDONLY | os.O_NONBLOCK)
    attacker.attempt("write /dev/kmsg", os.open, "/dev/kmsg", os.O_WRONLY)
    for path in SOCKETS:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
            attacker.attempt(path, log.connect, path)


attacker.play(attack)
