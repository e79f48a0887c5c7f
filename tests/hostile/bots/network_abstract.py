"""Connects to sockets that have a name but no file, which belong to the host's programs."""

import errno
import socket
from pathlib import Path

import attacker

CLOSED = {errno.ECONNREFUSED, errno.ENOENT, errno.EPROTOTYPE}
KNOWN = [b"stichkampf-test", b"/tmp/dbus-", b"/tmp/.X11-unix/X0", b"/containerd-shim/"]
KINDS = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)


def listed() -> list[bytes]:
    lines = Path("/proc/net/unix").read_bytes().splitlines()[1:]
    names = [line.split()[7] for line in lines if len(line.split()) > 7]
    return [name[1:].rstrip(b"@") for name in names if name.startswith(b"@")]


def attack() -> None:
    found = listed()
    attacker.judge(bool(found), f"sees {len(found)} abstract sockets")
    for name in dict.fromkeys(KNOWN + found[:20]):
        for kind in KINDS:
            try:
                with socket.socket(socket.AF_UNIX, kind) as knocker:
                    knocker.settimeout(0.1)
                    knocker.connect(b"\0" + name)
                attacker.breach(f"{name!r} {kind.name}")
            except OSError as error:
                wrong = error.errno not in CLOSED | attacker.DENIED
                attacker.judge(wrong, f"{name.decode()} {attacker.named(error.errno or 0)}")


attacker.play(attack)
