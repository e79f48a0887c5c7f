"""Opens files without end, so that nobody else can, and lifts its limit if it can."""

import fcntl
import os
import resource

import attacker

MOST = 5_000


def attack() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for more in (hard + 1, MOST, resource.RLIM_INFINITY):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, more))
            attacker.judge(more > hard or more < 0, f"limit {hard} lifted to {more}")
        except (OSError, ValueError):
            attacker.note(f"limit {hard} stays")
    opened: list[int] = []
    try:
        while len(opened) < MOST:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as error:
        attacker.note(attacker.named(error.errno or 0))
    try:
        opened.append(fcntl.fcntl(0, fcntl.F_DUPFD, attacker.FILES + 1))
        attacker.breach("a descriptor beyond the limit")
    except OSError as error:
        attacker.note(attacker.named(error.errno or 0))
    attacker.judge(len(opened) + 3 > attacker.FILES, f"{len(opened)} files open at once")
    for file in opened:
        os.close(file)


attacker.play(attack)
