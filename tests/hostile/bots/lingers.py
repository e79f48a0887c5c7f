"""Ends neither with its stdin nor by any signal that it may ignore, and neither do its children."""

import signal

import attacker


def ignore_everything() -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM}:
        if number not in {32, 33}:
            signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - {signal.SIGALRM})


def stay() -> None:
    ignore_everything()
    attacker.wait_for_the_end()


def attack() -> None:
    for _ in range(3):
        attacker.away(stay)
    attacker.become_a_child()
    stay()


attacker.play(attack, "at the end")
