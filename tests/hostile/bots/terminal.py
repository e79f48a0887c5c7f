"""Types commands into the terminal that the referee was started from."""

import errno
import os

import attacker

REQUESTS = {
    "TIOCSTI": 0x5412,
    "TIOCLINUX": 0x541C,
    "TIOCSCTTY": 0x540E,
    "TIOCCONS": 0x541D,
    "TIOCSETD": 0x5423,
    "TIOCSWINSZ": 0x5414,
}
WIDER = 1 << 32
"""The kernel takes the lower half of a request, where a filter may compare all of it."""


def attack() -> None:
    streams = {"stdin": 0, "stdout": 1, "stderr": 2}
    for path in ("/dev/tty", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/pts/0", "/dev/pts/1"):
        opened = attacker.attempt(path, os.open, path, os.O_RDWR | os.O_NONBLOCK)
        if opened is not None:
            streams[path] = opened
    for name, stream in streams.items():
        for request, number in REQUESTS.items():
            plain = attacker.call("ioctl", stream, number, b"\n")
            attacker.refused(f"{request} on {name}", plain)
            wide = attacker.call("ioctl", stream, number | WIDER, b"\n")
            attacker.refused(f"wide {request} on {name}", wide)
            filtered = -plain in {errno.EPERM, errno.EACCES, errno.ENOSYS}
            attacker.judge(filtered and wide != plain, f"{request} {attacker.named(-wide)}")
    attacker.judge(os.getsid(0) == 0, f"session {os.getsid(0)}")
    try:
        attacker.judge(os.tcgetpgrp(0) > 0, "a terminal's group")
    except OSError:
        attacker.note("no terminal")


attacker.play(attack)
