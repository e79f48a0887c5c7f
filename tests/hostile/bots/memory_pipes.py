"""Makes pipes and sockets as large as they get, fills them, and reads nothing of it."""

import fcntl
import os
import socket

import attacker


def pour(stream: int) -> int:
    total = 0
    os.set_blocking(stream, False)
    try:
        while True:
            total += os.write(stream, b"x" * 65_536)
    except OSError:
        return total


def attack() -> None:
    total, kept = 0, []
    while total < 512 * attacker.MIB and attacker.time_left() > 0:
        try:
            streams = os.pipe()
            pair = socket.socketpair()
        except OSError as error:
            attacker.note(attacker.named(error.errno or 0))
            break
        kept.append((streams, pair))
        for size in (1 << 20, 1 << 18, 1 << 17):
            try:
                fcntl.fcntl(streams[1], fcntl.F_SETPIPE_SZ, size)
                break
            except OSError:
                continue
        pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        total += pour(streams[1]) + pour(pair[0].fileno())
    attacker.judge(total > attacker.MEMORY, f"{total // attacker.MIB} MiB in {len(kept)} of each")
    for streams, _ in kept:
        os.close(streams[0])
        os.close(streams[1])


attacker.play(attack)
