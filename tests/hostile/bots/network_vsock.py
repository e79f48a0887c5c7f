"""Talks to the machine around a virtual machine, which no network namespace keeps it from."""

import fcntl
import os
import socket

import attacker

AF_VSOCK = 40
GET_LOCAL_CID = 0x7B9
LOCAL = 1


def attack() -> None:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        found = attacker.attempt(f"vsock {kind.name}", socket.socket, AF_VSOCK, kind)
        if found:
            with found:
                # Only to itself: whoever is really there is not to be bothered.
                attacker.note(f"connect {attacker.named(found.connect_ex((LOCAL, 48_211)))}")
    device = attacker.attempt("/dev/vsock", os.open, "/dev/vsock", os.O_RDONLY)
    if device is not None:
        attacker.attempt("its own address", fcntl.ioctl, device, GET_LOCAL_CID, bytes(4))


attacker.play(attack)
