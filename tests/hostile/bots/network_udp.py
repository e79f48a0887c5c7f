"""Sends datagrams to this machine and beyond it, which need nobody's consent."""

import errno
import socket
import time

import attacker

TEST = ("127.0.0.1", 48_211)
BEYOND = ["10.0.2.2", "172.17.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255"]


def attack() -> None:
    try:
        with socket.socket(type=socket.SOCK_DGRAM) as sender:
            sender.connect(TEST)
            sender.send(b"stichkampf")
            time.sleep(0.1)
            # Nobody listens there if the first datagram came back as an error.
            sender.send(b"stichkampf")
    except OSError as error:
        attacker.note(f"{TEST} {attacker.named(error.errno or 0)}")
    else:
        attacker.breach(f"somebody listens at {TEST}")
        return  # the case is clear, and nobody beyond this machine is to be bothered
    for host in BEYOND:
        try:
            with socket.socket(type=socket.SOCK_DGRAM) as sender:
                sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
                sender.sendto(b"stichkampf", (host, 9))
            attacker.breach(f"sent to {host}")
        except OSError as error:
            wrong = error.errno not in {errno.ENETUNREACH, errno.EAFNOSUPPORT} | attacker.DENIED
            attacker.judge(wrong, f"{host} {attacker.named(error.errno or 0)}")


attacker.play(attack)
