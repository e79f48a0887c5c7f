"""Forges packets below every protocol, and listens to those of others."""

import errno
import socket

import attacker

KINDS = {
    "packet": (socket.AF_PACKET, socket.SOCK_RAW, 0x0300),
    "packet without header": (socket.AF_PACKET, socket.SOCK_DGRAM, 0x0300),
    "icmp": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "raw": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW),
    "tcp": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP),
    "icmp6": (socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6),
    "old packet": (socket.AF_INET, 10, 0x0300),
}
ECHO = b"\x08\x00\xf7\xff\x00\x00\x00\x00"


def attack() -> None:
    for name, kind in KINDS.items():
        attacker.attempt(name, socket.socket, *kind)
    try:  # a ping needs no privilege where the kernel is told so, only somewhere to go
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) as ping:
            ping.sendto(ECHO, ("192.0.2.1", 0))
        attacker.breach("ping")
    except OSError as error:
        wrong = error.errno not in {errno.ENETUNREACH, errno.EAFNOSUPPORT} | attacker.DENIED
        attacker.judge(wrong, f"ping {attacker.named(error.errno or 0)}")


attacker.play(attack)
