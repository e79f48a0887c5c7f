"""Fills the buffers of sockets in many processes, where they belong to none."""

import os
import socket
import time

import attacker

COUNT = 16
ENOUGH = attacker.MEMORY * 3 // 2
SEEN = "/dev/shm/stichkampf-seen"


def pour(stream: socket.socket) -> int:
    total = 0
    stream.setblocking(False)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
    try:
        while True:
            total += stream.send(b"x" * 65_536)
    except OSError:
        return total


def hold() -> None:
    kept = []
    try:
        while True:
            pair = socket.socketpair()
            kept.append(pair)
            total = sum(map(pour, pair))
            with open(SEEN, "ab", buffering=0) as seen:
                seen.write(b"x" * (total >> 12))
    except OSError as error:
        attacker.note(attacker.named(error.errno or 0))
    time.sleep(5)


def attack() -> None:
    for _ in range(COUNT):
        attacker.away(hold, lifetime=6)
    held = 0
    while held <= ENOUGH and attacker.time_left() > -3:  # busy machines are slow
        time.sleep(0.05)
        held = os.path.getsize(SEEN) << 12 if os.path.exists(SEEN) else 0

    def is_breach() -> bool:
        return held > attacker.MEMORY and attacker.population() > COUNT

    attacker.judge(attacker.breach_lasts(is_breach), f"{held // attacker.MIB} MiB in sockets")


attacker.play(attack)
