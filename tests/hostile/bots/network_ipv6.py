"""Takes the newer internet, which filters tend to forget, to this machine and beyond it."""

import errno
import socket

import attacker

NEARBY = ["::1", "::ffff:127.0.0.1", "::"]
BEYOND = ["2001:db8::1", "ff02::1", "fe80::1", "fc00::1"]
CLOSED = {
    errno.ECONNREFUSED,
    errno.ENETUNREACH,
    errno.EADDRNOTAVAIL,
    errno.EAFNOSUPPORT,
    errno.EINVAL,  # a local address without an interface
}


def attack() -> None:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        for host in NEARBY + BEYOND:
            try:
                with socket.socket(socket.AF_INET6, kind) as knocker:
                    knocker.settimeout(0.1)
                    knocker.connect((host, 48_211))
                    knocker.send(b"stichkampf")
                    if kind == socket.SOCK_DGRAM:
                        knocker.recv(1)
                attacker.breach(f"[{host}] {kind.name}")
            except TimeoutError:
                attacker.breach(f"[{host}] {kind.name} is not refused")
            except OSError as error:
                wrong = error.errno not in CLOSED | attacker.DENIED
                attacker.judge(wrong, f"[{host}] {attacker.named(error.errno or 0)}")


attacker.play(attack)
