"""Uses up what the kernel allows a user in all: watches, events, locks, queued signals."""

import fcntl
import os
import signal
from collections.abc import Callable

import attacker

MOST = 200


def until_refused(name: str, make: Callable[[], int]) -> list[int]:
    made: list[int] = []
    try:
        while len(made) < MOST:
            made.append(make())
    except OSError as error:
        attacker.note(attacker.named(error.errno or 0))
    attacker.note(f"{len(made)} {name}")
    return made


def watch() -> int:
    number = int(attacker.libc.inotify_init1(0))
    if number < 0:
        raise OSError(24, "inotify_init1")
    attacker.libc.inotify_add_watch(number, b"/tmp", 0xFFF)
    return number


def event() -> int:
    return os.eventfd(0)


def lock() -> int:
    file = os.open("/tmp/lock", os.O_RDWR | os.O_CREAT)
    for place in range(0, 2_000, 2):
        fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
    return file


def queue_signal() -> int:
    os.kill(os.getpid(), signal.SIGRTMAX)
    return 0


def attack() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMAX])
    for number in until_refused("watches", watch) + until_refused("events", event):
        os.close(number)
    until_refused("signals", queue_signal)
    os.close(lock())


attacker.play(attack)
