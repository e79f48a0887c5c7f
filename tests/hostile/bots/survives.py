"""Leaves processes behind, in sessions of their own, that wait for its end and write then."""

import os
import signal
import time

import attacker


def linger(main: int) -> None:
    for how in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(how, signal.SIG_IGN)
    while os.path.exists(f"/proc/{main}"):
        time.sleep(0.05)
    time.sleep(3)  # longer than anybody waits who ends it
    attacker.write(1, b'{"type":"choose","id":1,"choice":"Z99"}\n')
    attacker.write(2, b"BREACH it has outlived its bot\n")
    attacker.fill("/tmp")
    attacker.wait_for_the_end()


def detach(main: int) -> None:
    os.setsid()
    if os.fork():
        os._exit(0)
    attacker.become_a_child()
    os.chdir("/")
    linger(main)


def set_apart(main: int) -> None:
    os.setpgid(0, 0)
    linger(main)


def attack() -> None:
    main = os.getpid()
    attacker.away(linger, main)
    os.waitpid(attacker.away(detach, main), 0)
    child = attacker.away(set_apart, main)
    attacker.note(f"left two children, the last is {child}, and a grandchild")


attacker.play(attack)
