"""Uses files that were left open for it by mistake, or that its standard streams lead to."""

import fcntl
import os
import resource
import stat

import attacker


def attack() -> None:
    limit = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 65_536)
    for number in range(3, limit):
        try:
            fcntl.fcntl(number, fcntl.F_GETFD)
        except OSError:
            continue
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            target = "unknown"
        attacker.breach(f"descriptor {number} is {target}")
    for number in (0, 1, 2):
        mode = os.fstat(number).st_mode
        wrong = not stat.S_ISFIFO(mode) or os.isatty(number)
        attacker.judge(wrong, f"{number} is {os.readlink(f'/proc/self/fd/{number}')}")
        how = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE
        attacker.judge(how == os.O_RDWR, f"{number} is open by mode {how}")


attacker.play(attack)
